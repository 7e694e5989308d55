//! The invariants of the model, held against every revision of a trace: those that need only the store
//! and what clients were told.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_protocol::record::Status;
use lockstep_protocol::{Command, Reply, View};
use lockstep_types::{Index, Revision};

use super::store::New;
use crate::invariants::{self, Invariant, Step};
use crate::ledger::{Ledger, Written};
use crate::scenario::catalogue;
use crate::system::{Action, Commit, Stores, System, Told, kept_for_ever};
use crate::trace::finding::Reason;

/// Those that need only the store and what clients were told. The others look into nodes and devices,
/// which the checker does by its own means.
pub(super) const CHECKED: [&str; 12] = [
    "Order",
    "Decision",
    "AllOrNothing",
    "Isolation",
    "Fold",
    "History",
    "Settled",
    "Undo",
    "Fencing",
    "OneMaster",
    "Durability",
    "Gone",
];

/// The guarantees, as long as the whole log is known.
#[derive(Debug)]
pub(super) struct Guarantees {
    watched: Option<Watched>,
    told: Answers,
}

/// What the invariants look at: a system in which only the store is known, and its log added up.
#[derive(Debug)]
struct Watched {
    system: System,
    ledger: Ledger,
}

/// What clients were told of each transaction.
#[derive(Debug, Default)]
struct Answers {
    all: BTreeMap<Index, BTreeSet<Status>>,
    /// Transactions of which they were told something since the last revision.
    new: BTreeSet<Index>,
}

impl Guarantees {
    /// None can be held where the log no longer goes back to its beginning: what stands is what came of all of it.
    pub(super) fn new(store: &View) -> Self {
        Self { watched: Watched::new(store), told: Answers::default() }
    }

    /// Nobody knows how the store came to be what it is now. What clients were told still holds.
    pub(super) fn go_on(&mut self, store: &View) {
        self.watched = Watched::new(store);
        self.told.new = self.told.all.keys().copied().collect();
    }

    /// A client was told something.
    pub(super) fn told(&mut self, command: &Command) {
        if let Command::Answer { reply: Reply::Transaction { index, status }, .. } = command {
            self.told.all.entry(*index).or_default().insert(*status);
            self.told.new.insert(*index);
        }
    }

    /// Holds a new revision against the invariants, on what it touched. Says whether that could be done.
    pub(super) fn hold(&mut self, new: New) -> Result<bool, Reason> {
        let Some(watched) = &mut self.watched else { return Ok(false) };
        watched.hold(new, &mut self.told).map(|()| true)
    }

    /// What was told last is held against the end.
    pub(super) fn end(&mut self) -> Result<(), Reason> {
        let told = &mut self.told;
        self.watched.as_mut().map_or(Ok(()), |watched| watched.end(told))
    }
}

impl Watched {
    fn new(store: &View) -> Option<Self> {
        let whole = store.horizon() == Index::ZERO;
        let form = catalogue().into_iter().next().filter(|_| whole)?;
        let system = System::observed(store.clone(), &form);
        Some(Self { system, ledger: Ledger::of(store) })
    }

    fn hold(&mut self, new: New, told: &mut Answers) -> Result<(), Reason> {
        let New { after, ops, by } = new;
        let revision = after.revision();
        let before = self.system.archive.clone();
        let mut whole = before.clone();
        whole.absorb(&kept_for_ever(revision, &ops));
        let written = Written::by(&ops, &before, &whole);
        // Who may write is known only of those whose steps are here.
        let known = by.is_some();
        let stores = Stores { before, after: whole, store: after };
        let commit = Commit::of(by, stores, &written, &mut self.ledger);
        let concerned = commit.concerned().map(|entry| entry.index);
        self.system.told = told.of(concerned);
        let after = self.system.observe(commit, written.targets.into_keys().collect());
        let action = Action::Write(0);
        let from = known.then_some((&self.system, &action));
        hold(&Step { from, after: &after }, revision)?;
        self.system = after;
        Ok(())
    }

    fn end(&mut self, told: &mut Answers) -> Result<(), Reason> {
        self.system.told = told.of(std::iter::empty());
        self.system.commits.clear();
        hold(&Step { from: None, after: &self.system }, self.system.store.revision())
    }
}

impl Answers {
    /// What clients were told of these transactions, and of those that they were last told of.
    fn of(&mut self, concerned: impl Iterator<Item = Index>) -> BTreeMap<usize, Told> {
        let mut concerned: BTreeSet<Index> = concerned.collect();
        concerned.append(&mut self.new);
        let told = concerned.iter().filter_map(|index| Some((index, self.all.get(index)?)));
        let told = told.flat_map(|(index, told)| told.iter().map(|told| (*index, *told)));
        told.map(|(index, status)| Told::Status(index, status)).enumerate().collect()
    }
}

/// Holds a step against the invariants.
fn hold(step: &Step<'_>, revision: Revision) -> Result<(), Reason> {
    match checked().find(|invariant| !(invariant.keeps)(step)) {
        Some(Invariant { name: guarantee, .. }) => Err(Reason::Broken { guarantee, revision }),
        None => Ok(()),
    }
}

fn checked() -> impl Iterator<Item = &'static Invariant> {
    invariants::ALL.iter().filter(|invariant| CHECKED.contains(&invariant.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_that_of_an_invariant() {
        assert_eq!(checked().count(), CHECKED.len());
    }
}
