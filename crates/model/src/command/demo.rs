//! `demo`: a story of a few transactions.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use lockstep_model::demo;
use lockstep_model::trace::line::Line;
use lockstep_model::trace::writer::Writer;

/// The options.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep-model demo
  lockstep-model demo --trace demo.jsonl && lockstep-model check-trace demo.jsonl

Ends with status 1 if anything was not as it was told.")]
pub(crate) struct Demo {
    /// Also write the run as a trace
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

impl Demo {
    pub(crate) fn run(self) -> ExitCode {
        match self.tell() {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(error) => {
                eprintln!("the story could not be told to the end: {error}");
                ExitCode::from(2)
            }
        }
    }

    fn tell(&self) -> io::Result<bool> {
        let mut out = io::stdout().lock();
        let colours = out.is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let ending = demo::tell(&mut out, colours)?;
        if let Some(file) = &self.trace {
            write(&ending.lines, File::create(file)?)?;
        }
        Ok(ending.failures.is_empty())
    }
}

fn write(lines: &[Line], file: File) -> io::Result<()> {
    let mut writer = Writer::new(BufWriter::new(file));
    lines.iter().try_for_each(|line| writer.write(line))?;
    writer.finish().map(drop)
}
