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

/// What the pieces of a configuration come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bulk {
    /// The bytes of the snapshot.
    pub(super) snapshot: usize,
    /// The bytes of the deltas beyond it.
    pub(super) deltas: usize,
    /// How many of these clear what stood.
    pub(super) clears: usize,
    /// How many keys lie before the snapshot, where nobody reads: whoever made it was cut off.
    pub(super) left: usize,
}

impl Bulk {
    /// Whether the deltas are to be folded: they have outgrown their snapshot, or there is what is gone.
    pub(super) fn is_due(&self) -> bool {
        self.has_gone() || self.deltas > (self.snapshot * GROWTH).max(FLOOR)
    }

    /// Whether there is what does not stand any more. It would otherwise lie in the store for as long as nothing else
    /// is written of the target: for good, if that was removed.
    fn has_gone(&self) -> bool {
        self.clears > 0 || self.left > 0
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Account {
    bulk: Bulk,
    folding: bool,
}

impl Account {
    /// Whether it is time to fold, which is said to one at a time.
    fn claim(&mut self) -> bool {
        let due = !self.folding && self.bulk.is_due();
        self.folding |= due;
        due
    }
}

/// The accounts of all configurations.
#[derive(Debug, Default)]
pub(super) struct Accounts(Mutex<BTreeMap<Target, Account>>);

impl Accounts {
    /// What is known from reading.
    pub(super) fn set(&self, target: &Target, bulk: Bulk) {
        lock(&self.0).entry(target.clone()).or_default().bulk = bulk;
    }

    /// What is known so far.
    pub(super) fn known(&self, target: &Target) -> Bulk {
        lock(&self.0).get(target).map(|account| account.bulk).unwrap_or_default()
    }

    /// The deltas have grown by one of so many bytes. Whether it is time to fold them.
    pub(super) fn grow(&self, target: &Target, bytes: usize, clears: bool) -> bool {
        let accounts = &mut *lock(&self.0);
        let account = accounts.entry(target.clone()).or_default();
        account.bulk.deltas += bytes;
        account.bulk.clears += usize::from(clears);
        account.claim()
    }

    /// The configurations of which something is still there that is gone, and that nobody folds yet.
    pub(super) fn with_gone(&self) -> Vec<Target> {
        let accounts = &mut *lock(&self.0);
        let with_gone = accounts.iter_mut().filter(|(_, account)| account.bulk.has_gone());
        let claimed = with_gone.filter_map(|(target, account)| account.claim().then_some(target));
        claimed.cloned().collect()
    }

    /// What came to so much comes to this now. What has grown meanwhile is on top.
    pub(super) fn settle(&self, target: &Target, before: Bulk, after: Bulk) {
        let accounts = &mut *lock(&self.0);
        let bulk = &mut accounts.entry(target.clone()).or_default().bulk;
        *bulk = Bulk {
            snapshot: after.snapshot,
            deltas: after.deltas + bulk.deltas.saturating_sub(before.deltas),
            clears: after.clears + bulk.clears.saturating_sub(before.clears),
            left: after.left,
        };
    }

    /// Whoever was told to fold has given up.
    pub(super) fn give_up(&self, target: &Target) {
        if let Some(account) = lock(&self.0).get_mut(target) {
            account.folding = false;
        }
    }

    /// Whoever was told to fold is done. Whether it is to go on, for what was written meanwhile.
    pub(super) fn done(&self, target: &Target) -> bool {
        let accounts = &mut *lock(&self.0);
        let Some(account) = accounts.get_mut(target) else { return false };
        account.folding = false;
        account.claim()
    }
}
