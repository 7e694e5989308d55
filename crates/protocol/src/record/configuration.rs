//! What is wanted of one target, and how far the device has followed.

use std::collections::BTreeMap;

use lockstep_types::{Configuration as Tree, Content, Index, Path, Term};
use serde::{Deserialize, Serialize};

use super::Failure;

/// How far one side, committed or applied, has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mark {
    /// The last transaction considered. Never goes back.
    pub index: Index,
    /// The latest live change.
    pub revision: Index,
}

/// What a device makes of a value: pushed once, read back different, not pushed again (rule 8).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rewritten {
    /// What was pushed; when this changes the mark is void.
    pub wanted: Option<Content>,
    /// What the device shows instead.
    pub seen: Option<Content>,
}

/// The small, often written part of a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Header {
    /// What was decided.
    pub committed: Mark,
    /// What the device has accepted.
    pub applied: Mark,
    /// The term in which the device was last brought in line; zero: it must be read again first.
    pub synced: Term,
    /// The open atomic transaction that holds the commit queue.
    pub holder: Option<Index>,
    /// Rule 9: something was withdrawn; entries up to this index have been validated again.
    pub recheck: Option<Index>,
    /// Rule 8: the device refused to be brought in line, and said this.
    pub resync_refused: Option<Failure>,
    /// The device was brought in line at least once: before that, what it holds is its own.
    #[serde(default)]
    pub met: bool,
}

impl Header {
    /// The header of a target that nothing was ever decided about.
    pub const NEW: Self = Self {
        committed: Mark { index: Index::ZERO, revision: Index::ZERO },
        applied: Mark { index: Index::ZERO, revision: Index::ZERO },
        synced: Term::ZERO,
        holder: None,
        recheck: None,
        resync_refused: None,
        met: false,
    };
}

/// Units that a device shows in a form of its own. A record apart, since it may be long and changes
/// only when the device is brought in line.
pub type Marks = BTreeMap<Path, Rewritten>;

/// A configuration whole: its header and the trees behind it. The store writes the header and the
/// units that change; the trees live in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// The small part.
    pub header: Header,
    /// What was decided.
    pub committed: Tree,
    /// What the device has accepted.
    pub applied: Tree,
}
