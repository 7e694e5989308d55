//! A write that happened, and what the invariants look at because of it.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use lockstep_protocol::View;
use lockstep_protocol::record::Transaction;
use lockstep_types::{Index, SessionId, Target};

use crate::ledger::{Ledger, Written};

/// The store before and after a write.
#[derive(Clone, Debug)]
pub struct Stores {
    /// Before, had nothing ever been forgotten.
    pub before: View,
    /// After, had nothing ever been forgotten.
    pub after: View,
    /// After.
    pub store: View,
}

/// A write that happened in a step.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Who wrote, as far as that is known.
    pub session: Option<SessionId>,
    /// The store before, had nothing ever been forgotten.
    pub before: View,
    /// The store after, had nothing ever been forgotten.
    pub after: View,
    /// The store after.
    pub store: View,
    /// Which entries are looked at; none: all.
    concerned: Option<BTreeSet<Index>>,
    ledger_before: OnceLock<Ledger>,
    ledger: OnceLock<Ledger>,
}

impl Commit {
    /// A write after which everything is looked at.
    #[must_use]
    pub fn new(session: Option<SessionId>, stores: Stores) -> Self {
        let Stores { before, after, store } = stores;
        let (ledger_before, ledger) = (OnceLock::new(), OnceLock::new());
        Self { session, before, after, store, concerned: None, ledger_before, ledger }
    }

    /// A write after which nothing is looked at that it cannot have changed: the entries that it wrote, and those without
    /// an outcome on the targets that it wrote anything of. The ledger was that of the store before, and moves on.
    #[must_use]
    pub fn of(
        session: Option<SessionId>,
        stores: Stores,
        written: &Written,
        ledger: &mut Ledger,
    ) -> Self {
        let before = ledger.clone();
        ledger.follow(&stores.after, written);
        let open = |target: &Target| ledger.account(target).open().collect::<Vec<_>>();
        let open = written.targets.keys().flat_map(open);
        let concerned = written.entries.iter().copied().chain(open).collect();
        Self {
            concerned: Some(concerned),
            ledger_before: before.into(),
            ledger: ledger.clone().into(),
            ..Self::new(session, stores)
        }
    }

    /// The entries to look at, as they are after the write.
    pub fn concerned(&self) -> impl Iterator<Item = &Transaction> {
        let some = self.concerned.iter().flatten();
        let some = some.filter_map(|index| self.after.transaction(*index));
        let all = self.concerned.is_none().then(|| self.after.transactions());
        some.chain(all.into_iter().flatten())
    }

    /// What the log adds up to after the write.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        self.ledger.get_or_init(|| Ledger::of(&self.after))
    }

    /// What the log added up to before the write.
    #[must_use]
    pub fn ledger_before(&self) -> &Ledger {
        self.ledger_before.get_or_init(|| Ledger::of(&self.before))
    }
}
