//! `walk`: one run of a scenario, as a trace.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use lockstep_model::scenario::Scenario;
use lockstep_model::trace::line::Line;
use lockstep_model::trace::writer::Writer;
use lockstep_model::walk;

use super::scenario;

/// The options.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep-model walk crash --seed 7 --out crash.jsonl
  lockstep-model walk stale --seed 1 | lockstep-model check-trace -

The same scenario and seed give the same trace. Ends with status 1 if the run breaks an invariant.")]
pub(crate) struct Walk {
    /// The scenario (`explore --list` lists them)
    #[arg(value_parser = scenario)]
    scenario: Arc<Scenario>,
    /// What the choices follow from
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Stop after so many steps of the system
    #[arg(long, default_value_t = 1000)]
    steps: usize,
    /// Where the trace goes; `-` is the standard output
    #[arg(long, default_value = "-")]
    out: PathBuf,
}

impl Walk {
    pub(crate) fn run(self) -> ExitCode {
        let walk = walk::walk(&self.scenario, self.seed, self.steps);
        if let Err(error) = self.write(&walk.lines) {
            eprintln!("{}: {error}", self.out.display());
            return ExitCode::from(2);
        }
        let (actions, lines) = (walk.actions.len(), walk.lines.len());
        eprintln!("{}: {actions} steps of the system, {lines} lines", self.scenario.name);
        if walk.broken.is_empty() {
            return ExitCode::SUCCESS;
        }
        eprintln!("the last step breaks {}", walk.broken.join(", "));
        ExitCode::FAILURE
    }

    fn write(&self, lines: &[Line]) -> io::Result<()> {
        let out: Box<dyn Write> = if self.out.as_os_str() == "-" {
            Box::new(io::stdout().lock())
        } else {
            Box::new(File::create(&self.out)?)
        };
        let mut writer = Writer::new(BufWriter::new(out));
        lines.iter().try_for_each(|line| writer.write(line))?;
        writer.finish().map(drop)
    }
}
