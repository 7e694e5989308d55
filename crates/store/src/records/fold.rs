//! Folding the deltas of a configuration into a new snapshot.
//!
//! The header has no part in it, so it is never in the way of a write. Chunks are written first, and
//! are nothing until the snapshot names them; then what they replace is removed. Whoever stops in
//! between leaves keys that nobody reads, and the next to fold removes them.

use std::sync::Arc;

use lockstep_protocol::Written;
use lockstep_types::{Revision, Target};
use tokio::runtime::Handle;

use super::account::Bulk;
use super::body::Laid;
use super::decode;
use super::encode::Added;
use super::key::Name;
use super::load::each;
use super::pieces::{self, Pieces};
use super::pool::Pool;
use super::value::{self, Snapshot};
use super::{Inner, Records};
use crate::kv::{Compare, Op, Range, Txn};
use crate::{Error, Store};

/// Notes that deltas have grown, and has them folded when that is due; whoever wrote does not wait for it.
pub(super) fn grown(inner: &Arc<Inner>, added: &Added) {
    if inner.accounts.grow(&added.target, added.bytes, added.clears) {
        beside(inner, added.target.clone());
    }
}

/// Has what is gone removed, where somebody was cut off before that.
pub(super) fn left(inner: &Arc<Inner>) {
    inner.accounts.with_gone().into_iter().for_each(|target| beside(inner, target));
}

fn beside(inner: &Arc<Inner>, target: Target) {
    let inner = Arc::clone(inner);
    let fold = async move {
        loop {
            match fold(&inner, &target, Bulk::is_due).await {
                Ok(()) if inner.accounts.done(&target) => {}
                Ok(()) => break,
                Err(error) => {
                    inner.accounts.give_up(&target);
                    // It is tried again with the next write.
                    if !matches!(error, Error::Closed) {
                        tracing::warn!(%target, error = &error as &dyn std::error::Error, "deltas were not folded");
                    }
                    break;
                }
            }
        }
    };
    if let Ok(runtime) = Handle::try_current() {
        runtime.spawn(fold);
    }
}

impl Records {
    /// Folds the deltas of a configuration into a new snapshot now. Otherwise this is done by itself
    /// when they have outgrown the old one.
    ///
    /// # Errors
    /// Whatever the store has to say.
    pub async fn fold(&self, target: &Target) -> Result<(), Error> {
        fold(&self.inner, target, |bulk| bulk.deltas > 0).await
    }
}

/// Folds if that is due, given what the pieces come to: someone else may have done it meanwhile.
async fn fold(
    inner: &Inner,
    target: &Target,
    is_due: impl FnOnce(&Bulk) -> bool,
) -> Result<(), Error> {
    let store = &*inner.store;
    let counted = inner.accounts.known(target);
    let pieces = read(store, target, None).await?;
    let bulk = pieces.bulk();
    if !is_due(&bulk) {
        inner.accounts.settle(target, counted, bulk);
        return Ok(());
    }
    let last = pieces.beyond().next_back().map(|(last, _)| last.next());
    let from = last.unwrap_or(pieces.from());
    let (known, gone) = (pieces.snapshot, pieces.before(target, from));
    if let (None, Some((_, snapshot))) = (last, known) {
        // Only what somebody else was about to remove is left to be done.
        if install(inner, target, (known, gone), snapshot).await? {
            inner.accounts.settle(target, bulk, Bulk { left: 0, ..bulk });
        }
        return Ok(());
    }
    let (committed, applied) = pieces.trees(target, &mut Pool::default())?;
    let chunks = pieces::chunks(target, &committed, &applied)?;
    let mut bytes = 0;
    for (number, chunk) in (0..).zip(&chunks) {
        let name = Name::Chunk(target.clone(), from, number);
        let op = Op::put(name.bytes(), value::write(&name, chunk)?);
        bytes += op.bytes();
        let txn = Txn { compares: Vec::new(), ops: vec![op] };
        let laid = Laid::lay(store, &inner.bodies, txn).await?;
        store.txn(laid.txn.clone()).await?;
        laid.written(&inner.bodies);
    }
    let snapshot = Snapshot { from, chunks: chunks.len() as u64 };
    if install(inner, target, (known, gone), snapshot).await? {
        let folded = Bulk { snapshot: bytes, ..Bulk::default() };
        inner.accounts.settle(target, bulk, folded);
    }
    Ok(())
}

pub(super) async fn read(
    store: &dyn Store,
    target: &Target,
    at: Option<Revision>,
) -> Result<Pieces, Error> {
    let mut pieces = Pieces::default();
    let mut add = |entry: crate::kv::Entry, _| {
        pieces.add(decode::stored(&entry.key, &entry.value)?, &entry);
        Ok(())
    };
    let mut named = Range::key(&*Name::Snapshot(target.clone()).bytes());
    named.revision = at;
    let revision: Revision = each(store, named, &mut add).await?;
    for prefix in [Name::chunks(target), Name::deltas(target)] {
        each(store, Range::prefix(prefix).at(revision), &mut add).await?;
    }
    Ok(pieces)
}

/// Names the new chunks, unless someone else has folded meanwhile, and removes what is no longer read.
async fn install(
    inner: &Inner,
    target: &Target,
    (known, gone): (Option<(Revision, Snapshot)>, Vec<Name>),
    snapshot: Snapshot,
) -> Result<bool, Error> {
    let store = &*inner.store;
    let name = Name::Snapshot(target.clone());
    let known = known.map_or(Revision::ZERO, |(revision, _)| revision);
    let mut compares = vec![Compare::Unchanged(name.bytes(), known)];
    let mut ops = vec![Op::put(name.bytes(), value::write(&name, &snapshot)?)];
    ops.extend(gone.iter().map(|name| Op::Delete(name.bytes())));
    for ops in batches(inner, ops) {
        let txn = Txn { compares: std::mem::take(&mut compares), ops };
        let laid = Laid::lay(store, &inner.bodies, txn).await?;
        if let Written::Stale(_) = store.txn(laid.txn.clone()).await? {
            return Ok(false);
        }
        laid.written(&inner.bodies);
    }
    Ok(true)
}

/// As many at once as have room, together with the long values that go with them.
fn batches(inner: &Inner, ops: Vec<Op>) -> Vec<Vec<Op>> {
    let most = inner.store.limits().operations;
    let (mut batches, mut room): (Vec<Vec<Op>>, usize) = (Vec::new(), 0);
    for op in ops {
        let takes = 1 + inner.bodies.parts(op.key());
        match batches.last_mut().filter(|_| takes <= room) {
            Some(batch) => batch.push(op),
            None => {
                batches.push(vec![op]);
                room = most;
            }
        }
        room = room.saturating_sub(takes);
    }
    batches
}
