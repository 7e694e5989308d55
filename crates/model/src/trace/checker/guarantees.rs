//! The invariants of the model, held against every revision of a trace: those that need only the store
//! and what clients were told.

use std::collections::BTreeSet;

use lockstep_protocol::record::Key;
use lockstep_protocol::{Changes, Command, Op, Reply, View};
use lockstep_types::{Index, Target};

use super::store::New;
use crate::invariants::{self, Invariant, Step};
use crate::scenario::catalogue;
use crate::system::{Action, Commit, System, Told};
use crate::trace::finding::Reason;

/// Those that need only the store and what clients were told. The others look into nodes and devices,
/// which the checker does by its own means.
pub(super) const CHECKED: [&str; 11] = [
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
];

/// What the invariants look at: a system in which only the store is known.
#[derive(Debug)]
pub(super) struct Guarantees {
    system: Option<System>,
}

impl Guarantees {
    /// None can be held where the log no longer goes back to its beginning: what stands is what came of all of it.
    pub(super) fn new(store: &View) -> Self {
        let whole = store.horizon() == Index::ZERO;
        let form = catalogue().into_iter().next().filter(|_| whole);
        Self { system: form.map(|form| System::observed(store.clone(), &form)) }
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
        let commit = Commit { session, before: whole, after: before.archive.clone(), store: after };
        let after = before.observe(commit, targets.into_iter().collect());
        let written = Action::Write(0);
        let from = known.then_some((before, &written));
        let step = Step { from, after: &after };
        let broken = checked().find(|invariant| !(invariant.keeps)(&step));
        if let Some(Invariant { name: guarantee, .. }) = broken {
            return Err(Reason::Broken { guarantee, revision });
        }
        self.system = Some(after);
        Ok(())
    }
}

fn checked() -> impl Iterator<Item = &'static Invariant> {
    invariants::ALL.iter().filter(|invariant| CHECKED.contains(&invariant.name))
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
        assert_eq!(checked().count(), CHECKED.len());
    }
}
