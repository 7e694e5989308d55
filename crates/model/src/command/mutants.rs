//! `mutants`: the core broken on purpose, and the invariants that notice.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use lockstep_model::mutants::{Caught, Fate, Mutant, Runner, Workspace, all, check, listed, page};

use super::thousands;

/// The options.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep-model mutants                            every mutant
  lockstep-model mutants no-hold no-relink          two of them
  lockstep-model mutants --write docs/mutants.md    every mutant, and the page that shows them
  lockstep-model mutants no-hold --write docs/mutants.md     one of them, and its row of the page
  lockstep-model mutants --check docs/mutants.md    only whether table, sources and page fit together

To be run inside the project's sources, which are copied, broken and built below target/mutants; nothing
else is written but the page. Ends with status 1 if a mutant is not caught by the invariant it names.")]
pub(crate) struct Mutants {
    /// Only these mutants
    #[arg(value_name = "MUTANT", value_parser = mutant)]
    mutants: Vec<Mutant>,
    /// Write the page that shows them all; those that are not tried keep their rows
    #[arg(long, value_name = "PAGE")]
    write: Option<PathBuf>,
    /// Build nothing: only see that every mutant fits the sources and stands on the page
    #[arg(long, value_name = "PAGE", conflicts_with_all = ["mutants", "write"])]
    check: Option<PathBuf>,
    /// List the mutants and what each breaks
    #[arg(long)]
    list: bool,
}

impl Mutants {
    pub(crate) fn run(self) -> ExitCode {
        let done = match &self.check {
            _ if self.list => {
                all().for_each(|mutant| println!("{:26} {}", mutant.name, mutant.breaks));
                Ok(true)
            }
            Some(page) => check_all(page),
            None => self.catch(),
        };
        match done {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(error) => {
                eprintln!("mutants: {error}");
                ExitCode::from(2)
            }
        }
    }

    fn catch(&self) -> io::Result<bool> {
        let mutants: Vec<Mutant> =
            if self.mutants.is_empty() { all().copied().collect() } else { self.mutants.clone() };
        let start = Instant::now();
        println!("building the core as it is, in a folder of its own");
        let runner = Runner::new(Workspace::find()?)?;
        println!("done after {:.0} s\n", start.elapsed().as_secs_f64());
        let mut caught = Vec::new();
        for mutant in &mutants {
            if let Some(how) = catch(&runner, mutant) {
                caught.push((*mutant, how));
                self.put(&caught)?;
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        println!("\n{} of {} caught, in {seconds:.0} s", caught.len(), mutants.len());
        Ok(caught.len() == mutants.len())
    }

    /// Puts those caught so far on the page, which keeps what it says of others.
    fn put(&self, caught: &[(Mutant, Caught)]) -> io::Result<()> {
        let Some(path) = &self.write else { return Ok(()) };
        let before = fs::read_to_string(path).unwrap_or_default();
        fs::write(path, page(caught, &before))
    }
}

/// Hunts one mutant, and says how that went.
fn catch(runner: &Runner, mutant: &Mutant) -> Option<Caught> {
    let Mutant { name, invariant, scenario, .. } = mutant;
    let made = runner.run(mutant);
    let (build, hunt) = (made.build.as_secs_f64(), made.hunt.as_secs_f64());
    let times = format!("built {build:>4.1} s, hunted {hunt:>4.1} s");
    match made.fate {
        Fate::Caught(how) => {
            let (states, steps) = (thousands(how.states), how.steps);
            println!(
                "{name:26} {times}  {invariant:13} {scenario:12} {states:>8} states {steps:>3} steps"
            );
            return Some(how);
        }
        Fate::Survived(hunt) if hunt.broken.is_empty() => {
            println!("{name:26} {times}  SURVIVES {scenario}: {} states", thousands(hunt.states));
        }
        Fate::Survived(hunt) => {
            let broken = hunt.broken.join(", ");
            println!("{name:26} {times}  {invariant} does not notice in {scenario}, but {broken}:");
            hunt.way.iter().for_each(|step| println!("    {step}"));
        }
        Fate::Misfit(misfit) => {
            println!("{name:26} the table is out of date: {misfit} in {}", mutant.file);
        }
        Fate::Failed(error) => println!("{name:26} {times}  FAILED: {error}"),
    }
    None
}

fn check_all(path: &Path) -> io::Result<bool> {
    let mut wrong = check(&Workspace::find()?)?;
    let text = fs::read_to_string(path)?;
    let missing = all().filter(|mutant| !listed(&text, mutant)).map(|mutant| mutant.name);
    wrong.extend(missing.map(|name| format!("{name}: not on the page; run `make mutants`")));
    wrong.iter().for_each(|line| println!("{line}"));
    Ok(wrong.is_empty())
}

fn mutant(name: &str) -> Result<Mutant, String> {
    let known = all().find(|mutant| mutant.name == name).copied();
    known.ok_or_else(|| "there is no such mutant; `mutants --list` lists them".to_owned())
}
