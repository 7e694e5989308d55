//! What is wanted of one target, and how far the device has followed.

use std::collections::BTreeMap;

use lockstep_types::{Configuration as Tree, Content, Index, Patch, Path, Term};
use rpds::RedBlackTreeSetSync;
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

/// How far a configuration has followed the wide transaction that holds it. The transaction's record
/// says what is so; its targets follow, each in a write of its own, and until then whoever reads the
/// configuration takes the rest from the record.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Found valid, the undo recorded: it can be decided, and is not in the committed values.
    Prepared,
    /// In the committed values. What fits one write is never anything else.
    #[default]
    Committed,
    /// Out of the committed values again.
    Turned,
}

impl Stage {
    /// Every one, in the order in which they come about.
    pub const ALL: [Self; 3] = [Self::Prepared, Self::Committed, Self::Turned];

    /// What may follow while the same transaction holds. The one table of transitions.
    #[must_use]
    pub const fn successors(self) -> &'static [Self] {
        match self {
            Self::Prepared => &[Self::Committed],
            Self::Committed => &[Self::Turned],
            Self::Turned => &[],
        }
    }

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prepared => "prepared",
            Self::Committed => "committed",
            Self::Turned => "turned",
        }
    }

    fn is_committed(&self) -> bool {
        *self == Self::Committed
    }
}

/// Whether a device has commits that it takes back unless they are confirmed, and when they are used.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Trials {
    /// It has none.
    #[default]
    Never,
    /// For a transaction with more than one target.
    Shared,
    /// For any atomic transaction.
    Always,
}

impl Trials {
    fn is_never(&self) -> bool {
        *self == Self::Never
    }
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
    /// How far the holder is here, if it is wide.
    #[serde(default, skip_serializing_if = "Stage::is_committed")]
    pub stage: Stage,
    /// Rule 9: something was withdrawn; entries up to this index have been validated again.
    pub recheck: Option<Index>,
    /// Rule 8: the device refused to be brought in line, and said this.
    pub resync_refused: Option<Failure>,
    /// The device was brought in line at least once: before that, what it holds is its own.
    #[serde(default)]
    pub met: bool,
    /// An operator wants the device left alone.
    #[serde(default, skip_serializing_if = "is_false")]
    pub paused: bool,
    /// An operator wants the device taken over from somebody else: the next term is this one at least.
    #[serde(default, skip_serializing_if = "is_no_term")]
    pub claim: Term,
    /// When the target came to be, or went: earlier entries do not count here.
    #[serde(default, skip_serializing_if = "is_never")]
    pub since: Index,
    /// An operator wants what the device has to be what is wanted of it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub adopting: bool,
    /// Who that is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub adopting_for: String,
    /// Whether the device can take something on trial, as it was when it was last brought in line.
    #[serde(default, skip_serializing_if = "Trials::is_never")]
    pub trials: Trials,
    /// Whether the device itself turns away an older master, as it was found when it was last brought in line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fenced: Option<bool>,
    /// The last trial, until the device is known to have kept it or taken it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<Index>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_no_term(term: &Term) -> bool {
    *term == Term::ZERO
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_never(since: &Index) -> bool {
    *since == Index::ZERO
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
pub(super) fn is_false(flag: &bool) -> bool {
    !flag
}

impl Header {
    /// The header of a target that nothing was ever decided about.
    pub const NEW: Self = Self {
        committed: Mark { index: Index::ZERO, revision: Index::ZERO },
        applied: Mark { index: Index::ZERO, revision: Index::ZERO },
        synced: Term::ZERO,
        holder: None,
        stage: Stage::Committed,
        recheck: None,
        resync_refused: None,
        met: false,
        paused: false,
        claim: Term::ZERO,
        since: Index::ZERO,
        adopting: false,
        adopting_for: String::new(),
        trials: Trials::Never,
        fenced: None,
        trial: None,
    };

    /// What the device has was recorded for whoever wanted it, or there was nothing to record.
    pub(crate) fn adopted(&mut self) {
        self.adopting = false;
        self.adopting_for.clear();
    }

    /// Nobody holds the commit queue any more.
    pub(crate) fn let_go(&mut self) {
        self.holder = None;
        self.stage = Stage::default();
    }
}

/// Units that a device shows in a form of its own. A record apart, since it may be long and changes
/// only when the device is brought in line.
pub type Marks = BTreeMap<Path, Rewritten>;

/// A configuration whole: its header and the trees behind it. The store writes the header and the
/// units that change; the trees live in memory. While the device has accepted all that was decided, which
/// is nearly always, both are one tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// The small part.
    pub header: Header,
    /// What was decided.
    pub committed: Tree,
    /// What the device has accepted.
    pub applied: Tree,
    /// Where the two are not the same.
    apart: RedBlackTreeSetSync<Path>,
}

impl Configuration {
    /// The configuration with these trees.
    #[must_use]
    pub fn new(header: Header, committed: Tree, applied: Tree) -> Self {
        let apart = committed.apart(&applied).collect();
        let mut whole = Self { header, committed, applied, apart };
        whole.join();
        whole
    }

    /// Puts in what one write changes. The cost follows the write.
    pub fn patch(&mut self, committed: &Patch, applied: &Patch) {
        self.committed.patch(committed);
        self.applied.patch(applied);
        for (path, _) in committed.iter().chain(applied) {
            if self.committed.unit(path) == self.applied.unit(path) {
                self.apart.remove_mut(path);
            } else {
                self.apart.insert_mut(path.clone());
            }
        }
        self.join();
    }

    /// Whether the two sides are not the same at a path.
    pub(crate) fn is_apart(&self, path: &Path) -> bool {
        self.apart.contains(path)
    }

    /// Whatever stood is gone.
    pub fn clear(&mut self) {
        (self.committed, self.applied) = (Tree::new(), Tree::new());
        self.apart = RedBlackTreeSetSync::new_sync();
    }

    fn join(&mut self) {
        if self.apart.is_empty() {
            self.applied = self.committed.clone();
        }
    }
}

#[cfg(test)]
mod tests;
