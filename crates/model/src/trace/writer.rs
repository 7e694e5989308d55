//! Writing a trace to wherever bytes go.

use std::io;

use super::line::Line;

/// Writes lines to a file, or wherever bytes go.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
}

impl<W: io::Write> Writer<W> {
    /// A trace that goes there.
    pub fn new(out: W) -> Self {
        Self { out }
    }

    /// Writes one line, whole, in one go.
    ///
    /// # Errors
    ///
    /// What the writer says.
    pub fn write(&mut self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.out.write_all(&text)
    }

    /// Gives the writer back, with everything in it.
    ///
    /// # Errors
    ///
    /// What the writer says.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}
