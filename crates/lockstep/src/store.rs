//! `lockstep store`: what a store holds, out of it and into another.

mod export;
mod import;
mod place;
mod progress;

use clap::{Args, Subcommand};
use lockstep_store::Embedded;
use lockstep_store::records::{self, Checked};
use serde_json::json;

use crate::cli::{Failed, Global, Output};
use crate::output;
use export::Export;
use import::Import;
use place::Place;

/// What can be done with a store.
#[derive(Debug, Subcommand)]
pub(crate) enum Store {
    /// Read everything in a store and say what is wrong with it
    #[command(after_help = "\
Examples:
  lockstep store check ./data                       of a node that is not running
  lockstep store check etcd://10.0.0.1:2379/lockstep

Changes nothing. Ends with status 0 only if all is well.")]
    Check(Check),
    /// Write everything a store holds to a file, as lines of JSON
    #[command(after_help = "\
Examples:
  lockstep --insecure store export -f backup.jsonl  of a running node, which goes on
  lockstep store export ./data -f backup.jsonl      of a node that is not running
  lockstep store export etcd://10.0.0.1:2379/lockstep | gzip > backup.jsonl.gz

The file shows the store at one moment. Sessions of running nodes are left out.")]
    Export(Export),
    /// Fill an empty store from such a file
    #[command(after_help = "\
Examples:
  lockstep store import ./data -f backup.jsonl
  zcat backup.jsonl.gz | lockstep store import etcd://10.0.0.1:2379/lockstep

The store must be empty. Its epoch is raised, so that devices follow the nodes that use it and no \
longer those of the store the file came from: stop those first.")]
    Import(Import),
}

/// `store check`.
#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    place: Place,
}

/// Does what was asked.
pub(crate) async fn store(command: &Store, global: &Global) -> Result<(), Failed> {
    match command {
        Store::Check(command) => check(command, global).await,
        Store::Export(command) => export::export(command, global).await,
        Store::Import(command) => import::import(command, global).await,
    }
}

async fn check(command: &Check, global: &Global) -> Result<(), Failed> {
    if let Some(folder) = command.place.folder() {
        let file = Embedded::check(folder)?;
        if global.output == Output::Table {
            let state = if file.clean { "closed cleanly" } else { "was not closed; put in order" };
            output::line(&format!("{}: {} bytes, {state}", file.file.display(), file.bytes))?;
        }
    }
    let store = command.place.open().await?;
    let checked = records::check(&*store).await;
    store.close().await?;
    let checked = checked?;
    show(&checked, global)?;
    match checked.problems.len() {
        0 => Ok(()),
        count => Err(format!("{count} problems; restore the store from a backup or export").into()),
    }
}

fn show(checked: &Checked, global: &Global) -> Result<(), Failed> {
    let Checked { revision, level, epoch, kinds, unused, problems } = checked;
    if global.output == Output::Json {
        let count = |count: &records::Count| json!({"keys": count.keys, "bytes": count.bytes});
        let kinds: serde_json::Map<_, _> =
            kinds.iter().map(|(kind, found)| ((*kind).to_owned(), count(found))).collect();
        return Ok(output::json_document(&json!({
            "level": level, "epoch": epoch, "revision": revision.get(), "kinds": kinds,
            "unused": count(unused), "problems": problems,
        }))?);
    }
    output::line(&format!("format level {level}, epoch {epoch}, revision {revision}"))?;
    let row = |kind: &str, count: &records::Count| {
        vec![kind.to_owned(), count.keys.to_string(), count.bytes.to_string()]
    };
    let mut rows: Vec<_> = kinds.iter().map(|(kind, count)| row(kind, count)).collect();
    if unused.keys > 0 {
        rows.push(row("(of these unused)", unused));
    }
    output::table(&["KIND", "KEYS", "BYTES"], &[], &rows)?;
    for problem in problems {
        output::line(&format!("problem: {problem}"))?;
    }
    if problems.is_empty() { output::line("all is well").map_err(Into::into) } else { Ok(()) }
}
