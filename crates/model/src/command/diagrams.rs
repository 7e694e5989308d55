//! `diagrams`: the pictures of the protocol page.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use lockstep_model::diagrams::redrawn;

/// The options.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep-model diagrams docs/protocol.md            draw the pictures of the page anew
  lockstep-model diagrams docs/protocol.md --check    only see whether they are as the code has it")]
pub(crate) struct Diagrams {
    /// The page, with a place for each picture
    page: PathBuf,
    /// Write nothing: end with status 1 if a picture is out of date
    #[arg(long)]
    check: bool,
}

impl Diagrams {
    pub(crate) fn run(self) -> ExitCode {
        let page = self.page.display();
        let text = match fs::read_to_string(&self.page) {
            Ok(text) => text,
            Err(error) => return failed(&format!("{page}: {error}")),
        };
        match redrawn(&text) {
            Err(name) => failed(&format!("{page} has no place for the picture `{name}`")),
            Ok(new) if new == text => ExitCode::SUCCESS,
            Ok(_) if self.check => failed(&format!("{page} is out of date; run `make diagrams`")),
            Ok(new) => match fs::write(&self.page, new) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => failed(&format!("{page}: {error}")),
            },
        }
    }
}

fn failed(why: &str) -> ExitCode {
    eprintln!("diagrams: {why}");
    ExitCode::FAILURE
}
