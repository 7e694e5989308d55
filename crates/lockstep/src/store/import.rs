//! `lockstep store import`: into an empty folder, or an empty prefix of etcd.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::Args;
use lockstep_store::Store;
use lockstep_store::records::dump::{self, Error, Imported};
use lockstep_types::Epoch;
use tokio::fs::File;
use tokio::io::{AsyncBufRead, BufReader, stdin};

use super::place::Place;
use super::progress::Teller;
use crate::cli::{Failed, Global};
use crate::signals::{Interrupted, Signals};

/// Where to, and what from.
#[derive(Debug, Args)]
pub(crate) struct Import {
    #[command(flatten)]
    place: Place,
    /// The file to read; standard input without it
    #[arg(long, short, value_name = "FILE")]
    file: Option<PathBuf>,
}

/// `store import`.
pub(crate) async fn import(command: &Import, _: &Global) -> Result<(), Failed> {
    if let Some(folder) = command.place.folder() {
        is_free(folder)?;
    }
    if let Some(file) = &command.file {
        // Read twice, so that a file that is no good touches nothing.
        let mut teller = Teller::new("checked");
        dump::verify(open(file).await?, |progress| teller.at(progress.bytes)).await?;
    }
    let mut signals = Signals::new()?;
    let store = command.place.open_or_make().await?;
    let ended = tokio::select! {
        ended = take_in(command, &*store) => ended,
        by = signals.next() => Err(by.into()),
    };
    store.close().await?;
    drop(store);
    match ended {
        Ok(imported) => {
            eprintln!("the store's epoch is now {}", imported.epoch);
            Ok(())
        }
        Err(error) => match error.downcast::<Interrupted>() {
            Ok(by) => {
                eprintln!("lockstep: {}", clear(&command.place, (*by).into()));
                Err(by)
            }
            Err(error) => Err(clear(&command.place, error)),
        },
    }
}

async fn take_in(command: &Import, store: &dyn Store) -> Result<Imported, Failed> {
    let from: Box<dyn AsyncBufRead + Unpin> = match &command.file {
        Some(file) => Box::new(open(file).await?),
        None => Box::new(BufReader::new(stdin())),
    };
    let mut teller = Teller::new("imported");
    let imported = dump::import(store, from, now(), |progress| teller.at(progress.bytes)).await?;
    teller.done(imported.progress);
    Ok(imported)
}

/// An epoch that is higher than that of any earlier import, of this file or another: devices remember
/// the highest they have met, and turn down the rest.
fn now() -> Epoch {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    Epoch::new(since.map_or(0, |since| since.as_secs()))
}

async fn open(file: &Path) -> Result<BufReader<File>, Failed> {
    let opened = File::open(file).await;
    let opened = opened.map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    Ok(BufReader::with_capacity(dump::BLOCK, opened))
}

/// Only a folder with nothing in it, so that what is left by an import that fails can be removed.
fn is_free(folder: &Path) -> Result<(), Failed> {
    let full = std::fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some());
    if full {
        let folder = folder.display();
        return Err(format!(
            "{folder} is not empty; name a new folder, or move {folder} away first"
        )
        .into());
    }
    Ok(())
}

/// Says what is left after a failure, having removed what can be.
fn clear(place: &Place, error: Failed) -> Failed {
    if error.downcast_ref::<Error>().is_some_and(|error| matches!(error, Error::NotEmpty)) {
        return match place.folder() {
            Some(_) => error,
            None => format!(
                "{error}; name another prefix, or remove everything under this one first \
                 (etcdctl del --prefix)"
            )
            .into(),
        };
    }
    let why = crate::output::chain(&*error);
    match place.folder() {
        Some(folder) => match empty(folder) {
            Ok(()) => format!("{why}; nothing was imported").into(),
            Err(left) => {
                let folder = folder.display();
                format!("{why}; {folder} holds part of an import, remove it ({left})").into()
            }
        },
        None => format!(
            "{why}; the prefix holds part of an import, which no node will use: remove everything \
             under it (etcdctl del --prefix) and import again"
        )
        .into(),
    }
}

/// Everything in it is ours, since it was empty.
fn empty(folder: &Path) -> std::io::Result<()> {
    for file in std::fs::read_dir(folder)? {
        std::fs::remove_file(file?.path())?;
    }
    Ok(())
}
