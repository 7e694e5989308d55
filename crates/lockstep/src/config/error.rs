//! What can be wrong with a configuration file.

use std::path::PathBuf;

/// Why a configuration file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// It cannot be read.
    #[error("cannot read {path}: {error}", path = .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// It says something that cannot be done.
    #[error("{path}: {problem}", path = .path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What.
        problem: Problem,
    },
}

/// What a configuration file says that cannot be done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    /// It is not YAML.
    #[error("not YAML: {0}")]
    Syntax(String),
    /// A variable of the environment that is not set.
    #[error("{at} takes its value from ${name}, which is not set")]
    Unset {
        /// Where.
        at: String,
        /// The variable.
        name: String,
    },
    /// A key that nobody knows.
    #[error("{at}unknown key `{key}`; {hint}", at = place(.at))]
    UnknownKey {
        /// In which map; empty: at the top.
        at: String,
        /// The key.
        key: String,
        /// The nearest known one, or all of them.
        hint: String,
    },
    /// A value of the wrong kind.
    #[error("{at}{message}", at = place(.at))]
    Value {
        /// Where.
        at: String,
        /// What is wrong.
        message: String,
    },
    /// Something this version cannot do.
    #[error("{at}not implemented yet: {what}", at = place(.at))]
    Unimplemented {
        /// Where.
        at: String,
        /// What.
        what: String,
    },
}

impl Problem {
    pub(super) fn value(at: impl Into<String>, message: impl ToString) -> Self {
        Self::Value { at: at.into(), message: message.to_string() }
    }

    pub(super) fn unimplemented(at: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Unimplemented { at: at.into(), what: what.into() }
    }
}

fn place(at: &str) -> String {
    if at.is_empty() || at == "." { String::new() } else { format!("{at}: ") }
}
