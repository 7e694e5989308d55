//! Values: a byte that says which version of the form follows, then JSON. Of a value that is too long
//! to be written at once, the JSON says only in how many parts it lies elsewhere: see `body`.

use lockstep_types::{NodeName, Patch, Revision};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::key::Name;
use crate::Error;
use crate::kv::{self, Bytes};

const VERSION: u8 = 1;
const ELSEWHERE: u8 = 2;

/// Where a long value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Elsewhere {
    /// What tells its parts from those of any other value.
    pub(super) unique: u64,
    /// How many parts it has.
    pub(super) parts: u64,
}

impl Elsewhere {
    pub(super) fn write(self) -> Bytes {
        let Self { unique, parts } = self;
        let json = format!("{{\"unique\":{unique},\"parts\":{parts}}}");
        [&[ELSEWHERE], json.as_bytes()].concat().into()
    }

    /// What a value says of where it lies; none: it is here.
    pub(super) fn read(key: &[u8], value: &[u8]) -> Result<Option<Self>, Error> {
        match value.split_first() {
            Some((&ELSEWHERE, json)) => {
                let found = serde_json::from_slice(json);
                found.map(Some).map_err(|error| Error::unreadable(key, error))
            }
            _ => Ok(None),
        }
    }
}

pub(super) fn write<T: Serialize>(name: &Name, record: &T) -> Result<Bytes, Error> {
    let mut bytes = Vec::with_capacity(512);
    bytes.push(VERSION);
    serde_json::to_writer(&mut bytes, record).map_err(|error| Error::Unwritable {
        key: kv::text(&name.bytes()),
        reason: error.to_string(),
    })?;
    Ok(bytes.into())
}

pub(super) fn read<T: DeserializeOwned>(key: &[u8], value: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(json(key, value)?).map_err(|error| Error::unreadable(key, error))
}

/// The JSON of a value.
pub(super) fn json<'v>(key: &[u8], value: &'v [u8]) -> Result<&'v [u8], Error> {
    match value.split_first() {
        Some((&VERSION, json)) => Ok(json),
        Some((version, _)) => {
            Err(Error::unreadable(key, format_args!("its form has version {version}")))
        }
        None => Err(Error::unreadable(key, "it is empty")),
    }
}

/// A value that holds this JSON.
pub(super) fn of_json(json: &[u8]) -> Bytes {
    [&[VERSION], json].concat().into()
}

/// What a session says of its node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Announced {
    /// The node.
    pub(super) node: NodeName,
    /// The highest format level it knows.
    pub(super) level: u32,
}

/// What one write changes in the trees of a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Delta {
    #[serde(default, skip_serializing_if = "Patch::is_empty")]
    pub(super) committed: Patch,
    #[serde(default, skip_serializing_if = "Patch::is_empty")]
    pub(super) applied: Patch,
    /// Whatever stood is gone first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) cleared: bool,
}

/// A [`Delta`] to be written, which may be large, where it is.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Changed<'a> {
    #[serde(skip_serializing_if = "Patch::is_empty")]
    pub(super) committed: &'a Patch,
    #[serde(skip_serializing_if = "Patch::is_empty")]
    pub(super) applied: &'a Patch,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) cleared: bool,
}

impl Changed<'_> {
    pub(super) fn is_empty(self) -> bool {
        self.committed.is_empty() && self.applied.is_empty() && !self.cleared
    }
}

/// What a snapshot consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Snapshot {
    /// Deltas from this one on are not in it. Also the name of its chunks.
    pub(super) from: Revision,
    /// How many chunks it has.
    pub(super) chunks: u64,
}

/// A piece of the two trees. Most units are the same in both.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Chunk {
    #[serde(default, skip_serializing_if = "Patch::is_empty")]
    pub(super) both: Patch,
    #[serde(default, skip_serializing_if = "Patch::is_empty")]
    pub(super) committed: Patch,
    #[serde(default, skip_serializing_if = "Patch::is_empty")]
    pub(super) applied: Patch,
}
