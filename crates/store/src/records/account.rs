//! How much the deltas of each configuration have grown beyond its snapshot, as far as this process
//! knows: it counts what it loaded and what it wrote. With several writers each counts its own, so
//! deltas are folded a little later.

use std::collections::BTreeMap;
use std::sync::Mutex;

use lockstep_types::Target;

use crate::ledger::lock;

/// Deltas are not folded below this: a snapshot costs a few writes, whatever its size.
const FLOOR: usize = 64 << 10;
/// How many times the snapshot the deltas may grow to. Each byte of a delta costs one over this many
/// bytes of snapshots; and what is read when the store is opened is at most this many times more.
const GROWTH: usize = 2;

#[derive(Clone, Copy, Debug, Default)]
struct Account {
    snapshot: usize,
    deltas: usize,
    folding: bool,
}

/// The accounts of all configurations.
#[derive(Debug, Default)]
pub(super) struct Accounts(Mutex<BTreeMap<Target, Account>>);

impl Accounts {
    /// What is known from reading.
    pub(super) fn set(&self, target: &Target, snapshot: usize, deltas: usize) {
        let accounts = &mut *lock(&self.0);
        let account = accounts.entry(target.clone()).or_default();
        (account.snapshot, account.deltas) = (snapshot, deltas);
    }

    /// Whether deltas of so many bytes have outgrown their snapshot.
    pub(super) fn is_due(snapshot: usize, deltas: usize) -> bool {
        deltas > (snapshot * GROWTH).max(FLOOR)
    }

    /// The deltas have grown. Whether it is time to fold them, which is said to one at a time.
    pub(super) fn grow(&self, target: &Target, bytes: usize) -> bool {
        let accounts = &mut *lock(&self.0);
        let account = accounts.entry(target.clone()).or_default();
        account.deltas += bytes;
        let due = !account.folding && Self::is_due(account.snapshot, account.deltas);
        account.folding |= due;
        due
    }

    /// So many bytes of deltas became a snapshot of so many.
    pub(super) fn folded(&self, target: &Target, deltas: usize, snapshot: usize) {
        let accounts = &mut *lock(&self.0);
        let account = accounts.entry(target.clone()).or_default();
        account.deltas = account.deltas.saturating_sub(deltas);
        account.snapshot = snapshot;
    }

    /// Whoever was told to fold is done, or has given up.
    pub(super) fn done(&self, target: &Target) {
        if let Some(account) = lock(&self.0).get_mut(target) {
            account.folding = false;
        }
    }
}
