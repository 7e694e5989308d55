//! How results are written: tables for people, JSON for programs.

use std::error::Error;
use std::io::{self, Write};

pub(crate) use lockstep_gnmi::json::{model, target, transaction};
use serde_json::Value;

/// An error and everything that led to it, on one line.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let next = error.to_string();
        // tonic and others repeat what they wrap.
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        source = error.source();
    }
    text
}

/// Writes a line; a reader that went away ends the command quietly.
pub(crate) fn line(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        result => result,
    }
}

/// Writes JSON, indented.
pub(crate) fn json_document(value: &Value) -> io::Result<()> {
    line(&format!("{value:#}"))
}

/// A text on one line, whatever a device put into it.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes rows under their titles, each column as wide as its widest cell.
pub(crate) fn table(titles: &[&str], rows: &[Vec<String>]) -> io::Result<()> {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([titles[column].chars().count()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..titles.len()).map(width).collect();
    let titles: Vec<String> = titles.iter().map(|title| (*title).to_owned()).collect();
    for row in std::iter::once(&titles).chain(&rows) {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        line(cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}
