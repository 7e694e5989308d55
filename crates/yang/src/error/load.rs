//! Why a model set cannot be used.

use std::fmt;
use std::path::PathBuf;

use crate::nearest::hint;

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
    /// A file whose text is not UTF-8, as that of YANG files is.
    #[error(
        "{}, line {line}: byte {position} of the file is not UTF-8, as YANG is written in (RFC 7950); \
         convert it to UTF-8, or take it out of the folder",
        path.display()
    )]
    Encoding {
        /// The file.
        path: PathBuf,
        /// The line with the byte.
        line: usize,
        /// The first byte that is not UTF-8, counted from 0.
        position: usize,
    },
    /// A place in which the modules cannot be laid out for libyang.
    #[error(
        "cannot lay out the modules for libyang in {}: {source}; it takes a folder that can be \
         written to, which TMPDIR names",
        path.display()
    )]
    Stage {
        /// The folder for what is needed for a while.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
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
    /// An expression that libyang would not survive.
    #[error("{}, line {line}: `{expression}` cannot be used: {reason}", path.display())]
    Expression {
        /// The file.
        path: PathBuf,
        /// The line that the statement starts in.
        line: usize,
        /// The expression.
        expression: String,
        /// Why not.
        reason: String,
    },
    /// Conditions (`when`) that libyang would not survive.
    #[error(
        "the condition of {node} depends on {other}, which has one as well; libyang cannot tell which \
         to look at first, because {holder}, which it is in, may go by a condition of its own"
    )]
    Conditions {
        /// The node in question.
        node: String,
        /// What it is in.
        holder: String,
        /// What it reads.
        other: String,
    },
    /// The modules are not valid; in libyang's words.
    #[error("the modules do not compile: {}", all(faults))]
    Invalid {
        /// Every error, in the order met.
        faults: Vec<Fault>,
    },
}

/// One thing that is wrong with a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file, if it is known.
    pub path: Option<PathBuf>,
    /// The line in it.
    pub line: Option<usize>,
    /// The place in the models, as libyang writes it.
    pub at: Option<String>,
    /// What is wrong, in libyang's words.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.path, self.line) {
            (Some(path), Some(line)) => write!(f, "{}, line {line}: ", path.display())?,
            (Some(path), None) => write!(f, "{}: ", path.display())?,
            (None, Some(line)) => write!(f, "line {line}: ")?,
            (None, None) => {}
        }
        write!(f, "{}", self.message)?;
        self.at.as_ref().map_or(Ok(()), |at| write!(f, " ({at})"))
    }
}

fn all(faults: &[Fault]) -> String {
    faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("; ")
}
