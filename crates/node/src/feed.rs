//! Every revision in turn, for whoever has to see each of them.
//!
//! A view alone says how things stand; whoever was slow would not see what stood in between. Here each
//! revision comes with what it touched, so that the work of a follower follows the change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lockstep_protocol::record::Key;
use lockstep_protocol::{Changes, Op, View};
use lockstep_types::{Index, Path, Target};
use tokio::sync::broadcast;

/// As many revisions wait for a follower. Beyond, it is told that it missed some, and begins anew.
const WAITING: usize = 1024;

/// One revision.
#[derive(Clone, Debug)]
pub struct Step {
    /// The store at that revision.
    pub view: Arc<View>,
    /// The targets whose configuration was written, each with the units of the committed tree that
    /// were.
    pub written: BTreeMap<Target, BTreeSet<Path>>,
    /// The transactions that came in or moved on, in log order.
    pub transactions: Vec<Index>,
    /// The targets that came or went, or are served in another way from now on.
    pub bound: BTreeSet<Target>,
}

/// What a revision touches, before it is known what that comes to.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    written: BTreeMap<Target, BTreeSet<Path>>,
    transactions: BTreeSet<Index>,
    bound: BTreeSet<Target>,
}

impl Touched {
    /// Nothing but that targets are served in another way.
    pub(crate) fn bound(bound: BTreeSet<Target>) -> Self {
        Self { bound, ..Self::default() }
    }
}

/// Where revisions are told.
#[derive(Clone, Debug)]
pub(crate) struct Feed(broadcast::Sender<Arc<Step>>);

impl Feed {
    pub(crate) fn new() -> Self {
        Self(broadcast::Sender::new(WAITING))
    }

    pub(crate) fn follow(&self) -> broadcast::Receiver<Arc<Step>> {
        self.0.subscribe()
    }

    /// Notes what is about to be taken in; none if nobody follows.
    pub(crate) fn note(&self, changes: &Changes) -> Option<Touched> {
        if self.0.receiver_count() == 0 {
            return None;
        }
        let mut touched = Touched::default();
        for op in &changes.ops {
            match op {
                Op::Configuration { target, committed, .. } => {
                    let paths = committed.into_iter().map(|(path, _)| path.clone());
                    touched.written.entry(target.clone()).or_default().extend(paths);
                }
                Op::Transaction(transaction) => {
                    touched.transactions.insert(transaction.index);
                }
                Op::Part { index, .. } => {
                    touched.transactions.insert(*index);
                }
                Op::Binding { target, .. } | Op::Forget(Key::Binding(target)) => {
                    touched.bound.insert(target.clone());
                }
                _ => {}
            }
        }
        Some(touched)
    }

    /// Tells of a revision that was taken in.
    pub(crate) fn tell(&self, touched: Touched, view: Arc<View>) {
        let Touched { written, transactions, bound } = touched;
        let transactions = transactions.into_iter().collect();
        // An error: the last follower has gone away since.
        let _ = self.0.send(Arc::new(Step { view, written, transactions, bound }));
    }
}
