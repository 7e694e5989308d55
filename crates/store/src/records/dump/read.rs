//! A dump, read line by line.

use std::sync::Arc;

use lockstep_types::{Epoch, Revision};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncBufRead, AsyncBufReadExt};

use super::line::{FIRST, LAST, Line, VERSION, digest};
use super::{Error, Progress};
use crate::records::format::LEVEL;
use crate::records::key::Name;
use crate::records::{decode, value};

/// What the first line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The format level of the store it was taken from.
    pub level: u32,
    /// The epoch of that store.
    pub epoch: Epoch,
    /// Everything stands as it did at this revision.
    pub revision: Revision,
}

/// A key of the dump.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) key: crate::kv::Bytes,
    pub(super) value: crate::kv::Bytes,
}

/// A dump that is being read.
#[derive(Debug)]
pub struct Dump<R> {
    from: R,
    buffer: Vec<u8>,
    seen: Sha256,
    lines: u64,
    progress: Progress,
    header: Header,
}

impl<R: AsyncBufRead + Unpin> Dump<R> {
    /// Reads the first line.
    ///
    /// # Errors
    /// It is no dump, or one that this version cannot read.
    pub async fn open(from: R) -> Result<Self, Error> {
        let (seen, progress) = (Sha256::new(), Progress::default());
        let header = Header { level: 0, epoch: Epoch::ZERO, revision: Revision::ZERO };
        let mut dump = Self { from, buffer: Vec::new(), seen, lines: 0, progress, header };
        dump.fetch().await.map_err(|error| match error {
            Error::Cut { .. } => Error::NoDump,
            other => other,
        })?;
        dump.header = header_of(&dump.buffer)?;
        dump.seen.update(&dump.buffer);
        Ok(dump)
    }

    /// What the first line says.
    #[must_use]
    pub fn header(&self) -> Header {
        self.header
    }

    /// How far it is read.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// The next key; none after the last line, if that fits.
    pub(super) async fn next(&mut self) -> Result<Option<Pair>, Error> {
        self.fetch().await?;
        let number = self.lines;
        let wrong =
            |reason: &dyn ToString| Error::Line { line: number, reason: reason.to_string() };
        let line: Line<'_> = serde_json::from_slice(&self.buffer).map_err(|e| wrong(&e))?;
        if line.kind == LAST {
            let fits = line.entries == Some(self.progress.entries)
                && line.digest.as_deref() == Some(&*digest(self.seen.clone()));
            return if fits { self.end().await } else { Err(Error::Changed) };
        }
        let (Some(key), Some(json)) = (&line.key, line.value) else {
            return Err(wrong(&"it has no key or no value"));
        };
        let (key, value) = (key.as_bytes(), value::of_json(json.get().as_bytes()));
        let name = Name::parse(key).map_err(|e| wrong(&e))?;
        if name.kind() != line.kind || !is_portable(&name) {
            return Err(wrong(&"its key has no place in a dump"));
        }
        decode::stored(key, &value).map_err(|e| wrong(&e))?;
        let pair = Pair { key: key.into(), value };
        self.seen.update(&self.buffer);
        self.progress.entries += 1;
        Ok(Some(pair))
    }

    async fn fetch(&mut self) -> Result<(), Error> {
        self.buffer.clear();
        let read = self.from.read_until(b'\n', &mut self.buffer).await;
        self.progress.bytes += read.map_err(|error| Error::Read(Arc::new(error)))? as u64;
        // A line without an end is one that was cut.
        if !self.buffer.ends_with(b"\n") {
            return Err(Error::Cut { lines: self.lines });
        }
        self.lines += 1;
        Ok(())
    }

    async fn end(&mut self) -> Result<Option<Pair>, Error> {
        match self.fetch().await {
            Err(Error::Cut { .. }) if self.buffer.is_empty() => Ok(None),
            Err(Error::Read(error)) => Err(Error::Read(error)),
            _ => Err(Error::Line { line: self.lines, reason: "it is beyond the last".into() }),
        }
    }
}

/// Reads a dump to its end and checks all of it; what is in it goes nowhere.
///
/// # Errors
/// What is wrong with it.
pub async fn verify<R: AsyncBufRead + Unpin>(
    from: R,
    mut progress: impl FnMut(Progress),
) -> Result<Header, Error> {
    let mut dump = Dump::open(from).await?;
    while dump.next().await?.is_some() {
        progress(dump.progress());
    }
    Ok(dump.header())
}

fn header_of(bytes: &[u8]) -> Result<Header, Error> {
    // A later form may have other fields; its version says more than those.
    #[derive(serde::Deserialize)]
    struct Form {
        kind: String,
        version: u32,
    }
    let form: Form = serde_json::from_slice(bytes).map_err(|_| Error::NoDump)?;
    match form.version {
        _ if form.kind != FIRST => return Err(Error::NoDump),
        VERSION => {}
        found => return Err(Error::NewerForm { found, known: VERSION }),
    }
    let line: Line<'_> = serde_json::from_slice(bytes).map_err(|_| Error::NoDump)?;
    match (line.level, line.epoch, line.revision) {
        (Some(found), ..) if found > LEVEL => {
            Err(crate::Error::NewerFormat { found, known: LEVEL }.into())
        }
        (Some(level), Some(epoch), Some(revision)) => Ok(Header { level, epoch, revision }),
        _ => Err(Error::NoDump),
    }
}

/// Whether a key belongs in a dump. The others are what a store needs for itself.
fn is_portable(name: &Name) -> bool {
    !matches!(name.kind(), "meta" | "body" | "delta" | "session")
}
