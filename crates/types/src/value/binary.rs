//! Bytes, written as base64.

use std::fmt;
use std::sync::Arc;

use data_encoding::{BASE64, DecodeError};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The bytes of a `binary` leaf. A clone shares them.
///
/// The text form is base64 with padding (RFC 4648 section 4), the canonical form of YANG. Each
/// sequence of bytes has exactly one; what is padded or cut otherwise is refused.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Binary(Arc<[u8]>);

impl Binary {
    /// The value of these bytes.
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self(bytes.into())
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        BASE64.encode_display(&self.0).fmt(f)
    }
}

impl std::str::FromStr for Binary {
    type Err = DecodeError;

    fn from_str(text: &str) -> Result<Self, DecodeError> {
        BASE64.decode(text.as_bytes()).map(Self::new)
    }
}

impl Serialize for Binary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Binary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|error| D::Error::custom(format_args!("not base64: {error}")))
    }
}
