//! What the log adds up to on one target.

use std::collections::BTreeSet;

use lockstep_protocol::record::{Kind, Transaction};
use lockstep_types::{Configuration as Tree, Index};
use rpds::{RedBlackTreeMapSync as Map, RedBlackTreeSetSync as Set};

use super::chain::{Brings, Chain};
use super::log::Log;

/// One target.
#[derive(Clone, Debug, Default)]
pub struct Account {
    since: Index,
    base: Tree,
    /// All entries, those about an earlier target by the same name included.
    entries: Set<Index>,
    open: Set<Index>,
    restores: Set<Index>,
    recorded: Set<Index>,
    waiting: Set<Index>,
    committed: Chain,
    applied: Chain,
    stood: Map<Index, (Place, Chain)>,
    moved: Moved,
}

/// From which entry on the last write changed what counts; none: it did not.
#[derive(Clone, Copy, Debug, Default)]
struct Moved {
    committed: Option<Index>,
    stood: Option<Index>,
}

/// What an entry is in the history of its target.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Change(Brings),
    TakesOut(Index),
}

impl Account {
    /// Changes that count as committed.
    #[must_use]
    pub fn committed(&self) -> &Chain {
        &self.committed
    }

    /// Changes that count as applied.
    #[must_use]
    pub fn applied(&self) -> &Chain {
        &self.applied
    }

    /// Changes that a reader may see: committed, without atomic transactions still open.
    #[must_use]
    pub fn visible(&self) -> Chain {
        let last = self.stood.last().map(|(_, (_, chain))| chain.clone());
        last.unwrap_or_else(|| Chain::on(self.base.clone()))
    }

    /// Changes that a reader may see as of an entry: those up to there that were not taken out by then, and were
    /// not gone from the log's history since.
    #[must_use]
    pub fn as_of(&self, index: Index) -> Chain {
        let last = self.stood.range(..=index).next_back().map(|(_, (_, chain))| chain.clone());
        last.unwrap_or_else(|| Chain::on(self.base.clone()))
    }

    /// Entries without an outcome.
    pub fn open(&self) -> impl Iterator<Item = Index> {
        self.open.iter().copied()
    }

    /// The last entry that the device has taken or refused.
    #[must_use]
    pub fn last_recorded(&self) -> Option<Index> {
        self.recorded.last().copied()
    }

    /// The first entry that is decided and not recorded.
    #[must_use]
    pub fn first_waiting(&self) -> Option<Index> {
        self.waiting.first().copied()
    }

    /// Committed changes that the last write may have put on something else than before: it changed one of them, or
    /// one below them.
    pub fn committed_anew(&self) -> impl Iterator<Item = Index> {
        self.moved.committed.into_iter().flat_map(|from| self.committed.changes_from(from))
    }

    /// Entries after which things may stand otherwise since the last write, and the last one after which they do not.
    pub fn stood_anew(&self) -> impl Iterator<Item = Index> {
        self.moved.stood.into_iter().flat_map(|from| {
            let before = Index::new(from.get().saturating_sub(1)).max(self.since);
            std::iter::once(before).chain(self.entries.range(from..).copied())
        })
    }

    pub(super) fn follow(&mut self, log: &Log<'_>, written: &BTreeSet<Index>) {
        let mut touched = written.clone();
        for entry in written.iter().filter_map(|index| log.store.transaction(*index)) {
            // A change and what takes it out say something of each other.
            touched.extend(log.rollbacks(entry.index));
            if let Kind::Rollback { of, .. } = entry.kind {
                touched.insert(of);
            }
        }
        touched.iter().for_each(|index| self.place(log, *index));
        let anew = self.begins_anew(log, &touched);
        if anew {
            self.begin(log);
            touched = self.entries.range(self.since.next()..).copied().collect();
        }
        self.moved.stood = self.follow_history(log, &touched);
        if let Some(from) = self.moved.stood {
            touched.extend(self.restores.range(from..));
        }
        let stood = self.clone();
        let brings = |entry: &Transaction| Brings::of(log, entry, |to| stood.asked_at(to));
        let committed = |entry: &Transaction| log.is_committed(entry).then(|| brings(entry));
        let applied = |entry: &Transaction| log.is_applied(entry).then(|| brings(entry));
        self.moved.committed = follow(&mut self.committed, log, &self.entries, &touched, committed);
        follow(&mut self.applied, log, &self.entries, &touched, applied);
        if anew {
            self.moved = Moved { committed: Some(Index::ZERO), stood: Some(Index::ZERO) };
        }
    }

    /// Keeps an entry where it belongs.
    fn place(&mut self, log: &Log<'_>, index: Index) {
        let entry = log.entry(index);
        // What a device had when it was first met lies below everything, so it has no place in the order.
        let ordered = entry.filter(|entry| entry.kind != Kind::Adopt { first: true });
        let is = |holds: Option<bool>| holds.unwrap_or_default();
        keep(&mut self.entries, index, entry.is_some());
        keep(&mut self.open, index, is(entry.map(|entry| !entry.status.is_final())));
        let restores = entry.map(|entry| matches!(entry.kind, Kind::Restore { .. }));
        keep(&mut self.restores, index, is(restores));
        keep(&mut self.recorded, index, is(ordered.map(|entry| log.is_recorded(entry))));
        keep(&mut self.waiting, index, is(ordered.map(|entry| log.waits(entry))));
    }

    /// Whether there is another target by this name, or something else lies below everything.
    fn begins_anew(&self, log: &Log<'_>, touched: &BTreeSet<Index>) -> bool {
        let first = |index: &Index| {
            log.entry(*index).is_some_and(|entry| entry.kind == Kind::Adopt { first: true })
        };
        self.since != log.since() || touched.contains(&self.since) || touched.iter().any(first)
    }

    fn begin(&mut self, log: &Log<'_>) {
        self.since = log.since();
        self.base = Tree::new();
        for entry in self.entries.iter().filter_map(|index| log.entry(*index)) {
            log.puts_below(entry, &mut self.base);
        }
        self.stood = Map::default();
        self.committed = Chain::on(self.base.clone());
        self.applied = Chain::on(self.base.clone());
    }

    fn asked_at(&self, index: Index) -> Tree {
        self.as_of(index).asked().clone()
    }

    fn follow_history(&mut self, log: &Log<'_>, touched: &BTreeSet<Index>) -> Option<Index> {
        let is_other = |index: &&Index| {
            self.place_of(log, **index).as_ref() != self.stood.get(*index).map(|(place, _)| place)
        };
        let from = *touched.iter().find(is_other)?;
        let gone: Vec<Index> = self.stood.range(from..).map(|(index, _)| *index).collect();
        gone.iter().for_each(|index| {
            self.stood.remove_mut(index);
        });
        let mut chain = self.visible();
        for index in self.entries.range(from..).copied().collect::<Vec<_>>() {
            let (Some(place), Some(entry)) = (self.place_of(log, index), log.entry(index)) else {
                continue;
            };
            match &place {
                Place::Change(brings) => chain.put(log, entry, brings.clone()),
                Place::TakesOut(of) => chain.take_out(log, *of),
            }
            self.stood.insert_mut(index, (place, chain.clone()));
        }
        Some(from)
    }

    fn place_of(&self, log: &Log<'_>, index: Index) -> Option<Place> {
        let entry = log.entry(index)?;
        if log.is_seen(entry) {
            return Some(Place::Change(Brings::of(log, entry, |to| self.asked_at(to))));
        }
        log.takes_out(entry).map(Place::TakesOut)
    }
}

/// Takes a chain along: from the first entry that brings something else than it did, its changes are put on anew.
fn follow(
    chain: &mut Chain,
    log: &Log<'_>,
    entries: &Set<Index>,
    touched: &BTreeSet<Index>,
    brings: impl Fn(&Transaction) -> Option<Brings>,
) -> Option<Index> {
    let now = |index: Index| log.entry(index).and_then(|entry| Some((entry, brings(entry)?)));
    let is_other =
        |index: &&Index| now(**index).map(|(_, brings)| brings).as_ref() != chain.brought(**index);
    let from = *touched.iter().find(is_other)?;
    chain.cut(from);
    for (entry, brings) in entries.range(from..).filter_map(|index| now(*index)) {
        chain.put(log, entry, brings);
    }
    Some(from)
}

fn keep(set: &mut Set<Index>, index: Index, belongs: bool) {
    if belongs && !set.contains(&index) {
        set.insert_mut(index);
    } else if !belongs {
        set.remove_mut(&index);
    }
}
