//! Why a Set cannot be read.

use lockstep_types::Path;
use tonic::Code;

use super::Place;
use crate::{path, value};

/// What is wrong with a Set, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A path.
    #[error("{place}: {source}")]
    Path {
        /// Of which operation.
        place: Place,
        /// What.
        source: path::Error,
    },
    /// A value.
    #[error("{place}, {path}: {source}")]
    Value {
        /// Of which operation.
        place: Place,
        /// At which path.
        path: Path,
        /// What.
        source: value::Error,
    },
    /// Something that is not there yet.
    #[error("union_replace is not supported; use delete, replace and update")]
    UnionReplace,
    /// What gNMI does not allow.
    #[error("union_replace cannot go with delete, replace or update")]
    UnionMixed,
}

impl Error {
    /// What a server answers.
    pub fn code(&self) -> Code {
        match self {
            Self::Path { source, .. } => source.code(),
            Self::Value { source, .. } => source.code(),
            Self::UnionReplace => Code::Unimplemented,
            Self::UnionMixed => Code::InvalidArgument,
        }
    }
}
