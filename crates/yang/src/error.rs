//! Why a model set, a path or a value is refused.

use std::path::PathBuf;

use lockstep_types::Path;

/// Why a model set cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file or folder that cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A path that libyang cannot be given.
    #[error("{} is not UTF-8", path.display())]
    NotUtf8 {
        /// Which.
        path: PathBuf,
    },
    /// No module to load.
    #[error("there is no YANG module in {}", path.display())]
    NoModules {
        /// The folder.
        path: PathBuf,
    },
    /// A module that was asked for and is not there.
    #[error("there is no module {module} in {}{}", path.display(), hint(.nearest))]
    UnknownModule {
        /// The name.
        module: String,
        /// The folder.
        path: PathBuf,
        /// A module that is there and has nearly that name.
        nearest: Option<String>,
    },
    /// A feature that is not of the form `module:feature`, or of a module that is not loaded.
    #[error(
        "feature {feature:?} does not name a module that is loaded; write `module:feature`, `module:*` or `*`"
    )]
    Feature {
        /// What was asked for.
        feature: String,
    },
    /// The modules are not valid; in libyang's words.
    #[error("the modules do not compile: {}", messages.join("; "))]
    Invalid {
        /// Every error, in the order met.
        messages: Vec<String>,
    },
}

fn hint(name: &Option<String>) -> String {
    name.as_ref().map(|name| format!("; did you mean {name}?")).unwrap_or_default()
}

/// Why a path does not stand in the models, or cannot stand where it was given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The models have no such node.
    #[error("{path}: there is no `{name}` {} in these models", at(.parent))]
    Unknown {
        /// The whole path.
        path: Path,
        /// The element that is not there.
        name: String,
        /// What it was looked for in.
        parent: Path,
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
    #[error("{path}: `{name}` has no key `{key}`")]
    UnknownKey {
        /// The whole path.
        path: Path,
        /// The element.
        name: String,
        /// The key.
        key: String,
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
    #[error("{path}: there is no `{name}` here in these models")]
    Unknown {
        /// The node it stands in.
        path: Path,
        /// The name of the member.
        name: String,
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
    /// A value that the type does not have.
    #[error("{path}: {message}")]
    Value {
        /// The leaf.
        path: Path,
        /// What is wrong, in libyang's words.
        message: String,
    },
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

/// Why operations are refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The path of an operation.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The value of an operation.
    #[error(transparent)]
    Data(DataError),
}

/// A path that is refused is that, also when it was found while data was read.
impl From<DataError> for EditError {
    fn from(error: DataError) -> Self {
        match error {
            DataError::Path(error) => Self::Path(error),
            error => Self::Data(error),
        }
    }
}
