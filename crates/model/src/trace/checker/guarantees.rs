//! The invariants of the model, held against every revision of a trace: those that need only the store
//! and what clients were told.

use std::collections::BTreeSet;

use lockstep_protocol::record::Key;
use lockstep_protocol::{Changes, Command, Op, Reply, View};
use lockstep_types::{Index, Revision, Target};

use super::store::New;
use crate::invariants::{self, Invariant, Step};
use crate::scenario::catalogue;
use crate::system::{Action, Commit, System, Told};
use crate::trace::finding::Reason;

/// Those that need only the store and what clients were told. The others look into nodes and devices,
/// which the checker does by its own means.
pub(super) const CHECKED: [&str; 8] = [
    "Order",
    "Decision",
    "AllOrNothing",
    "Isolation",
    "Settled",
    "Fencing",
    "OneMaster",
    "Durability",
];

/// Those that add up the whole log again for each change in it. What they would find stays to be found, so in a long
/// log they are held now and then, on all that was touched since.
pub(super) const ADDED_UP: [&str; 3] = ["Fold", "History", "Undo"];

/// Up to so many entries the log is added up at each revision.
const SHORT: u64 = 100;
/// Beyond that, once for so many revisions as this part of the log has entries.
const PART: u64 = 4;

/// What the invariants look at: a system in which only the store is known.
#[derive(Debug)]
pub(super) struct Guarantees {
    system: Option<System>,
    /// What was touched since the log was last added up, and by how many revisions.
    touched: BTreeSet<Target>,
    revisions: u64,
}

impl Guarantees {
    /// None can be held where the log no longer goes back to its beginning: what stands is what came of all of it.
    pub(super) fn new(store: &View) -> Self {
        let whole = store.horizon() == Index::ZERO;
        let form = catalogue().into_iter().next().filter(|_| whole);
        let system = form.map(|form| System::observed(store.clone(), &form));
        Self { system, touched: BTreeSet::new(), revisions: 0 }
    }

    /// Nobody knows how the store came to be what it is now. What clients were told still holds.
    pub(super) fn go_on(&mut self, store: &View) {
        let told = self.system.take().map(|system| system.told).unwrap_or_default();
        *self = Self::new(store);
        if let Some(system) = &mut self.system {
            system.told = told;
        }
    }

    /// A client was told something.
    pub(super) fn told(&mut self, command: &Command) {
        let Command::Answer { reply: Reply::Transaction { index, status }, .. } = command else {
            return;
        };
        if let Some(system) = &mut self.system {
            system.told.insert(system.told.len(), Told::Status(*index, *status));
        }
    }

    /// Holds a new revision against the invariants, on the targets that it touched.
    pub(super) fn hold(&mut self, new: New) -> Result<(), Reason> {
        let Some(system) = &mut self.system else { return Ok(()) };
        let New { after, ops, by } = new;
        let revision = after.revision();
        // The log as it was, whatever was forgotten of it.
        let kept = ops.iter().filter(|op| !matches!(op, Op::Forget(_))).cloned().collect();
        let whole = system.archive.clone();
        system.archive.absorb(&Changes { revision, ops: kept });
        let before = &*system;
        let targets: BTreeSet<Target> = ops.iter().flat_map(|op| touched(op, &after)).collect();
        // Who may write is known only of those whose steps are here.
        let known = by.is_some();
        let Some(session) = by.or_else(|| after.sessions().next().cloned()) else {
            return Ok(());
        };
        let entries = after.head().index.get();
        let commit = Commit { session, before: whole, after: before.archive.clone(), store: after };
        self.touched.extend(targets.iter().cloned());
        self.revisions += 1;
        let after = before.observe(commit.clone(), targets.into_iter().collect());
        let written = Action::Write(0);
        let from = known.then_some((before, &written));
        hold(&CHECKED, &Step { from, after: &after }, revision)?;
        if entries <= SHORT || self.revisions >= entries / PART {
            let targets = std::mem::take(&mut self.touched).into_iter().collect();
            self.revisions = 0;
            let after = before.observe(commit, targets);
            hold(&ADDED_UP, &Step { from, after: &after }, revision)?;
        }
        self.system = Some(after);
        Ok(())
    }

    /// The log is added up a last time.
    pub(super) fn end(&mut self) -> Result<(), Reason> {
        let Some(system) = &self.system else { return Ok(()) };
        let Some(commit) = system.commits.first().cloned() else { return Ok(()) };
        let revision = commit.store.revision();
        let targets = std::mem::take(&mut self.touched).into_iter().collect();
        hold(&ADDED_UP, &Step { from: None, after: &system.observe(commit, targets) }, revision)
    }
}

/// Holds a step against the invariants of these names.
fn hold(names: &[&str], step: &Step<'_>, revision: Revision) -> Result<(), Reason> {
    match checked(names).find(|invariant| !(invariant.keeps)(step)) {
        Some(Invariant { name: guarantee, .. }) => Err(Reason::Broken { guarantee, revision }),
        None => Ok(()),
    }
}

fn checked(names: &[&str]) -> impl Iterator<Item = &'static Invariant> {
    invariants::ALL.iter().filter(|invariant| names.contains(&invariant.name))
}

/// The targets that a written record concerns.
fn touched(op: &Op, store: &View) -> Vec<Target> {
    match op.key() {
        Key::Transaction(index) => store
            .transaction(index)
            .map(|t| t.targets.keys().cloned().collect())
            .unwrap_or_default(),
        Key::Proposal(_, target)
        | Key::Part(_, target)
        | Key::Configuration(target)
        | Key::Marks(target)
        | Key::Mastership(target)
        | Key::Binding(target) => vec![target],
        Key::Head | Key::Horizon | Key::Id(_) | Key::Session(_) | Key::Drifted(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_that_of_an_invariant() {
        assert_eq!(checked(&CHECKED).count(), CHECKED.len());
        assert_eq!(checked(&ADDED_UP).count(), ADDED_UP.len());
    }
}
