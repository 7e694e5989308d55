//! Ids that are names.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::Error;
use crate::map::Name;

/// The longest name, in bytes: room for any host name (253), and short enough for a store key.
pub const MAX_BYTES: usize = 256;

macro_rules! text {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        $(#[$doc])*
        ///
        /// Never empty, at most [`MAX_BYTES`] long and free of control characters. A clone shares
        /// the text.
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The name with this text, if it is one.
            pub fn new(text: impl AsRef<str>) -> Result<Self, Error> {
                check($kind, text.as_ref()).map(|text| Self(Arc::from(text)))
            }

            /// The text of this name.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self, Error> {
                Self::new(text)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl Name for $name {
            type Reader = ();

            fn read((): &mut (), text: &str) -> Result<Self, String> {
                Self::new(text).map_err(|error| error.to_string())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::new(String::deserialize(deserializer)?).map_err(D::Error::custom)
            }
        }
    };
}

text! {
    /// The name of a target, a device.
    Target, "target name"
}
text! {
    /// The name of a node, one running Lockstep process.
    NodeName, "node name"
}
text! {
    /// The session of a node, unique to one start of its process.
    SessionId, "session id"
}
text! {
    /// The id of a transaction, the client's own or the node's: the same id is the same Submit.
    TransactionId, "transaction id"
}
text! {
    /// The digest of the files of a model set, which is what it is known by.
    ModelDigest, "model digest"
}

fn check<'a>(kind: &'static str, text: &'a str) -> Result<&'a str, Error> {
    if text.is_empty() {
        return Err(Error::Empty { kind });
    }
    if text.len() > MAX_BYTES {
        return Err(Error::TooLong { kind, bytes: text.len() });
    }
    match text.char_indices().find(|(_, character)| character.is_control()) {
        Some((position, character)) => Err(Error::Control { kind, character, position }),
        None => Ok(text),
    }
}
