//! Every revision in turn, for whoever has to see each of them.
//!
//! A view alone says how things stand; whoever was slow would not see what stood in between. Here each
//! revision comes with what it touched, so that the work of a follower follows the change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
pub(crate) struct Feed {
    steps: broadcast::Sender<Arc<Step>>,
    /// Taken while a revision is taken in: who begins to follow does so before, and is told of it, or after, and finds
    /// it in the view.
    turn: Arc<Mutex<()>>,
}

/// A revision that is being taken in, and what it touches; none: nobody follows.
#[derive(Debug)]
pub(crate) struct Turn<'f> {
    feed: &'f Feed,
    touched: Option<Touched>,
    _turn: MutexGuard<'f, ()>,
}

impl Feed {
    pub(crate) fn new() -> Self {
        Self { steps: broadcast::Sender::new(WAITING), turn: Arc::default() }
    }

    pub(crate) fn follow(&self) -> broadcast::Receiver<Arc<Step>> {
        let _turn = self.turn();
        self.steps.subscribe()
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what is about to be taken in. It is to be told once everybody can see it.
    pub(crate) fn note(&self, changes: &Changes) -> Turn<'_> {
        let turn = self.turn();
        let followed = self.steps.receiver_count() > 0;
        Turn { feed: self, touched: followed.then(|| touched(changes)), _turn: turn }
    }

    /// Tells of a revision that was taken in.
    pub(crate) fn tell(&self, touched: Touched, view: Arc<View>) {
        let Touched { written, transactions, bound } = touched;
        let transactions = transactions.into_iter().collect();
        // An error: the last follower has gone away since.
        let _ = self.steps.send(Arc::new(Step { view, written, transactions, bound }));
    }
}

impl Turn<'_> {
    /// Tells of the revision, which this view has.
    pub(crate) fn tell(self, view: Arc<View>) {
        if let Some(touched) = self.touched {
            self.feed.tell(touched, view);
        }
    }
}

fn touched(changes: &Changes) -> Touched {
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
    touched
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use lockstep_types::Revision;

    use super::*;

    #[test]
    fn who_begins_to_follow_is_told_of_a_revision_or_sees_it() {
        for number in 1..500 {
            let (feed, seen, both) = (Feed::new(), Mutex::new(View::new()), Barrier::new(2));
            let changes = Changes { revision: Revision::new(number), ops: Vec::new() };
            thread::scope(|scope| {
                let follower = scope.spawn(|| {
                    both.wait();
                    let mut steps = feed.follow();
                    let view = seen.lock().unwrap().revision();
                    (view, move || steps.try_recv())
                });
                both.wait();
                let turn = feed.note(&changes);
                seen.lock().unwrap().absorb(&changes);
                turn.tell(Arc::new(seen.lock().unwrap().clone()));
                let (view, mut told) = follower.join().unwrap();
                assert!(view == changes.revision || told().is_ok(), "{view}");
            });
        }
    }
}
