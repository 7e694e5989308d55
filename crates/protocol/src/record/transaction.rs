//! An entry of the log.

use std::collections::BTreeSet;

use lockstep_types::{Delta, Edit, Index, SessionId, Target, Timestamp, TransactionId, Undo};
use serde::{Deserialize, Serialize};

use super::configuration::is_false;
use super::{Binding, Parts, Reason, Window};

/// The end of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Head {
    /// The last index given out.
    pub index: Index,
    /// Its log time: `max(now, previous + 1 ns)`.
    pub timestamp: Timestamp,
}

/// How far back the log is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Horizon {
    /// Entries up to this one are forgotten, or about to be.
    pub index: Index,
    /// From when on it is known how things stood.
    pub since: Timestamp,
}

/// When a Rollback counts its change as the latest.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// It is the revision of each target it concerns.
    #[default]
    Target,
    /// It was the last to write each of its paths.
    Path,
    /// Its window closed without a confirm: nothing can be in the way, and the Rollback does not turn. Only
    /// nodes ask for this.
    Window,
}

/// What a transaction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Sets what its proposals say.
    Change,
    /// Takes a change out again.
    Rollback {
        /// The change.
        of: Index,
        /// When it may.
        rule: Rule,
    },
    /// Takes its targets back to how they stood after an entry of the log. What that comes to is found
    /// out at its decision; from then on it is like a Change.
    Restore {
        /// The entry.
        to: Index,
    },
    /// Records what a device has as what is wanted of it. Nothing is sent. Only masters ask for this.
    Adopt {
        /// What the device had when it was first met: it lies below every change, those included that were
        /// decided before, and is never taken out. Otherwise it lies on top, like a Change.
        first: bool,
    },
    /// A target comes to be.
    Add,
    /// A target is bound anew: to other models, to be reached elsewhere, to be treated otherwise.
    Rebind,
    /// A target goes. Its device is left alone.
    Remove,
}

impl Kind {
    /// Whether it is about the target itself. Nothing is sent to any device.
    #[must_use]
    pub const fn is_of_target(self) -> bool {
        matches!(self, Self::Add | Self::Rebind | Self::Remove)
    }

    /// Whether it writes values of its own that can be taken out again. A Rollback takes those of another
    /// out; what a device had when it was first met stays.
    #[must_use]
    pub const fn writes(self) -> bool {
        matches!(self, Self::Change | Self::Restore { .. } | Self::Adopt { first: false })
    }
}

/// How a transaction meets a device that refuses or is away.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Everywhere or nowhere; holds its targets until it has an outcome.
    #[default]
    Atomic,
    /// Each target when it can; a refusal withdraws it there alone.
    Queued,
}

/// How far a transaction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// In the log, not decided.
    Pending,
    /// Decided: in the committed values of all its targets.
    Committed,
    /// Every device has it on trial and nothing can go wrong any more: each is told to keep it.
    Confirming,
    /// Turned: out of the committed values, being undone.
    Reverting,
    /// Outcome: applied on every target.
    Applied,
    /// Outcome of a queued one: withdrawn on at least one target.
    Partial,
    /// Outcome: decided against, or past its deadline before it could be decided.
    Rejected,
    /// Outcome of an atomic one: its effects are gone everywhere.
    Reverted,
    /// Outcome: cancelled before it had any effect.
    Cancelled,
}

impl Status {
    /// Every one, in the order in which they come about.
    pub const ALL: [Self; 9] = [
        Self::Pending,
        Self::Committed,
        Self::Confirming,
        Self::Reverting,
        Self::Applied,
        Self::Partial,
        Self::Rejected,
        Self::Reverted,
        Self::Cancelled,
    ];

    /// Whether this is an outcome, after which nothing about the transaction changes.
    #[must_use]
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Pending | Self::Committed | Self::Confirming | Self::Reverting)
    }

    /// The word for it, wherever a person or a program reads it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Committed => "committed",
            Self::Confirming => "confirming",
            Self::Reverting => "reverting",
            Self::Applied => "applied",
            Self::Partial => "partial",
            Self::Rejected => "rejected",
            Self::Reverted => "reverted",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether it was decided for and stands: its changes count as live.
    #[must_use]
    pub const fn stands(self) -> bool {
        matches!(self, Self::Committed | Self::Confirming | Self::Applied | Self::Partial)
    }

    /// What may follow. The one table of transitions: code, docs and tests read it.
    #[must_use]
    pub const fn successors(self) -> &'static [Self] {
        match self {
            // What is about a target itself needs no device.
            Self::Pending => &[Self::Committed, Self::Applied, Self::Rejected, Self::Cancelled],
            Self::Committed => &[
                Self::Applied,
                Self::Partial,
                Self::Confirming,
                Self::Reverting,
                Self::Reverted,
                Self::Cancelled,
            ],
            Self::Confirming => &[Self::Applied],
            Self::Reverting => &[Self::Reverted],
            _ => &[],
        }
    }
}

/// How far a proposal is on its target.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum PartStatus {
    /// Not recorded. The head of the apply queue may have reached the device all the same.
    #[default]
    Pending,
    /// The device has it on trial, and takes it back by itself unless it is told to keep it.
    Accepted,
    /// The device accepted it.
    Applied,
    /// The device refused it; its atomic transaction turned.
    Refused,
    /// Taken out on this target alone.
    Withdrawn,
    /// Undone with its transaction.
    Undone,
}

impl PartStatus {
    /// Every one, in the order in which they come about.
    pub const ALL: [Self; 6] = [
        Self::Pending,
        Self::Accepted,
        Self::Applied,
        Self::Refused,
        Self::Withdrawn,
        Self::Undone,
    ];

    /// What may follow. The one table of transitions: code, docs and tests read it.
    #[must_use]
    pub const fn successors(self) -> &'static [Self] {
        match self {
            Self::Pending => {
                &[Self::Accepted, Self::Applied, Self::Refused, Self::Withdrawn, Self::Undone]
            }
            Self::Accepted => &[Self::Pending, Self::Applied, Self::Undone],
            Self::Applied => &[Self::Undone],
            Self::Refused | Self::Withdrawn | Self::Undone => &[],
        }
    }

    /// The word for it, wherever a person or a program reads it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Accepted => "accepted",
            Self::Applied => "applied",
            Self::Refused => "refused",
            Self::Withdrawn => "withdrawn",
            Self::Undone => "undone",
        }
    }
}

/// A transaction's state on one of its targets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Part {
    /// How far.
    pub status: PartStatus,
    /// Why, where it did not go well here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The Rollback, committed or applied, that took this change out here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolled_back_by: Option<Index>,
}

impl Part {
    /// The status as people are told of it. What a device refused of a queued one is withdrawn there like what was
    /// called off, or did not fit any more; whoever looks wants to know which of them it was.
    #[must_use]
    pub const fn told(&self) -> PartStatus {
        match (self.status, &self.reason) {
            (PartStatus::Withdrawn, Some(Reason::Refused { .. })) => PartStatus::Refused,
            (status, _) => status,
        }
    }
}

/// What a transaction asks of one target and what that came to. A Rollback has none: its effect is
/// read off the proposal it takes out, which may be relinked until the last moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Proposal {
    /// What the client asked.
    pub edit: Edit,
    /// By unit of state, from the decision on.
    pub delta: Delta,
    /// What stood before, from the decision on.
    pub undo: Undo,
}

/// The author of what nodes do by themselves: a change that was not confirmed in time is taken out, what a device has
/// is adopted because its binding says so. Nobody else is let in by this name.
pub const ITSELF: &str = "lockstep";

/// An entry of the log: what it is and how far it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Transaction {
    /// Its place.
    pub index: Index,
    /// The client's id for it, or the node's.
    pub id: TransactionId,
    /// What it does.
    pub kind: Kind,
    /// Atomic or queued.
    pub mode: Mode,
    /// The session of the node that took it in, which carries it on while it lives.
    pub origin: SessionId,
    /// Who asked; [`ITSELF`], where nobody did. Empty: somebody who did not have to say who they are.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// What for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// A Rollback or a Restore: the targets that were named. Empty: all that it may concern.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub only: BTreeSet<Target>,
    /// It is taken out again unless it is confirmed in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// What its target is bound to, if it comes to be or is bound anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding: Option<Box<Binding>>,
    /// Log time of Submit.
    pub submitted: Timestamp,
    /// Log time after which it is rejected or turns.
    pub deadline: Timestamp,
    /// When it was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<Timestamp>,
    /// When it had its outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<Timestamp>,
    /// How far it is.
    pub status: Status,
    /// Why, where it did not go well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Its targets. A Rollback narrows them, at its decision, to those it concerns.
    pub targets: Parts,
    /// It has more targets than one write holds: each part is a record of its own, and the targets
    /// follow what this record says.
    #[serde(default, skip_serializing_if = "is_false")]
    pub wide: bool,
    /// Decided to be tried on every device before any of them keeps it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub trial: bool,
    /// A wide queued one that was cancelled: it is withdrawn wherever it is pending.
    #[serde(default, skip_serializing_if = "is_false")]
    pub called_off: bool,
    /// How often it had to be prepared again on a target because a change below it was withdrawn: a
    /// decision made on what was prepared before cannot be written.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub disturbed: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Transaction {
    /// Whether it holds its targets until it has an outcome.
    #[must_use]
    pub fn is_atomic(&self) -> bool {
        self.mode == Mode::Atomic
    }

    /// Whether passing its deadline would still change anything.
    #[must_use]
    pub fn has_deadline(&self) -> bool {
        match self.status {
            Status::Pending => true,
            Status::Committed => self.is_atomic() && !self.is_revert(),
            _ => false,
        }
    }

    /// The state on one target; pending where there is none.
    #[must_use]
    pub fn part(&self, target: &Target) -> PartStatus {
        self.targets.get(target).map_or(PartStatus::Pending, |part| part.status)
    }

    /// When its effect on a target came to be seen by readers; none: it is not seen.
    #[must_use]
    pub fn visible_since(&self, target: &Target) -> Option<Timestamp> {
        let part = self.targets.get(target)?.status;
        let there = matches!(part, PartStatus::Pending | PartStatus::Applied);
        match (self.mode, self.status) {
            (Mode::Queued, status) if status.stands() && there => self.decided,
            (Mode::Atomic, Status::Applied) => self.finished,
            _ => None,
        }
    }

    /// Whether it is one whose values count as committed on `target`.
    #[must_use]
    pub fn is_live(&self, target: &Target) -> bool {
        self.kind.writes()
            && self.status.stands()
            && self.targets.get(target).is_some_and(|part| {
                part.rolled_back_by.is_none()
                    && matches!(part.status, PartStatus::Pending | PartStatus::Applied)
            })
    }
}
