//! The lines of a dump.

use lockstep_types::{Epoch, Revision};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use std::borrow::Cow;
use std::fmt::Write;

/// The kind of the first line, and the version of this form.
pub(super) const FIRST: &str = "lockstep-store";
pub(super) const VERSION: u32 = 1;
/// The kind of the last line.
pub(super) const LAST: &str = "end";

/// Any line; which fields it has depends on its kind.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line<'a> {
    #[serde(borrow)]
    pub(super) kind: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) level: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) epoch: Option<Epoch>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) revision: Option<Revision>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<Cow<'a, str>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<&'a RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) entries: Option<u64>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    pub(super) digest: Option<Cow<'a, str>>,
}

impl<'a> Line<'a> {
    /// A line with nothing but its kind.
    pub(super) fn of(kind: &'a str) -> Self {
        Self {
            kind: kind.into(),
            version: None,
            level: None,
            epoch: None,
            revision: None,
            key: None,
            value: None,
            entries: None,
            digest: None,
        }
    }
}

/// The digest of the bytes before the last line, as it stands there.
pub(super) fn digest(bytes: Sha256) -> String {
    let mut text = String::from("sha256:");
    for byte in bytes.finalize() {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
