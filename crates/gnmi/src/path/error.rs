//! Why a path on the wire is not one.

use std::fmt;

use lockstep_types::{ids, path};
use tonic::Code;

/// Which part of a request an element stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The prefix of all paths.
    Prefix,
    /// The path itself.
    Path,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prefix => "prefix",
            Self::Path => "path",
        })
    }
}

/// What is wrong with a path on the wire. Elements are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An element that cannot be part of a path.
    #[error("element {number} of the {place}: {source}")]
    Element {
        /// Where.
        place: Place,
        /// Which one.
        number: usize,
        /// Why not.
        source: path::element::Error,
    },
    /// An element given as a text that is none.
    #[error("element {number} of the {place}, `{text}`: {source}")]
    Text {
        /// Where.
        place: Place,
        /// Which one.
        number: usize,
        /// The text.
        text: String,
        /// Why not.
        source: path::Error,
    },
    /// A text that is no element, or several.
    #[error("element {number} of the {place}, `{text}`, is not one element")]
    NotOne {
        /// Where.
        place: Place,
        /// Which one.
        number: usize,
        /// The text.
        text: String,
    },
    /// A target that cannot be one.
    #[error("target of the {place}: {source}")]
    Target {
        /// Where.
        place: Place,
        /// Why not.
        source: ids::Error,
    },
    /// Two targets for one path.
    #[error("the prefix names target `{prefix}` and the path target `{path}`; give one of them")]
    Targets {
        /// That of the prefix.
        prefix: String,
        /// That of the path.
        path: String,
    },
    /// Two origins for one path.
    #[error("the prefix has origin `{prefix}` and the path origin `{path}`; give one of them")]
    Origins {
        /// That of the prefix.
        prefix: String,
        /// That of the path.
        path: String,
    },
}

impl Error {
    /// What a server answers.
    pub fn code(&self) -> Code {
        Code::InvalidArgument
    }
}
