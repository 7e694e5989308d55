//! Who may come in, and what they may do there: the rules, as an operator writes them.
//!
//! ```text
//!   call ── identity: who is it? ──► rules: which roles has it? ──► grants on a target ──► paths
//! ```
//!
//! Without users, tokens and roles nobody is asked. With users or tokens everybody is, and may do
//! everything. With roles everybody may do what a role gives, and nothing else.

mod glob;
mod grants;
mod pattern;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

pub use glob::Glob;
pub use pattern::{Pattern, PatternError};

pub(crate) use grants::{Extent, Grants};

use crate::identity::Issuer;

/// What a role may give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// Get, Subscribe, and how targets and transactions stand.
    Read,
    /// Set.
    Change,
    /// All that operators do: rollback, restore, confirm, cancel, and orders about targets.
    Operate,
    /// Values of `secret-paths` in clear.
    ReadSecrets,
}

impl Right {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Read, Self::Change, Self::Operate, Self::ReadSecrets];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Change => "change",
            Self::Operate => "operate",
            Self::ReadSecrets => "read-secrets",
        }
    }
}

/// Rights for some, on some targets, at some paths.
#[derive(Clone, Debug)]
pub struct Role {
    /// Its name.
    pub name: String,
    /// What it gives.
    pub may: BTreeSet<Right>,
    /// To whom, by name.
    pub users: Vec<Glob>,
    /// And to whom else, by group.
    pub groups: Vec<Glob>,
    /// On which targets, by name; empty: on all.
    pub targets: Vec<Glob>,
    /// On which of those, by tag; empty: on all.
    pub tags: BTreeSet<String>,
    /// At which paths there; empty: at all.
    pub paths: Vec<Pattern>,
}

/// Somebody with a password.
#[derive(Clone, PartialEq, Eq)]
pub struct User {
    /// The hash of the password, as a PHC string.
    pub hash: String,
    /// What else a role may know them by.
    pub groups: BTreeSet<String>,
}

impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User").field("groups", &self.groups).finish_non_exhaustive()
    }
}

/// The rules.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// By name.
    pub users: BTreeMap<String, User>,
    /// Whose tokens are believed.
    pub tokens: Vec<Issuer>,
    /// What everybody may do.
    pub roles: Vec<Role>,
}

impl Rules {
    /// Whether nobody is asked who they are.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.users.is_empty() && self.tokens.is_empty() && self.roles.is_empty()
    }
}

/// Reads rules again: gives them, and the files that they came from.
pub type Reader = dyn Fn() -> Result<(Rules, Vec<PathBuf>), String> + Send + Sync;

/// Where rules come from, to be read again.
#[derive(Clone)]
pub struct Source {
    /// Reads them.
    pub read: Arc<Reader>,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Source")
    }
}

/// Where the audit goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditTo {
    /// To a file, line by line.
    File(PathBuf),
    /// To the log.
    Log,
}

/// Everything about who may do what.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The rules at the start.
    pub rules: Rules,
    /// The files that they came from.
    pub files: Vec<PathBuf>,
    /// Where they are read again; none: they stay as they are.
    pub source: Option<Source>,
    /// What is shown to those alone who may read secrets.
    pub secret_paths: Vec<Pattern>,
    /// Where it is written down who did what; none: nowhere.
    pub audit: Option<AuditTo>,
    /// Whether reads are written down, too.
    pub audit_reads: bool,
    /// How many calls a second one identity may make; none: any number.
    pub rate: Option<u32>,
}
