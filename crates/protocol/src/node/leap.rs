//! Terms that the store has forgotten: a store that was set back to a backup, by copying its files, gives out terms that
//! its devices have seen before, and they turn it away.
//!
//! Whatever a device has seen of this store can only be a later term of its own. So the master leaps ahead until it is
//! listened to again, twice as far each time, and waits in between as for any other refusal. Another store's election ids
//! are beyond all leaps.

use lockstep_types::{Target, Term};

use super::Node;

/// The least that is leaped at once, and how far leaps go: beyond what the masters of any target come to.
const LEAST: u64 = 16;
const FURTHEST: u64 = 1 << 24;

/// What an operator claims is a multiple of this, and terms count on from there.
const CLAIMED: u64 = 1 << 32;

/// The term to go on with after one that a device turned away, although it is the last that the store knows of. None: it
/// is of no use to go further.
#[must_use]
pub fn leap(term: Term) -> Option<Term> {
    let come = term.get() % CLAIMED;
    (come < FURTHEST).then(|| Term::new(term.get() + come.max(LEAST)))
}

impl Node {
    /// The term to leap to from one whose claim a device turned away, if it may have seen a later one of this store.
    ///
    /// Only a living rival turns away a session that was listened to before, or was handed a device that is in line. Two
    /// copies of one store do not outdo each other, then. And one that never told masters apart denies something else.
    pub(super) fn leap(&self, target: &Target, term: Term) -> Option<Term> {
        let header = self.view.header(target);
        let heard = self.desk.link(target).is_some_and(|link| link.heard);
        let handed = self.desk.handed.get(target) == Some(&term);
        let knows_us = header.met && header.fenced == Some(true);
        if knows_us && !heard && !handed { leap(term) } else { None }
    }
}
