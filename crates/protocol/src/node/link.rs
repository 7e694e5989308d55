//! A node's side of one connection to a device: at most one request at a time.

use lockstep_types::{
    Configuration as Tree, Connection, Delta, Index, Sequence, Target, Term, Timestamp,
};

use super::Node;
use crate::command::{Ask, Command};
use crate::record::{Failure, Marks, Trials};

/// A Set that brings a device in line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Push {
    /// What is sent.
    pub delta: Delta,
    /// The apply head whose units were left alone where the device already has them.
    pub over: Option<Index>,
    /// The apply head that goes with it (rule 8).
    pub head: Option<Index>,
}

/// What a device's answer comes to, to be recorded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It holds the applied values.
    Synced {
        /// The apply head that was overlaid.
        over: Option<Index>,
        /// The apply head that was sent along.
        head: Option<Index>,
        /// Units it shows in a form of its own.
        marks: Marks,
    },
    /// It would not be brought in line.
    ResyncRefused(Failure),
    /// It accepted the apply head.
    Applied(Index),
    /// It refused the apply head.
    Refused(Index, Failure),
    /// It has the apply head on trial.
    Accepted(Index),
    /// It kept the trial or took it back, as it was told; or had none.
    Settled {
        /// The trial.
        index: Index,
        /// Whether the device had it.
        had_it: bool,
    },
    /// It took the undo, or refused it.
    Undone(Index, Option<Failure>),
    /// It has this, which is to be what is wanted of it.
    Seen(Tree),
    /// It listens to somebody else.
    Fenced,
    /// It did from the beginning, and took no notice of the claim of this term.
    Unheard(Term),
}

impl Outcome {
    /// The transaction for which the device did what was asked of it.
    pub(super) fn done(&self) -> Option<Index> {
        match self {
            Self::Applied(index) | Self::Accepted(index) | Self::Undone(index, None) => {
                Some(*index)
            }
            Self::Settled { index, had_it: true } => Some(*index),
            _ => None,
        }
    }
}

/// What is under way with a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Work {
    /// Nothing.
    #[default]
    Idle,
    /// Resync: shutting out older masters.
    Claiming,
    /// Resync: having the last trial kept or taken back.
    Clearing {
        /// Why the claim was refused, if it was: then that is tried again.
        refused: Option<Failure>,
    },
    /// Resync: reading what the device holds.
    Reading,
    /// Resync: sending the difference to what was read.
    Pushing(Push, Tree),
    /// Resync: reading what the device made of it.
    Verifying(Push),
    /// Reading what the device has, which may not be what is wanted of it.
    Looking,
    /// Sending the apply head.
    Applying(Index),
    /// Sending an undo.
    Undoing(Index),
    /// Having a trial kept or taken back.
    Settling(Index),
    /// Answered; the answer is to be recorded.
    Answered(Outcome),
}

impl Work {
    /// Whether it changes the device.
    #[must_use]
    pub fn is_set(&self) -> bool {
        match self {
            Self::Pushing(..) | Self::Applying(_) | Self::Undoing(_) => true,
            Self::Settling(_) | Self::Clearing { .. } => true,
            Self::Idle
            | Self::Claiming
            | Self::Reading
            | Self::Looking
            | Self::Verifying(_)
            | Self::Answered(_) => false,
        }
    }

    /// The transaction that it is about, if it is about one.
    #[must_use]
    pub fn about(&self) -> Option<Index> {
        match self {
            Self::Applying(index) | Self::Undoing(index) | Self::Settling(index) => Some(*index),
            Self::Pushing(push, _) | Self::Verifying(push) => push.head,
            Self::Idle
            | Self::Claiming
            | Self::Clearing { .. }
            | Self::Reading
            | Self::Looking
            | Self::Answered(_) => None,
        }
    }

    /// Whether it looks at a device that may not be in line, or brings it there. Where that comes to nothing,
    /// it is not forgotten: the store may say that the device is in line.
    #[must_use]
    pub fn sees_to_drift(&self) -> bool {
        matches!(self, Self::Looking | Self::Pushing(..) | Self::Verifying(_))
    }

    /// Whether an answer of the device is due.
    #[must_use]
    pub fn is_outstanding(&self) -> bool {
        !matches!(self, Self::Idle | Self::Answered(_))
    }
}

/// When a device is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Retry {
    /// Not before.
    pub at: Timestamp,
    /// Failures in a row.
    pub failures: u32,
}

/// A node's link to a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Link {
    /// The connection in use, or last in use.
    pub connection: Connection,
    /// Whether it is up.
    pub up: bool,
    /// The last request's number.
    pub sequence: Sequence,
    /// What is under way.
    pub work: Work,
    /// Not before then.
    pub retry: Option<Retry>,
    /// Whether the device can take something on trial.
    pub trials: Trials,
    /// Whether the device itself turns away an older master; none: it has not taken a claim yet.
    pub fenced: Option<bool>,
    /// The device has taken a claim of this session.
    pub heard: bool,
    /// The last term of this node.
    pub term: Term,
    /// What this node or an older master sent may still land: nobody waited for the end of it.
    pub unsettled: bool,
    /// By then all of it has landed that ever will, on a device that turns nobody away.
    pub quiet: Option<Timestamp>,
    /// The device was changed behind our back, and nobody has begun to look at it since.
    pub drifted: bool,
}

impl Link {
    /// The connection is gone, and with it what was under way and what was waited for.
    pub(super) fn down(&mut self) {
        self.up = false;
        self.drifted = false;
        self.retry = None;
        self.drop_work();
    }

    /// Nobody waits any more for what is under way.
    pub(super) fn drop_work(&mut self) {
        let work = std::mem::take(&mut self.work);
        self.unsettled |= work.is_set();
    }
}

impl Node {
    /// Sends a request on the target's link, unless this node's lease may have ended.
    pub(super) fn send(
        &mut self,
        target: &Target,
        term: Term,
        ask: Ask,
        work: Work,
        out: &mut Vec<Command>,
    ) {
        let leased = self.desk.now < self.desk.lease;
        let paused = self.view.header(target).paused;
        let Some(mut link) = self.desk.links.get_mut(target) else { return };
        if !leased || paused {
            // Another master may be writing by now, or it is to be left alone. Woken again when the lease
            // is, or when it is resumed.
            link.drifted |= work.sees_to_drift();
            link.work = Work::Idle;
            return;
        }
        if matches!(work, Work::Reading | Work::Looking) {
            // What becomes known from here on may be later than what is seen.
            link.drifted = false;
        }
        link.sequence = link.sequence.next();
        link.work = work;
        out.push(Command::Send {
            target: target.clone(),
            connection: link.connection,
            sequence: link.sequence,
            term,
            ask,
        });
    }

    pub(super) fn set_work(&mut self, target: &Target, work: Work) {
        if let Some(mut link) = self.desk.links.get_mut(target) {
            link.work = work;
        }
    }

    /// The device is left alone for a while.
    pub(super) fn back_off(&mut self, target: &Target) {
        let now = self.desk.now;
        if let Some(mut link) = self.desk.links.get_mut(target) {
            let failures = link.retry.map_or(0, |retry| retry.failures);
            let at = now.after(self.settings.wait(failures));
            let failures = failures.saturating_add(1).min(self.settings.backoff_doublings);
            link.retry = Some(Retry { at, failures });
        }
    }

    /// A device that turns no older master away has taken our claim. It is read once nothing that was
    /// sent before can change it any more; until then it is left alone, and claimed again after that.
    pub(super) fn is_quiet(&mut self, target: &Target, wait: u64) -> bool {
        let now = self.desk.now;
        let Some(mut link) = self.desk.links.get_mut(target) else { return false };
        if std::mem::take(&mut link.unsettled) {
            link.quiet = Some(now.after(wait));
        }
        let quiet = link.quiet.filter(|quiet| now < *quiet);
        link.quiet = quiet;
        link.retry = quiet.map(|at| Retry { at, failures: 0 }).or(link.retry);
        quiet.is_none()
    }

    pub(super) fn end_back_off(&mut self, target: &Target) {
        if let Some(mut link) = self.desk.links.get_mut(target) {
            link.retry = None;
        }
    }
}
