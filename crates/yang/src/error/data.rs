//! Why data is refused.

use lockstep_types::Path;

use super::PathError;
use crate::nearest::hint;
use crate::validate::Violation;

/// What a JSON value should have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An object with the children of the node.
    Object,
    /// An array with the entries of the list, or the values of the leaf-list.
    Array,
    /// A single value.
    Scalar,
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Object => "a JSON object",
            Self::Array => "a JSON array",
            Self::Scalar => "a single value",
        })
    }
}

/// Why data does not fit the models. The path is where in the configuration, not in the request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DataError {
    /// The path it was given at.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A member that names no node.
    #[error("{path}: there is no `{name}` here in these models{}", hint(.nearest))]
    Unknown {
        /// The node it stands in.
        path: Path,
        /// The name of the member.
        name: String,
        /// What there is instead that may have been meant.
        nearest: Option<String>,
    },
    /// A member that nodes of several modules have the name of.
    #[error("{path}: `{name}` may be of module {}; write `module:{name}`", modules.join(" or "))]
    Ambiguous {
        /// The node it stands in.
        path: Path,
        /// The name of the member.
        name: String,
        /// The modules.
        modules: Vec<String>,
    },
    /// JSON of another shape than the node has.
    #[error("{path}: expected {expected}, found {found}")]
    Shape {
        /// The node.
        path: Path,
        /// What it takes.
        expected: Shape,
        /// What stands there.
        found: &'static str,
    },
    /// Values that their types do not have: all of them, in the order of the request.
    #[error("{}", crate::validate::list(.0))]
    Values(Vec<Violation>),
    /// `null`, which is no value of a leaf.
    #[error("{path}: null is no value; delete the leaf instead")]
    Null {
        /// The leaf.
        path: Path,
    },
    /// A replace of a list entry by nothing.
    #[error(
        "{path}: a list entry cannot be replaced by {{}}; delete it, or give at least its keys"
    )]
    EmptyEntry {
        /// The entry.
        path: Path,
    },
    /// An entry without one of its keys.
    #[error("{path}: an entry has no key `{key}`")]
    MissingKey {
        /// The list.
        path: Path,
        /// The key.
        key: String,
    },
    /// A key in the value that contradicts the path.
    #[error("{path}: the value says `{key}` is {found:?}")]
    WrongKey {
        /// The entry.
        path: Path,
        /// The key.
        key: String,
        /// What the value says.
        found: String,
    },
    /// The same entry, or the same member, twice.
    #[error("{path} is given twice")]
    Duplicate {
        /// Which.
        path: Path,
    },
    /// State, which cannot be configured.
    #[error("{path} is state and cannot be configured")]
    ReadOnly {
        /// The node.
        path: Path,
    },
    /// `anydata` or `anyxml`, which has no units.
    #[error("{path} is anydata, which is not supported")]
    Unsupported {
        /// The node.
        path: Path,
    },
}
