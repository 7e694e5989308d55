//! Names of identities.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text that does not name an identity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no `:` between a module and a name.
    #[error("identity {text:?} does not say its module, as in `module:name`")]
    Unqualified {
        /// The text.
        text: String,
    },
    /// The module or the name is not an identifier of YANG.
    #[error("{text:?} is not a YANG identifier")]
    Identifier {
        /// The offending part.
        text: String,
    },
}

/// The identity that an `identityref` refers to, with the module that defines it. The text form is
/// `module:name`, whether or not the module could be left out where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdentityRef(Arc<str>);

impl IdentityRef {
    /// The identity `name` of this module.
    pub fn new(module: &str, name: &str) -> Result<Self, Error> {
        Ok(Self(format!("{}:{}", identifier(module)?, identifier(name)?).into()))
    }

    /// The module that defines the identity.
    pub fn module(&self) -> &str {
        self.parts().0
    }

    /// The name of the identity in its module.
    pub fn name(&self) -> &str {
        self.parts().1
    }

    /// The module and the name. Neither can hold a `:` itself.
    fn parts(&self) -> (&str, &str) {
        self.0.split_once(':').unwrap_or_default()
    }
}

/// By module, then by name.
impl Ord for IdentityRef {
    fn cmp(&self, other: &Self) -> Ordering {
        self.parts().cmp(&other.parts())
    }
}

impl PartialOrd for IdentityRef {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A letter or underscore, then letters, digits, underscores, hyphens and dots.
fn identifier(text: &str) -> Result<&str, Error> {
    let first = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let rest = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    if first && rest { Ok(text) } else { Err(Error::Identifier { text: text.into() }) }
}

impl fmt::Display for IdentityRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for IdentityRef {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.split_once(':') {
            Some((module, name)) => Self::new(module, name),
            None => Err(Error::Unqualified { text: text.to_owned() }),
        }
    }
}

impl Serialize for IdentityRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for IdentityRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
