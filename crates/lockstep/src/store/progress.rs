//! How far something long has come, on standard error, where a person looks.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use lockstep_store::records::dump::Progress;

/// Short work says nothing at all.
const FIRST: Duration = Duration::from_secs(2);
const NEXT: Duration = Duration::from_secs(1);

/// Tells how far something is, now and then.
#[derive(Debug)]
pub(crate) struct Teller {
    what: &'static str,
    due: Instant,
    terminal: bool,
    told: bool,
}

impl Teller {
    pub(crate) fn new(what: &'static str) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self { what, due: Instant::now() + FIRST, terminal, told: false }
    }

    /// It has come this far.
    pub(crate) fn at(&mut self, bytes: u64) {
        let now = Instant::now();
        if now < self.due {
            return;
        }
        self.due = now + if self.terminal { NEXT } else { NEXT * 10 };
        self.told = true;
        // On a terminal each line takes the place of the one before it.
        let (before, after) = if self.terminal { ("\r", "") } else { ("", "\n") };
        eprint!("{before}{}: {} MiB{after}", self.what, bytes >> 20);
    }

    /// It is done.
    pub(crate) fn done(self, Progress { entries, bytes }: Progress) {
        if self.told && self.terminal {
            eprintln!();
        }
        eprintln!("{}: {entries} keys, {bytes} bytes", self.what);
    }
}
