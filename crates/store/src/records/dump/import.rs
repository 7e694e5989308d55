//! Taking in a dump.
//!
//! A key that says so stands in the store from before the first of the dump's until after the last,
//! and what makes a store ours is written together with its removal. So what was cut off on the way is
//! never taken for a store.

use lockstep_protocol::Written;
use lockstep_types::Epoch;
use tokio::io::AsyncBufRead;

use super::read::{Dump, Pair};
use super::{Error, Progress};
use crate::Store;
use crate::kv::{Compare, Op, Txn};
use crate::records::body::{Bodies, Laid};
use crate::records::key::Name;
use crate::records::{format, value};

/// How much is written at once: enough to share a sync of the disk, and soon done with.
const BATCH_BYTES: usize = 4 << 20;

/// What an import came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imported {
    /// What was taken in.
    pub progress: Progress,
    /// The epoch of the store from now on.
    pub epoch: Epoch,
}

/// Takes a dump into an empty store. Its epoch becomes the one after the dump's, and at least `floor`:
/// whoever imports the same dump twice needs a higher one the second time, because devices remember.
///
/// # Errors
/// [`Error::NotEmpty`], and whatever is wrong with the dump or the store. Then the store is not usable
/// until everything in it is removed.
pub async fn import<R: AsyncBufRead + Unpin>(
    store: &dyn Store,
    from: R,
    floor: Epoch,
    mut progress: impl FnMut(Progress),
) -> Result<Imported, Error> {
    let mut dump = Dump::open(from).await?;
    let epoch = dump.header().epoch.next().max(floor);
    begin(store, epoch).await?;
    let mut batch = Batch::new(store);
    while let Some(pair) = dump.next().await? {
        batch.add(pair).await?;
        progress(dump.progress());
    }
    batch.write().await?;
    finish(store, dump.header().level, epoch).await?;
    Ok(Imported { progress: dump.progress(), epoch })
}

async fn begin(store: &dyn Store, epoch: Epoch) -> Result<(), Error> {
    if !format::is_empty(store).await? {
        return Err(Error::NotEmpty);
    }
    let compares = [Name::Import, Name::Format].map(|name| Compare::Absent(name.bytes())).into();
    let ops = vec![Op::put(Name::Import.bytes(), value::write(&Name::Import, &epoch)?)];
    match store.txn(Txn { compares, ops }).await? {
        Written::Done(_) => Ok(()),
        Written::Stale(_) => Err(Error::NotEmpty),
    }
}

async fn finish(store: &dyn Store, level: u32, epoch: Epoch) -> Result<(), Error> {
    let mut ops = format::marks(level, epoch)?;
    ops.push(Op::Delete(Name::Import.bytes()));
    let mut compares = vec![Compare::Exists(Name::Import.bytes())];
    compares.extend(ops[..2].iter().map(|op| Compare::Absent(op.key().clone())));
    match store.txn(Txn { compares, ops }).await? {
        Written::Done(_) => Ok(()),
        // Someone has used it, or cleared it, while it was being filled.
        Written::Stale(_) => Err(Error::NotEmpty),
    }
}

/// Keys that are written together.
struct Batch<'a> {
    store: &'a dyn Store,
    bodies: Bodies,
    ops: Vec<Op>,
    bytes: usize,
}

impl<'a> Batch<'a> {
    fn new(store: &'a dyn Store) -> Self {
        Self { store, bodies: Bodies::default(), ops: Vec::new(), bytes: 0 }
    }

    async fn add(&mut self, Pair { key, value }: Pair) -> Result<(), Error> {
        let limits = self.store.limits();
        let op = Op::put(key, value);
        let full = self.bytes + op.bytes() > BATCH_BYTES.min(limits.bytes / 2);
        if full || self.ops.len() == limits.operations {
            self.write().await?;
        }
        self.bytes += op.bytes();
        self.ops.push(op);
        Ok(())
    }

    async fn write(&mut self) -> Result<(), Error> {
        self.bytes = 0;
        let txn = Txn { compares: Vec::new(), ops: std::mem::take(&mut self.ops) };
        if !txn.ops.is_empty() {
            let laid = Laid::lay(self.store, &self.bodies, txn).await?;
            self.store.txn(laid.txn).await?;
        }
        Ok(())
    }
}
