//! `check-trace`: whether a trace can have happened.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use lockstep_model::trace::{Error, Report, check};

use super::thousands;

/// How many notes are shown.
const NOTES: usize = 10;

/// The options.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep-model check-trace node1.jsonl
  zcat node1.jsonl.gz | lockstep-model check-trace -

Ends with status 0 if every line is allowed, with 1 and the first line that is not, and with 2 if the
trace cannot be read.")]
pub(crate) struct CheckTrace {
    /// The trace; `-` is the standard input
    file: PathBuf,
}

impl CheckTrace {
    pub(crate) fn run(self) -> ExitCode {
        let name = self.file.display();
        match self.check() {
            Ok(report) => {
                println!("{name}: good: {}", counts(&report));
                report.notes.iter().take(NOTES).for_each(|note| println!("  note: {note}"));
                let more = report.notes.len().saturating_sub(NOTES);
                if more > 0 {
                    println!("  and {more} more notes");
                }
                ExitCode::SUCCESS
            }
            Err(Error::Found(finding)) => {
                eprintln!("{name}: not allowed: {finding}");
                ExitCode::FAILURE
            }
            Err(Error::Io(error)) => {
                eprintln!("{name}: {error}");
                ExitCode::from(2)
            }
        }
    }

    fn check(&self) -> Result<Report, Error> {
        if self.file.as_os_str() == "-" {
            check(io::stdin().lock())
        } else {
            check(BufReader::new(File::open(&self.file)?))
        }
    }
}

fn counts(report: &Report) -> String {
    let parts = [
        (report.lines, "lines"),
        (report.nodes.len(), "nodes"),
        (report.sessions, "sessions"),
        (report.steps, "steps"),
        (report.revisions, "revisions"),
        (report.held, "held against the guarantees"),
        (report.transactions, "transactions"),
        (report.requests, "device requests"),
    ];
    parts.map(|(count, what)| format!("{} {what}", thousands(count))).join(", ")
}
