//! How results are written: tables for people, JSON for programs.

use std::error::Error;
use std::io::{self, Write};

use lockstep_gnmi::proto::lockstep::v1::{Difference, Failure, Model, Module, Target, Transaction};
use prost_types::Timestamp;
use serde_json::{Value, json};

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

/// Nothing to say is `null`, not an empty text.
fn text(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { json!(text) }
}

fn time(at: Option<&Timestamp>) -> Value {
    at.map_or(Value::Null, |at| json!(at.to_string()))
}

fn failure(failure: Option<&Failure>) -> Value {
    failure.map_or(Value::Null, |failure| {
        json!({ "code": failure.code, "message": failure.message, "path": text(&failure.path) })
    })
}

/// A transaction in the form that others may rely on.
pub(crate) fn transaction(shown: &Transaction) -> Value {
    let targets = shown.targets.iter().map(|(name, target)| {
        let one = json!({
            "status": target.status,
            "error": failure(target.error.as_ref()),
            "waiting_for": text(&target.waiting_for),
        });
        (name.clone(), one)
    });
    let number = |number: u64| if number == 0 { Value::Null } else { json!(number) };
    json!({
        "index": shown.index,
        "id": shown.id,
        "kind": shown.kind,
        "of": number(shown.of),
        "to": number(shown.to),
        "mode": shown.mode,
        "status": shown.status,
        "author": shown.author,
        "comment": shown.comment,
        "submitted": time(shown.submitted.as_ref()),
        "decided": time(shown.decided.as_ref()),
        "finished": time(shown.finished.as_ref()),
        "waiting_for": text(&shown.waiting_for),
        "error": failure(shown.error.as_ref()),
        "rolled_back_by": number(shown.rolled_back_by),
        "window": text(&shown.window),
        "confirm_until": time(shown.confirm_until.as_ref()),
        "targets": targets.collect::<serde_json::Map<_, _>>(),
    })
}

fn difference(found: &Difference) -> Value {
    json!({ "path": found.path, "shows": found.shows, "wanted": found.wanted })
}

/// A model set in the form that others may rely on.
pub(crate) fn model(shown: &Model) -> Value {
    let module =
        |module: &Module| json!({ "name": module.name, "revision": text(&module.revision) });
    json!({
        "name": text(&shown.name),
        "digest": text(&shown.digest),
        "modules": shown.modules.iter().map(module).collect::<Vec<_>>(),
        "targets": shown.targets,
        "error": text(&shown.error),
    })
}

/// A target in the form that others may rely on.
pub(crate) fn target(shown: &Target) -> Value {
    json!({
        "name": shown.name,
        "address": shown.address,
        "connected": shown.connected,
        "master": text(&shown.master),
        "term": shown.term,
        "state": shown.state,
        "reason": text(&shown.reason),
        "fencing": shown.fencing,
        "committed": shown.committed,
        "applied": shown.applied,
        "model": shown.model,
        "tags": shown.tags,
        "source": shown.source,
        "waiting_for": text(&shown.waiting_for),
        "drift": shown.drift.iter().map(difference).collect::<Vec<_>>(),
        "drift_more": shown.drift_more,
    })
}
