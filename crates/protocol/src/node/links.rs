//! A node's links to devices, and which of them the clock concerns: with thousands of devices, nobody passes over all
//! of them at each event.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Bound, Deref, DerefMut};

use lockstep_types::{Index, Target, Timestamp};

use super::link::{Link, Work};

/// Every link, by target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Links {
    all: BTreeMap<Target, Link>,
    times: Times,
}

/// What there is to be found without looking at every link. Says nothing that the links do not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Times {
    /// The devices that are tried again, by when.
    retries: BTreeMap<Timestamp, BTreeSet<Target>>,
    /// The devices that a transaction is being sent to.
    applying: BTreeMap<Index, BTreeSet<Target>>,
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
        Some(Change::begin(target, link, &mut self.times))
    }

    /// The link to a target, which is made if there is none.
    pub(super) fn make(&mut self, target: &Target) -> Change<'_> {
        let link = self.all.entry(target.clone()).or_default();
        Change::begin(target, link, &mut self.times)
    }

    /// The devices that are to be tried again after the one time, and no later than the other.
    pub(super) fn retried(&self, after: Timestamp, by: Timestamp) -> impl Iterator<Item = &Target> {
        let due = (after < by).then_some((Bound::Excluded(after), Bound::Included(by)));
        let due = due.into_iter().flat_map(|due| self.times.retries.range(due));
        due.flat_map(|(_, targets)| targets)
    }

    /// When a device is next to be tried again, after this time.
    pub(super) fn next_retry(&self, after: Timestamp) -> Option<Timestamp> {
        let later = (Bound::Excluded(after), Bound::Unbounded);
        self.times.retries.range(later).next().map(|(at, _)| *at)
    }

    /// The devices that a transaction is being sent to.
    pub(super) fn applying(&self, index: Index) -> impl Iterator<Item = &Target> {
        self.times.applying.get(&index).into_iter().flatten()
    }
}

/// A link while it is changed. When that is done, it can be found again.
pub(super) struct Change<'a> {
    target: Target,
    link: &'a mut Link,
    times: &'a mut Times,
    before: (Option<Timestamp>, Option<Index>),
}

impl<'a> Change<'a> {
    fn begin(target: &Target, link: &'a mut Link, times: &'a mut Times) -> Self {
        let before = found_by(link);
        Self { target: target.clone(), link, times, before }
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
        let ((at, index), now) = (self.before, found_by(self.link));
        if at != now.0 {
            moved(&mut self.times.retries, &self.target, at, now.0);
        }
        if index != now.1 {
            moved(&mut self.times.applying, &self.target, index, now.1);
        }
    }
}

/// When the device is tried again, and what it is being sent.
fn found_by(link: &Link) -> (Option<Timestamp>, Option<Index>) {
    let index = match link.work {
        Work::Applying(index) => Some(index),
        _ => None,
    };
    (link.retry.map(|retry| retry.at), index)
}

fn moved<K: Ord>(
    all: &mut BTreeMap<K, BTreeSet<Target>>,
    target: &Target,
    from: Option<K>,
    to: Option<K>,
) {
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
