//! Values that are too long for one write of the store.
//!
//! Such a value is written first, in parts, under keys of its own that nobody reads until the record
//! names them; then the record is written with no more than that name. Parts have a name that nothing
//! else ever has, so whoever wrote them in vain may take them away again.
//!
//! Whoever stops in between leaves parts that nobody reads. They do no harm, are counted by a check of
//! the store and left out of an export.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Mutex;

use lockstep_types::Revision;

use super::key::Name;
use super::value::Elsewhere;
use crate::kv::{Bytes, Entry, Limits, Op, Range, Txn};
use crate::ledger::lock;
use crate::{Error, Store};

/// The records that are known to have their value elsewhere, so that it goes when they change.
#[derive(Debug, Default)]
pub(super) struct Bodies(Mutex<BTreeMap<Bytes, Elsewhere>>);

impl Bodies {
    /// A record was read, or was written.
    pub(super) fn note(&self, key: &Bytes, place: Option<Elsewhere>) {
        let known = &mut *lock(&self.0);
        match place {
            Some(place) => known.insert(key.clone(), place),
            None => known.remove(key),
        };
    }

    /// In how many parts the value of a record lies elsewhere.
    pub(super) fn parts(&self, key: &Bytes) -> usize {
        let known = lock(&self.0);
        known.get(key).and_then(|place| usize::try_from(place.parts).ok()).unwrap_or(0)
    }

    /// The parts that no record names any more after this write.
    fn replaced(&self, txn: &Txn) -> Vec<Op> {
        let known = lock(&self.0);
        let replaced = txn.ops.iter().filter_map(|op| known.get_key_value(op.key()));
        replaced.flat_map(|(key, place)| removal(key, *place)).collect()
    }
}

fn removal(key: &Bytes, place: Elsewhere) -> impl Iterator<Item = Op> {
    let name = move |part| Name::Body(key.clone(), place.unique, part);
    (0..place.parts).map(move |part| Op::Delete(name(part).bytes()))
}

/// How long a value may be within a write, and how long a part is: two fit, whatever else there is.
fn room(limits: Limits) -> usize {
    limits.bytes / 3
}

/// Below this a value always has room, however many there are.
fn short(limits: Limits) -> usize {
    limits.bytes / (2 * limits.operations.max(1))
}

/// A write that fits, and the values that were laid down beside it for that.
#[derive(Debug)]
pub(super) struct Laid {
    pub(super) txn: Txn,
    places: Vec<(Bytes, Elsewhere)>,
}

impl Laid {
    /// Makes a write fit: its longest values are written beforehand, in parts.
    pub(super) async fn lay(store: &dyn Store, bodies: &Bodies, txn: Txn) -> Result<Self, Error> {
        let mut laid = Self { txn, places: Vec::new() };
        let limits = store.limits();
        while laid.txn.bytes() > limits.bytes {
            let Some((key, value)) = longest(&mut laid.txn, short(limits)) else { break };
            let unique = RandomState::new().hash_one(0);
            let mut place = Elsewhere { unique, parts: 0 };
            for part in value.chunks(room(limits).max(1)) {
                let name = Name::Body(key.clone(), unique, place.parts);
                let ops = vec![Op::put(name.bytes(), part)];
                store.txn(Txn { compares: Vec::new(), ops }).await?;
                place.parts += 1;
            }
            *value = place.write();
            laid.places.push((key, place));
        }
        let gone = bodies.replaced(&laid.txn);
        // Where there is no room for their removal they stay, unread.
        if laid.txn.ops.len() + gone.len() <= limits.operations {
            laid.txn.ops.extend(gone);
        }
        Ok(laid)
    }

    /// The write has happened.
    pub(super) fn written(self, bodies: &Bodies) {
        for op in &self.txn.ops {
            bodies.note(op.key(), None);
        }
        for (key, place) in &self.places {
            bodies.note(key, Some(*place));
        }
    }

    /// The write has not happened, and never will.
    pub(super) async fn given_up(self, store: &dyn Store) -> Result<(), Error> {
        let ops: Vec<Op> = self.places.iter().flat_map(|(key, at)| removal(key, *at)).collect();
        for ops in ops.chunks(store.limits().operations.max(1)) {
            store.txn(Txn { compares: Vec::new(), ops: ops.to_vec() }).await?;
        }
        Ok(())
    }
}

/// The longest value of a write, if it is longer than this.
fn longest(txn: &mut Txn, least: usize) -> Option<(Bytes, &mut Bytes)> {
    let puts = txn.ops.iter_mut().filter_map(|op| match op {
        Op::Put { key, value, .. } => Some((key.clone(), value)),
        Op::Delete(_) => None,
    });
    puts.max_by_key(|(_, value)| value.len()).filter(|(_, value)| value.len() > least)
}

/// Puts the value of a key in its place, if it lies elsewhere; where it was is told too.
pub(super) async fn resolve(
    store: &dyn Store,
    at: Revision,
    entry: &mut Entry,
) -> Result<Option<Elsewhere>, Error> {
    let Some(place) = Elsewhere::read(&entry.key, &entry.value)? else { return Ok(None) };
    let mut whole = Vec::new();
    for part in 0..place.parts {
        let name = Name::Body(entry.key.clone(), place.unique, part).bytes();
        let page = store.range(Range::key(&*name).at(at)).await?;
        let found = page.entries.first();
        let found = found.ok_or_else(|| Error::unreadable(&name, "it is not there"))?;
        whole.extend_from_slice(&found.value);
    }
    entry.value = whole.into();
    Ok(Some(place))
}
