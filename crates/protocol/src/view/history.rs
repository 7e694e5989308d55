//! How things stood: targets as of an earlier entry of the log.
//!
//! Nothing is kept for this. History goes back from what stands by the undos of what came later, so what
//! was withdrawn or reverted is no part of it, whichever index is asked for.

use std::collections::BTreeSet;

use lockstep_types::{Configuration as Tree, Index, Target, Timestamp};

use super::View;
use crate::effect;
use crate::record::{Kind, Transaction};
use crate::request::Body;

impl View {
    /// How a target stood after entry `index` of the log, as readers are served: without an atomic
    /// transaction that is still open. None: that is beyond the horizon.
    #[must_use]
    pub fn as_of(&self, target: &Target, index: Index) -> Option<Tree> {
        let stood = || self.before(target, self.head().index.next(), index, self.visible(target));
        // Before that there was no such target, or another one by its name.
        let since = self.header(target).since;
        (index >= self.horizon().max(since)).then(stood)
    }

    /// What readers were served of a target at a time: what is visible, without everything that came to
    /// be seen later.
    #[must_use]
    pub fn visible_at(&self, target: &Target, time: Timestamp) -> Option<Tree> {
        let since = self.header(target).since;
        let begun = self.transaction(since).and_then(|begun| begun.finished);
        if time < self.known_since() || begun.is_some_and(|begun| time < begun) {
            return None;
        }
        let later = |entry: &&Transaction| {
            let seen = entry.visible_since(target).is_some_and(|since| since > time);
            seen && entry.index > since
        };
        let stood = self.transactions_backwards().filter(later).fold(
            self.visible(target),
            |tree, entry| {
                let undone = effect::without(self, entry, target, &tree);
                tree.patched(&undone)
            },
        );
        Some(stood)
    }

    /// Goes back from `tree`, which is how `target` stands before entry `from`, to how it stood after
    /// entry `index`.
    pub(crate) fn before(&self, target: &Target, from: Index, index: Index, tree: Tree) -> Tree {
        self.between(index, from).rev().filter(|entry| is_history(entry, target)).fold(
            tree,
            |tree, entry| {
                let undone = effect::without(self, entry, target, &tree);
                tree.patched(&undone)
            },
        )
    }

    /// The targets that a request concerns, as the log stands.
    #[must_use]
    pub fn asked_of(&self, body: &Body) -> BTreeSet<Target> {
        match body.kind {
            Kind::Change | Kind::Adopt { .. } => body.edits.keys().cloned().collect(),
            _ if !body.only.is_empty() => body.only.clone(),
            Kind::Rollback { of, .. } => {
                let named = targets(self.transaction(of)).cloned();
                named.filter(|target| self.binding(target).is_some()).collect()
            }
            Kind::Add | Kind::Rebind | Kind::Remove => BTreeSet::new(),
            Kind::Restore { to } => {
                let later = self.between(to, self.head().index.next());
                let counts =
                    |entry: &&Transaction| entry.status.stands() || !entry.status.is_final();
                // What devices had when they were first met, and targets that came since, it cannot change.
                let changes = |entry: &&Transaction| {
                    entry.kind.writes() || matches!(entry.kind, Kind::Rollback { .. })
                };
                let later = later.filter(counts).filter(changes);
                let named = later.flat_map(|entry| targets(Some(entry))).cloned();
                let was_there = |target: &Target| self.header(target).since <= to;
                named.filter(|target| self.binding(target).is_some() && was_there(target)).collect()
            }
        }
    }

    /// The entries after one and before another.
    fn between(
        &self,
        after: Index,
        before: Index,
    ) -> impl DoubleEndedIterator<Item = &Transaction> {
        let range = self.transactions.range(after.next()..before.max(after.next()));
        range.map(|(_, versioned)| &*versioned.record)
    }
}

fn targets(entry: Option<&Transaction>) -> impl Iterator<Item = &Target> {
    entry.into_iter().flat_map(|entry| entry.targets.keys())
}

/// Whether an entry has its place in the history of a target. What was withdrawn there, or is still open,
/// is not in the tree that history begins with, so going back by it changes nothing.
fn is_history(entry: &Transaction, target: &Target) -> bool {
    entry.status.stands() && entry.targets.contains_key(target)
}
