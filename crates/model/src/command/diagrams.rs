//! `diagrams`: the pictures of the protocol page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use lockstep_model::diagrams::drawn;

/// The options.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep-model diagrams docs/protocol.md            draw the pictures of the page anew, in docs/pictures
  lockstep-model diagrams docs/protocol.md --check    only see whether they are as the code has it")]
pub(crate) struct Diagrams {
    /// The page, which shows each picture
    page: PathBuf,
    /// Write nothing: end with status 1 if a picture is out of date
    #[arg(long)]
    check: bool,
}

impl Diagrams {
    pub(crate) fn run(self) -> ExitCode {
        match self.drawn() {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                eprintln!("diagrams: {why}");
                ExitCode::FAILURE
            }
        }
    }

    fn drawn(&self) -> Result<(), String> {
        let page = self.page.display();
        let text = fs::read_to_string(&self.page).map_err(|error| format!("{page}: {error}"))?;
        let folder = self.page.parent().unwrap_or(Path::new("")).join("pictures");
        for (name, picture) in drawn()? {
            if !text.contains(&format!("(pictures/{name})")) {
                return Err(format!("{page} does not show pictures/{name}"));
            }
            self.put(&folder.join(name), &picture)?;
        }
        Ok(())
    }

    fn put(&self, file: &Path, picture: &str) -> Result<(), String> {
        let told = file.display();
        match fs::read_to_string(file) {
            Ok(there) if there == picture => Ok(()),
            _ if self.check => Err(format!("{told} is out of date; run `make diagrams`")),
            _ => fs::write(file, picture).map_err(|error| format!("{told}: {error}")),
        }
    }
}
