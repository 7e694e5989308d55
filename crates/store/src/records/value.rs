//! Values: a byte that says which version of the form follows, then JSON.

use lockstep_types::{Patch, Revision};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::key::Name;
use crate::Error;
use crate::kv::{self, Bytes};

const VERSION: u8 = 1;

pub(super) fn write<T: Serialize>(name: &Name, record: &T) -> Result<Bytes, Error> {
    let mut bytes = vec![VERSION];
    serde_json::to_writer(&mut bytes, record).map_err(|error| Error::Unwritable {
        key: kv::text(&name.bytes()),
        reason: error.to_string(),
    })?;
    Ok(bytes.into())
}

pub(super) fn read<T: DeserializeOwned>(key: &[u8], value: &[u8]) -> Result<T, Error> {
    match value.split_first() {
        Some((&VERSION, json)) => {
            serde_json::from_slice(json).map_err(|error| Error::unreadable(key, error))
        }
        Some((version, _)) => {
            Err(Error::unreadable(key, format_args!("its form has version {version}")))
        }
        None => Err(Error::unreadable(key, "it is empty")),
    }
}

/// What one write changes in the trees of a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Delta {
    #[serde(default, skip_serializing_if = "Patch::is_empty")]
    pub(super) committed: Patch,
    #[serde(default, skip_serializing_if = "Patch::is_empty")]
    pub(super) applied: Patch,
}

impl Delta {
    pub(super) fn is_empty(&self) -> bool {
        self.committed.is_empty() && self.applied.is_empty()
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
