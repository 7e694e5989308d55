//! Targets, as people and programs are shown them.

use lockstep_gnmi::proto::lockstep::v1::Target;

use crate::cli::{Failed, Output};
use crate::output::{self, json_document, line, table};
use crate::terminal;

/// One target, whole.
pub(super) fn one(shown: &Target, output: Output) -> Result<(), Failed> {
    if output == Output::Json {
        return Ok(json_document(&output::target(shown))?);
    }
    line(&format!("target {}: {}", shown.name, terminal::word(&shown.state)))?;
    let indexes = format!("{} committed, {} applied", shown.committed, shown.applied);
    let master = match shown.master.as_str() {
        "" => format!("none, term {}", shown.term),
        master => format!("{master}, term {}", shown.term),
    };
    let said = [
        ("reason", shown.reason.clone()),
        ("address", shown.address.clone()),
        ("model", shown.model.clone()),
        ("tags", shown.tags.join(", ")),
        ("source", shown.source.clone()),
        ("master", master),
        ("fencing", shown.fencing.clone()),
        ("log", indexes),
        ("waits", shown.waiting_for.clone()),
    ];
    for (name, text) in said.into_iter().filter(|(_, text)| !text.is_empty()) {
        line(&format!("  {name:<9}{}", output::one_line(&text)))?;
    }
    for found in &shown.drift {
        let value = |text: &Option<String>| match text {
            Some(text) => format!("`{text}`"),
            None => "absent".into(),
        };
        let (shows, wanted) = (value(&found.shows), value(&found.wanted));
        let said = format!("{} is {shows}, applied is {wanted}", found.path);
        line(&format!("  drift    {}", output::one_line(&said)))?;
    }
    if shown.drift_more > 0 {
        line(&format!("  drift    and {} more", shown.drift_more))?;
    }
    Ok(())
}

/// Several targets, a line each.
pub(super) fn all(shown: &[Target], output: Output) -> Result<(), Failed> {
    if output == Output::Json {
        return Ok(json_document(&shown.iter().map(output::target).collect())?);
    }
    let row = |t: &Target| {
        vec![
            t.name.clone(),
            t.address.clone(),
            t.state.clone(),
            t.master.clone(),
            t.term.to_string(),
            t.committed.to_string(),
            t.applied.to_string(),
            t.model.clone(),
            t.source.clone(),
            t.reason.clone(),
        ]
    };
    let rows: Vec<_> = shown.iter().map(row).collect();
    let titles = [
        "NAME",
        "ADDRESS",
        "STATE",
        "MASTER",
        "TERM",
        "COMMITTED",
        "APPLIED",
        "MODEL",
        "SOURCE",
        "REASON",
    ];
    let aside = ["SOURCE", "TERM", "MODEL", "COMMITTED", "MASTER", "APPLIED", "ADDRESS"];
    Ok(table(&titles, &aside, &rows)?)
}
