//! What a store says about itself: the level of its format, and its epoch.

use lockstep_protocol::Written;
use lockstep_types::Epoch;
use serde::de::DeserializeOwned;

use super::key::Name;
use super::value;
use crate::kv::{Compare, Op, Range, Txn};
use crate::{Error, Store};

/// The format level this version writes, and the highest it reads.
pub const LEVEL: u32 = 1;

/// Reads the epoch of a store that is ours; makes an empty store ours.
pub(super) async fn open(store: &dyn Store) -> Result<Epoch, Error> {
    if let Some(epoch) = known(store).await? {
        return Ok(epoch);
    }
    if !store.range(Range::all().limited(1)).await?.entries.is_empty() {
        // Unless another node was quicker.
        return known(store).await?.ok_or(Error::Foreign);
    }
    let epoch = Epoch::new(1);
    let ops = vec![
        Op::put(Name::Format.bytes(), value::write(&Name::Format, &LEVEL)?),
        Op::put(Name::Epoch.bytes(), value::write(&Name::Epoch, &epoch)?),
    ];
    let compares = ops.iter().map(|op| Compare::Absent(op.key().clone())).collect();
    match store.txn(Txn { compares, ops }).await? {
        Written::Done(_) => Ok(epoch),
        Written::Stale(_) => known(store).await?.ok_or(Error::Foreign),
    }
}

async fn known(store: &dyn Store) -> Result<Option<Epoch>, Error> {
    match get::<u32>(store, &Name::Format).await? {
        None => return Ok(None),
        Some(found) if found > LEVEL => return Err(Error::NewerFormat { found, known: LEVEL }),
        Some(_) => {}
    }
    let missing = || Error::unreadable(&Name::Epoch.bytes(), "it is not there");
    get(store, &Name::Epoch).await?.ok_or_else(missing).map(Some)
}

async fn get<T: DeserializeOwned>(store: &dyn Store, name: &Name) -> Result<Option<T>, Error> {
    let page = store.range(Range::key(&*name.bytes())).await?;
    page.entries.first().map(|entry| value::read(&entry.key, &entry.value)).transpose()
}
