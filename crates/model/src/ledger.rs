//! The log added up: which changes count on each target, and what they come to. Written without the core's own
//! bookkeeping, which is what it checks.
//!
//! A ledger is made of a whole store, or follows a store from write to write. Either way it is the same entries that
//! are added up by the same rules; the one that follows leaves alone what a write has not touched, so that a long log
//! costs no more with each write than a short one.
//!
//! ```text
//!   entries on a target    1     2     3     4 …
//!   committed, applied     ●────►●──────────►●     a chain: each change that counts, and what all up to it add up to
//!   stood                  ●     ●     ●     ●     after each entry, the chain of what readers were served then
//! ```

mod account;
mod alike;
mod chain;
mod log;
mod written;

use lockstep_protocol::View;
use lockstep_protocol::record::Kind;
use lockstep_types::{Index, Target, TransactionId};
use rpds::{RedBlackTreeMapSync as Map, RedBlackTreeSetSync as Set};

pub use account::Account;
pub use alike::{alike, same};
pub use chain::Chain;
pub use written::Written;

use log::Log;

#[cfg(test)]
mod tests;

/// The log of a store, added up. Cloning it is cheap.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    accounts: Map<Target, Account>,
    /// The Rollbacks of each change.
    rollbacks: Map<Index, Set<Index>>,
    /// The entries with each id.
    ids: Map<TransactionId, Set<Index>>,
}

impl Ledger {
    /// The ledger of a store.
    #[must_use]
    pub fn of(store: &View) -> Self {
        let mut ledger = Self::default();
        ledger.follow(store, &Written::all(store));
        ledger
    }

    /// The store moved on.
    pub fn follow(&mut self, store: &View, written: &Written) {
        for entry in written.entries.iter().filter_map(|index| store.transaction(*index)) {
            put(&mut self.ids, entry.id.clone(), entry.index);
            if let Kind::Rollback { of, .. } = entry.kind {
                put(&mut self.rollbacks, of, entry.index);
            }
        }
        for (target, entries) in &written.targets {
            let mut account = self.account(target);
            account.follow(&Log { store, target, rollbacks: &self.rollbacks }, entries);
            self.accounts.insert_mut(target.clone(), account);
        }
    }

    /// What the log adds up to on a target.
    #[must_use]
    pub fn account(&self, target: &Target) -> Account {
        self.accounts.get(target).cloned().unwrap_or_default()
    }

    /// The entries with an id, whatever was forgotten of them.
    pub fn with_id(&self, id: &TransactionId) -> impl Iterator<Item = Index> {
        self.ids.get(id).into_iter().flat_map(Set::iter).copied()
    }
}

fn put<K: Ord>(sets: &mut Map<K, Set<Index>>, key: K, index: Index) {
    let set = sets.get(&key).cloned().unwrap_or_default();
    sets.insert_mut(key, set.insert(index));
}
