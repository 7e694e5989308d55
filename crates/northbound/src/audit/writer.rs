//! The thread that writes the audit.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{mpsc, oneshot};

use crate::metrics;

/// As many lines go out with one write.
const TOGETHER: usize = 256;
/// As many bytes are kept for when the file can be written to again.
const KEPT: usize = 4 << 20;

/// What the thread is told.
#[derive(Debug)]
pub(crate) enum Order {
    /// Write this line, and say when it is written.
    Line(String, oneshot::Sender<()>),
    /// Open the file anew.
    Reopen,
}

/// Writes lines to a file.
#[derive(Debug)]
pub(super) struct Writer {
    path: PathBuf,
    file: File,
    works: Arc<AtomicBool>,
    /// Lines that the file did not take.
    kept: Vec<u8>,
}

impl Writer {
    pub(super) fn open(path: &Path, works: Arc<AtomicBool>) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), file: append(path)?, works, kept: Vec::new() })
    }

    /// Runs for as long as somebody may have something to write.
    pub(super) fn run(mut self, mut orders: mpsc::Receiver<Order>) {
        let mut batch = Vec::with_capacity(TOGETHER);
        while orders.blocking_recv_many(&mut batch, TOGETHER) > 0 {
            let mut waiting = Vec::new();
            for order in batch.drain(..) {
                match order {
                    Order::Line(line, done) => {
                        self.kept.extend_from_slice(line.as_bytes());
                        self.kept.push(b'\n');
                        waiting.push(done);
                    }
                    Order::Reopen => {
                        self.flush();
                        self.reopen();
                    }
                }
            }
            self.flush();
            for done in waiting {
                // Whoever does not wait any more need not know.
                let _gone = done.send(());
            }
        }
    }

    fn reopen(&mut self) {
        match append(&self.path) {
            Ok(file) => self.file = file,
            Err(error) => self.failed(&error),
        }
    }

    /// Writes what is kept. What was written in part is not written twice.
    fn flush(&mut self) {
        while !self.kept.is_empty() {
            match self.file.write(&self.kept) {
                Ok(0) => return self.failed(&io::ErrorKind::WriteZero.into()),
                Ok(written) => drop(self.kept.drain(..written)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return self.failed(&error),
            }
        }
        if !self.works.swap(true, Ordering::AcqRel) {
            tracing::info!(path = %self.path.display(), "the audit is written again");
        }
    }

    fn failed(&mut self, error: &io::Error) {
        if self.works.swap(false, Ordering::AcqRel) {
            tracing::error!(path = %self.path.display(), %error, "the audit cannot be written; calls are refused");
        }
        if self.kept.len() > KEPT {
            let lost = self.kept.iter().filter(|byte| **byte == b'\n').count();
            metrics::AUDIT_LOST.add(lost as u64);
            tracing::error!(lost, "lines of the audit were lost");
            self.kept.clear();
        }
    }
}

/// For its owner's eyes alone, if it is made now.
fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}
