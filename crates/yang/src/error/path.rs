//! Why a path is refused.

use lockstep_types::Path;

use crate::nearest::hint;

/// Why a path does not stand in the models, or cannot stand where it was given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The models have no such node.
    #[error("{path}: there is no `{name}` {} in these models{}", at(.parent), hint(.nearest))]
    Unknown {
        /// The whole path.
        path: Path,
        /// The element that is not there.
        name: String,
        /// What it was looked for in.
        parent: Path,
        /// What there is instead that may have been meant.
        nearest: Option<String>,
    },
    /// Nodes of several modules have this name.
    #[error("{path}: `{name}` may be of module {}; write `module:{name}`", modules.join(" or "))]
    Ambiguous {
        /// The whole path.
        path: Path,
        /// The element.
        name: String,
        /// The modules.
        modules: Vec<String>,
    },
    /// A key is left out where one entry has to be named.
    #[error("{path}: list `{list}` needs its key `{key}`")]
    MissingKey {
        /// The whole path.
        path: Path,
        /// The list.
        list: String,
        /// The key.
        key: String,
    },
    /// A key that the list does not have, or keys on what is no list.
    #[error("{path}: `{name}` has no key `{key}`{}", hint(.nearest))]
    UnknownKey {
        /// The whole path.
        path: Path,
        /// The element.
        name: String,
        /// The key.
        key: String,
        /// What there is instead that may have been meant.
        nearest: Option<String>,
    },
    /// A value that the key's type does not have.
    #[error("{path}: key `{key}`: {message}")]
    WrongKey {
        /// The whole path.
        path: Path,
        /// The key.
        key: String,
        /// What is wrong, in libyang's words.
        message: String,
    },
    /// A wildcard where one node has to be named.
    #[error("{path}: a wildcard cannot stand here")]
    Wildcard {
        /// The whole path.
        path: Path,
    },
    /// State, which cannot be configured.
    #[error("{path} is state and cannot be configured")]
    ReadOnly {
        /// The path.
        path: Path,
    },
    /// The key of a list entry, which lives and goes with the entry.
    #[error("{path} is the key of a list entry; delete the entry instead")]
    Key {
        /// The path.
        path: Path,
    },
    /// Content that does not fit the node at the path.
    #[error("{path} is not where this kind of content stands")]
    Content {
        /// The path.
        path: Path,
    },
    /// `anydata` or `anyxml`, which has no units.
    #[error("{path} is anydata, which is not supported")]
    Unsupported {
        /// The path.
        path: Path,
    },
}

fn at(parent: &Path) -> String {
    if parent.is_root() { "at the top".to_owned() } else { format!("in {parent}") }
}
