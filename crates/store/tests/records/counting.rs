//! Counting what is written to a store.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lockstep_store::kv::Op;

use crate::overheard::Overheard;

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) transactions: u64,
    pub(crate) operations: u64,
    pub(crate) bytes: u64,
}

/// Counts what is written to a store in memory.
#[derive(Debug)]
pub(crate) struct Counting {
    pub(crate) store: Overheard,
    sums: Arc<[AtomicU64; 3]>,
}

impl Default for Counting {
    fn default() -> Self {
        let sums: Arc<[AtomicU64; 3]> = Arc::default();
        let told = Arc::clone(&sums);
        let store = Overheard::new(move |txn| {
            let bytes: usize = txn.ops.iter().map(Op::bytes).sum();
            for (sum, more) in told.iter().zip([1, txn.ops.len(), bytes]) {
                sum.fetch_add(more as u64, Ordering::Relaxed);
            }
        });
        Self { store, sums }
    }
}

impl Counting {
    pub(crate) fn sum(&self) -> Sum {
        let [transactions, operations, bytes] =
            [0, 1, 2].map(|at: usize| self.sums[at].load(Ordering::Relaxed));
        Sum { transactions, operations, bytes }
    }
}
