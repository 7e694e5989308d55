//! Answers that are recorded together. How far a transaction is on each of its targets stands in one record, so of
//! several writes that record answers for it at once only one can happen.
//!
//! ```text
//!   t1 answers ──► write: t1 ────────────────────► done
//!   t2 answers ──► waits ─┐                         │
//!   t3 answers ──► waits ─┴─────────────────────────┴──► write: t2, t3
//! ```
//!
//! So while one is under way the next answers gather, and all of them go with the next: with many devices that
//! answer at about the same time, a few writes instead of one each. This is for answers that say the same, that a
//! device did what was asked of it; whatever turns a transaction or withdraws it is written at once, and alone.

use std::collections::BTreeMap;
use std::mem::discriminant;

use lockstep_types::{Index, Target};

use super::Node;
use super::link::{Outcome, Work};
use crate::draft::Draft;
use crate::event::Wake;

/// The transactions of which answers are being recorded, and whose controller writes that. Once it is free again
/// the others go on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Recording {
    of: BTreeMap<Index, Target>,
    by: BTreeMap<Target, Index>,
}

impl Recording {
    /// Whether answers for a transaction are being recorded.
    pub(super) fn is_under_way(&self, index: Index) -> bool {
        self.of.contains_key(&index)
    }

    /// A controller writes them.
    pub(super) fn begin(&mut self, index: Index, by: &Target) {
        self.of.insert(index, by.clone());
        self.by.insert(by.clone(), index);
    }

    /// It is free again. What it wrote about, if it did.
    fn end(&mut self, by: &Target) -> Option<Index> {
        let index = self.by.remove(by)?;
        self.of.remove(&index);
        Some(index)
    }
}

impl Node {
    /// The transaction whose one record this answer goes to, with others like it.
    pub(super) fn gathered_for(&self, outcome: &Outcome) -> Option<Index> {
        let index = outcome.done()?;
        let transaction = self.view.transaction(index)?;
        (!transaction.wide && transaction.targets.len() > 1).then_some(index)
    }

    /// The other answers that say the same of this transaction.
    pub(super) fn fill_others(
        &self,
        draft: &mut Draft<'_>,
        index: Index,
        target: &Target,
        outcome: &Outcome,
    ) {
        for other in self.desk.links.done(index).filter(|other| *other != target) {
            let Some(link) = self.desk.link(other) else { continue };
            let Work::Answered(said) = &link.work else { continue };
            let Some(mastership) = self.view.mastership(other) else { continue };
            // Otherwise its own controller has something else to do first.
            let free = self.desk.is_free(&Wake::Target(other.clone()), self.view.revision());
            let holds = self.is_master(other)
                && self.connection(other) == Some(mastership.connection)
                && self.view.header(other).claim <= mastership.term;
            if free && holds && discriminant(said) == discriminant(outcome) {
                draft.as_master(other, &self.session);
                self.fill(draft, other, mastership.term, said.clone());
            }
        }
    }

    /// A controller is free again: what waited to be recorded after its write now is.
    pub(super) fn go_on_after(&mut self, wake: &Wake) -> Vec<Wake> {
        let Wake::Target(target) = wake else { return Vec::new() };
        let Some(index) = self.desk.recording.end(target) else { return Vec::new() };
        self.desk.links.done(index).cloned().map(Wake::Target).collect()
    }
}
