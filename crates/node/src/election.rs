//! Election ids: who a device listens to.
//!
//! ```text
//!   term    ┌── when it was claimed ──┬── how often ──┐      grows with every master and connection
//!           └────── 32, seconds ──────┴────── 32 ─────┘
//!   id      high = that, or the epoch    low = the rest
//! ```
//!
//! A store's epoch is the time it was made, and terms grow by one: so the ids of a store are larger than
//! those of every store made before. To take a device over from somebody with larger ids, the term jumps to
//! the time at which that is ordered: then the ids are larger than those of every store made until then.
//!
//! A store that was set back to a backup, by copying its files, gives out terms that its devices have seen before. It
//! leaps ahead until they listen again, twice as far each time: ids of its own epoch can only be its own. It does not
//! get past another store's that way.

use lockstep_southbound::{Election, Mandate};
use lockstep_types::{Epoch, Term, Timestamp};

const SECONDS: u32 = 32;

/// In whose name a device is asked by the master of a term.
pub(crate) fn mandate(epoch: Epoch, term: Term) -> Mandate {
    Mandate { epoch, election: election(epoch, term) }
}

/// The election id of a term.
fn election(epoch: Epoch, term: Term) -> Election {
    let low = term.get() & ((1 << SECONDS) - 1);
    Election { high: epoch.get().max(term.get() >> SECONDS), low }
}

/// The first term whose election id is larger than that of any store made by now.
pub(crate) fn claim(epoch: Epoch, now: Timestamp) -> Term {
    // A clock that is behind must not make it smaller than what the device has seen of us.
    let seconds = (now.get() / 1_000_000_000).max(epoch.get()) + 1;
    Term::new(seconds.min(u64::from(u32::MAX)) << SECONDS)
}

/// The least that is leaped at once, and how far leaps go: beyond what the masters of any target come to.
const LEAP: u64 = 16;
const FURTHEST: u64 = 1 << 24;

/// The term after one that a device turned away although it is the last that the store knows of; none: it is of no use
/// to go further.
pub(crate) fn leap(term: Term) -> Option<Term> {
    let low = term.get() & ((1 << SECONDS) - 1);
    (low < FURTHEST).then(|| Term::new(term.get() + low.max(LEAP)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaps_pass_what_a_store_has_forgotten_and_no_other_store() {
        let (epoch, other) = (Epoch::new(7), Epoch::new(8));
        for from in [1, 40, (5 << 32) + 3] {
            let leaps = std::iter::successors(Some(Term::new(from)), |term| leap(*term));
            let leaps: Vec<Term> = leaps.collect();
            assert!(leaps.len() < 30 && leaps.is_sorted());
            let last = election(epoch, leaps[leaps.len() - 1]);
            assert!(last > election(epoch, Term::new(from + 10_000_000)), "{last:?}");
            assert!(last < election(other, Term::new(1)) && last.low < 1 << 26, "{last:?}");
        }
    }

    #[test]
    fn a_claim_beats_every_store_made_by_then() {
        let (ours, theirs) = (Epoch::new(1000), Epoch::new(5000));
        let claimed = election(ours, claim(ours, Timestamp::new(5_000_000_000_000)));
        assert!(claimed > election(theirs, Term::new(70_000)), "{claimed:?}");
        // A store restored after that is later again, from its first term on.
        assert!(election(Epoch::new(5002), Term::new(1)) > claimed);
        // And so is the same store, moved later, with the terms it had.
        assert!(
            election(Epoch::new(9000), claim(ours, Timestamp::new(5_000_000_000_000))) > claimed
        );
    }

    #[test]
    fn ids_grow_with_terms() {
        let epoch = Epoch::new(7);
        let claimed = claim(epoch, Timestamp::new(0)).get();
        let terms = [1, 2, (1 << 32) - 1, claimed, claimed + 1].map(Term::new);
        assert!(terms.map(|term| election(epoch, term)).is_sorted_by(|a, b| a < b));
        assert_eq!(election(epoch, Term::new(3)), Election { high: 7, low: 3 });
    }
}
