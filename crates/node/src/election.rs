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

use lockstep_southbound::{Election, Lease, Mandate};
use lockstep_types::{Epoch, Term, Timestamp};

const SECONDS: u32 = 32;

/// In whose name a device is asked by the master of a term.
pub(crate) fn mandate(epoch: Epoch, term: Term, lease: Lease) -> Mandate {
    Mandate { epoch, election: election(epoch, term), lease }
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

#[cfg(test)]
mod tests {
    use lockstep_protocol::node::leap;

    use super::*;

    #[test]
    fn leaps_stay_below_the_ids_of_another_store() {
        let (epoch, other) = (Epoch::new(7), Epoch::new(8));
        for claimed in [0, 5 << 32].map(Term::new) {
            let leaps = std::iter::successors(Some(claimed.next()), |term| leap(*term));
            let last = leaps.last().expect("the first");
            assert!(election(epoch, last) < election(other, Term::new(1)));
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
