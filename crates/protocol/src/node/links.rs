//! A node's links to devices, and which of them the clock concerns: with thousands of devices, nobody passes over all
//! of them at each event.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Bound, Deref, DerefMut};

use lockstep_types::{Index, Target, Timestamp};

use super::link::{Link, Work};

/// Targets, by what they are found by.
type By<K> = BTreeMap<K, BTreeSet<Target>>;

/// Every link, by target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Links {
    all: BTreeMap<Target, Link>,
    found: Found,
}

/// What there is to be found without looking at every link. Says nothing that the links do not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Found {
    /// The devices that are tried again, by when.
    retries: By<Timestamp>,
    /// The devices that a transaction is being sent to.
    applying: By<Index>,
    /// The devices that did what was asked of them for a transaction, which is to be recorded.
    done: By<Index>,
}

impl Links {
    pub(super) fn get(&self, target: &Target) -> Option<&Link> {
        self.all.get(target)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &Target> {
        self.all.keys()
    }

    /// The link to a target, to be changed.
    pub(super) fn get_mut(&mut self, target: &Target) -> Option<Change<'_>> {
        let link = self.all.get_mut(target)?;
        Some(Change::begin(target, link, &mut self.found))
    }

    /// The link to a target, which is made if there is none.
    pub(super) fn make(&mut self, target: &Target) -> Change<'_> {
        let link = self.all.entry(target.clone()).or_default();
        Change::begin(target, link, &mut self.found)
    }

    /// The devices that are to be tried again after the one time, and no later than the other.
    pub(super) fn retried(&self, after: Timestamp, by: Timestamp) -> impl Iterator<Item = &Target> {
        let due = (after < by).then_some((Bound::Excluded(after), Bound::Included(by)));
        let due = due.into_iter().flat_map(|due| self.found.retries.range(due));
        due.flat_map(|(_, targets)| targets)
    }

    /// When a device is next to be tried again, after this time.
    pub(super) fn next_retry(&self, after: Timestamp) -> Option<Timestamp> {
        let later = (Bound::Excluded(after), Bound::Unbounded);
        self.found.retries.range(later).next().map(|(at, _)| *at)
    }

    /// The devices that a transaction is being sent to.
    pub(super) fn applying(&self, index: Index) -> impl Iterator<Item = &Target> {
        self.found.applying.get(&index).into_iter().flatten()
    }

    /// The devices that did what was asked of them for a transaction, which is to be recorded.
    pub(super) fn done(&self, index: Index) -> impl Iterator<Item = &Target> {
        self.found.done.get(&index).into_iter().flatten()
    }
}

/// A link while it is changed. When that is done, it can be found again.
pub(super) struct Change<'a> {
    target: Target,
    link: &'a mut Link,
    found: &'a mut Found,
    before: Place,
}

impl<'a> Change<'a> {
    fn begin(target: &Target, link: &'a mut Link, found: &'a mut Found) -> Self {
        let before = Place::of(link);
        Self { target: target.clone(), link, found, before }
    }
}

impl Deref for Change<'_> {
    type Target = Link;

    fn deref(&self) -> &Link {
        self.link
    }
}

impl DerefMut for Change<'_> {
    fn deref_mut(&mut self) -> &mut Link {
        self.link
    }
}

impl Drop for Change<'_> {
    fn drop(&mut self) {
        let (before, now) = (self.before, Place::of(self.link));
        moved(&mut self.found.retries, &self.target, (before.retry, now.retry));
        moved(&mut self.found.applying, &self.target, (before.applying, now.applying));
        moved(&mut self.found.done, &self.target, (before.done, now.done));
    }
}

/// What a link is found by.
#[derive(Clone, Copy)]
struct Place {
    retry: Option<Timestamp>,
    applying: Option<Index>,
    done: Option<Index>,
}

impl Place {
    fn of(link: &Link) -> Self {
        let (applying, done) = match &link.work {
            Work::Applying(index) => (Some(*index), None),
            Work::Answered(outcome) => (None, outcome.done()),
            _ => (None, None),
        };
        Self { retry: link.retry.map(|retry| retry.at), applying, done }
    }
}

fn moved<K: Ord>(all: &mut By<K>, target: &Target, (from, to): (Option<K>, Option<K>)) {
    if from == to {
        return;
    }
    if let Some(from) = from
        && let Some(targets) = all.get_mut(&from)
    {
        targets.remove(target);
        if targets.is_empty() {
            all.remove(&from);
        }
    }
    if let Some(to) = to {
        all.entry(to).or_default().insert(target.clone());
    }
}
