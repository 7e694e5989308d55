//! How a target stands, in the words that users are shown.

use lockstep_protocol::View;
use lockstep_southbound::Fencing;
use lockstep_types::{Content, Index, NodeName, Target, Term};

use crate::target::Source;
use crate::targets::Entry;
use lockstep_protocol::record::{Difference, Drifted};

/// What a target is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No node is connected to it.
    Pending,
    /// It is being read and brought in line.
    Synchronising,
    /// It holds what was applied.
    Synchronised,
    /// It was changed behind our back.
    Drifted,
    /// It is left alone.
    Paused,
    /// It will not be brought in line.
    Failed,
}

impl State {
    /// Every one.
    pub const ALL: [Self; 6] = [
        Self::Pending,
        Self::Synchronising,
        Self::Synchronised,
        Self::Drifted,
        Self::Paused,
        Self::Failed,
    ];

    /// What a target is at, with what it was heard to differ in.
    pub(crate) fn of(target: &Target, entry: Option<&Entry>, view: &View, drift: Drifted) -> Self {
        state(target, entry, view, &Seen { drift, ..Seen::default() }).0
    }

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Synchronising => "synchronising",
            Self::Synchronised => "synchronised",
            Self::Drifted => "drifted",
            Self::Paused => "paused",
            Self::Failed => "failed",
        }
    }
}

/// How a target stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetStatus {
    /// Its name.
    pub name: Target,
    /// Where it is; empty if the node was not told.
    pub address: String,
    /// Whether a node is connected to it.
    pub connected: bool,
    /// The node that may write to it.
    pub master: Option<NodeName>,
    /// Grows with every new master and every new connection.
    pub term: Term,
    /// What it is at.
    pub state: State,
    /// Why, where it is not well.
    pub reason: Option<String>,
    /// Who turns away an older master; none: not known to this node.
    pub fencing: Option<Fencing>,
    /// Where it is not as applied: the first such places.
    pub drift: Vec<Difference>,
    /// How many more there are.
    pub drift_more: usize,
    /// The last transaction considered for what is wanted of it.
    pub committed: Index,
    /// The last transaction considered for what it has accepted.
    pub applied: Index,
    /// The name of its model set.
    pub model: String,
    /// To find it by.
    pub tags: Vec<String>,
    /// Who says that there is such a target.
    pub source: Source,
}

/// What this node has seen of a device itself.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Why there is no connection; none: there is one.
    pub(crate) failure: Option<String>,
    /// What the device does not answer, or is too busy for.
    pub(crate) trouble: Option<String>,
    /// Who turns away an older master.
    pub(crate) fencing: Option<Fencing>,
    /// Where it is not as applied.
    pub(crate) drift: Drifted,
}

impl TargetStatus {
    pub(crate) fn of(target: &Target, entry: Option<&Entry>, view: &View, seen: Seen) -> Self {
        let header = view.header(target);
        let known = entry.map(|entry| entry.known.clone()).unwrap_or_default();
        let master = view.master(target).and_then(|master| master.session.as_ref());
        let (state, reason) = state(target, entry, view, &seen);
        Self {
            name: target.clone(),
            address: known.address,
            connected: master.is_some(),
            master: master.and_then(|session| view.node(session)).cloned(),
            term: view.mastership(target).map(|mastership| mastership.term).unwrap_or_default(),
            state,
            reason,
            fencing: seen.fencing,
            drift: seen.drift.first,
            drift_more: seen.drift.more,
            committed: header.committed.index,
            applied: header.applied.index,
            model: known.model,
            tags: known.tags,
            source: known.source,
        }
    }
}

fn state(
    target: &Target,
    entry: Option<&Entry>,
    view: &View,
    seen: &Seen,
) -> (State, Option<String>) {
    match entry.and_then(|entry| entry.unserved.as_ref()) {
        None => state_anywhere(target, view, seen),
        Some(unserved) if view.master(target).is_none() => {
            (unserved.state, Some(unserved.reason.clone()))
        }
        // Another node sees to it; that this one does not is to be known all the same.
        Some(unserved) => {
            let (state, reason) = state_anywhere(target, view, seen);
            (state, reason.or_else(|| Some(unserved.reason.clone())))
        }
    }
}

fn state_anywhere(target: &Target, view: &View, seen: &Seen) -> (State, Option<String>) {
    if view.header(target).paused {
        return (State::Paused, Some("an operator paused it".into()));
    }
    if view.master(target).is_none() {
        return (State::Pending, seen.failure.clone());
    }
    match &view.header(target).resync_refused {
        _ if view.is_synchronised(target) => match drifted(&seen.drift) {
            Some(reason) if seen.drift.given_up => (State::Failed, Some(given_up(&reason))),
            Some(reason) => (State::Drifted, Some(reason)),
            None => (State::Synchronised, None),
        },
        Some(refused) => (State::Failed, Some(format!("{}: {}", refused.code, refused.message))),
        None => (State::Synchronising, seen.trouble.clone()),
    }
}

fn given_up(reason: &str) -> String {
    format!(
        "{reason}; it was changed back three times in a row, and is left so: find out who changes it, \
         then `lockstep target sync`, or `lockstep target adopt`"
    )
}

/// A device that was changed behind our back, in a line.
fn drifted(drift: &Drifted) -> Option<String> {
    let first = drift.first.first()?;
    let shown = |content: &Option<Content>| match content {
        Some(Content::Leaf(value)) => format!("`{value}`"),
        Some(_) => "there".into(),
        None => "absent".into(),
    };
    let Difference { path, shows, wanted } = first;
    let more = match drift.first.len() - 1 + drift.more {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Some(format!("{path} is {}, applied is {}{more}", shown(shows), shown(wanted)))
}
