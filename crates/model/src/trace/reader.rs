//! Reading a trace, strictly: a line is what would be written, and nothing more.

use std::io::{self, BufRead};

use serde::de::IgnoredAny;
use serde_json::Value;

use super::difference::Difference;
use super::finding::Reason;
use super::line::{FORMAT, Header, Line, VERSION};

/// One line as it stands in the file.
#[derive(Debug)]
pub(super) struct Raw {
    /// Which, from 1.
    pub(super) number: usize,
    /// Its text.
    pub(super) text: Vec<u8>,
    /// Whether it has its end; only the last can lack it.
    pub(super) ended: bool,
}

/// The lines of a trace.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, number: 0 }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<Raw>;

    fn next(&mut self) -> Option<io::Result<Raw>> {
        let mut text = Vec::new();
        match self.input.read_until(b'\n', &mut text) {
            Err(error) => return Some(Err(error)),
            Ok(0) => return None,
            Ok(_) => {}
        }
        let ended = text.pop_if(|last| *last == b'\n').is_some();
        self.number += 1;
        Some(Ok(Raw { number: self.number, text, ended }))
    }
}

/// The first line, whose version says how to read it.
pub(super) fn header(text: &[u8]) -> Result<Header, Reason> {
    let value: Value = serde_json::from_slice(text).map_err(|error| unreadable(&error))?;
    let header = value.get("header").ok_or(Reason::NoHeader)?;
    if header.get("format").and_then(Value::as_str) != Some(FORMAT) {
        return Err(Reason::NoHeader);
    }
    match header.get("version").and_then(Value::as_u64) {
        Some(version) if version == u64::from(VERSION) => {}
        found => return Err(Reason::Version { found }),
    }
    match line(text)? {
        Line::Header(header) => Ok(header),
        _ => Err(Reason::NoHeader),
    }
}

/// Whether a line is the beginning of one.
pub(super) fn is_cut_off(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_err_and(|error| error.is_eof())
}

/// One line. What is read and put into writing again must be what was there: this finds every field
/// that is not known, however deep.
pub(super) fn line(text: &[u8]) -> Result<Line, Reason> {
    let line: Line = serde_json::from_slice(text).map_err(|error| unreadable(&error))?;
    if serde_json::to_vec(&line).is_ok_and(|written| written == text) {
        return Ok(line);
    }
    // Not letter for letter; but fields in another order, or spaces, are no harm.
    let given: Value = serde_json::from_slice(text).map_err(|error| unreadable(&error))?;
    let known = serde_json::to_value(&line).map_err(|error| unreadable(&error))?;
    match Difference::first(&known, &given) {
        None => Ok(line),
        Some(more) if more.expected.is_none() => Err(Reason::UnknownField(more.at)),
        Some(difference) => Err(Reason::Form(difference)),
    }
}

fn unreadable(error: &serde_json::Error) -> Reason {
    Reason::Unreadable(error.to_string().replace(" at line 1 column ", ", at column "))
}
