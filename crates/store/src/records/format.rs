//! What a store says about itself: the level of its format, and its epoch.
//!
//! The level goes up once every live node knows the next one. Each session says which its node knows,
//! and leaves its mark in a key that the raise compares, so none can begin unseen while it happens; and
//! a session compares the level it has found, so none begins on one that it does not know.
//!
//! It is raised by whoever begins. When the last node of an older version ends for good nothing
//! happens until another node begins: the store stays readable for the older version, which may come
//! back until then, and nobody is in need of a level that has not been in use so far.

use std::time::SystemTime;

use lockstep_protocol::Written;
use lockstep_types::{Epoch, Revision};
use serde::de::DeserializeOwned;

use super::key::Name;
use super::load::each;
use super::value::{self, Announced};
use crate::kv::{Compare, Op, Range, Txn};
use crate::{Error, Store};

/// The highest format level this version knows. One more with each release that writes a record otherwise than the
/// one before, be it with one more field: an earlier version would write the record back without it. Level 2 has `since`, `claim`,
/// `adopting`, `adopting_for`, `fenced` and `trial` of configurations and `next` of masterships.
pub const LEVEL: u32 = 2;

/// Reads the epoch of a store that is ours; makes an empty store ours.
pub(super) async fn open(store: &dyn Store, knows: u32) -> Result<Epoch, Error> {
    if let Some(epoch) = known(store, knows).await? {
        return Ok(epoch);
    }
    if !is_empty(store).await? {
        // Unless another node was quicker.
        return known(store, knows).await?.ok_or(Error::Foreign);
    }
    begin(store, knows, first_epoch()).await
}

/// Makes an empty store ours.
pub(super) async fn begin(store: &dyn Store, knows: u32, epoch: Epoch) -> Result<Epoch, Error> {
    let ops = marks(knows, epoch)?;
    let compares = ops.iter().map(|op| Compare::Absent(op.key().clone())).collect();
    match store.txn(Txn { compares, ops }).await? {
        Written::Done(_) => Ok(epoch),
        Written::Stale(_) => known(store, knows).await?.ok_or(Error::Foreign),
    }
}

pub(super) async fn is_empty(store: &dyn Store) -> Result<bool, Error> {
    Ok(store.range(Range::all().limited(1)).await?.entries.is_empty())
}

/// What makes a store ours.
pub(super) fn marks(level: u32, epoch: Epoch) -> Result<Vec<Op>, Error> {
    Ok(vec![
        Op::put(Name::Format.bytes(), value::write(&Name::Format, &level)?),
        Op::put(Name::Epoch.bytes(), value::write(&Name::Epoch, &epoch)?),
    ])
}

async fn known(store: &dyn Store, knows: u32) -> Result<Option<Epoch>, Error> {
    if level(store, knows).await?.is_some() {
        return epoch(store).await.map(Some);
    }
    match unowned(store).await? {
        error @ Error::HalfImported => Err(error),
        _ => Ok(None),
    }
}

/// Why a store without a format level is not ours.
pub(super) async fn unowned(store: &dyn Store) -> Result<Error, Error> {
    let import = get::<Epoch>(store, &Name::Import).await?;
    Ok(import.map_or(Error::Foreign, |_| Error::HalfImported))
}

/// The epoch of a store that is ours.
pub(super) async fn epoch(store: &dyn Store) -> Result<Epoch, Error> {
    let missing = || Error::unreadable(&Name::Epoch.bytes(), "it is not there");
    get(store, &Name::Epoch).await?.ok_or_else(missing).map(|(_, epoch)| epoch)
}

/// The level of a store that is ours, if we know it, and the revision that set it.
pub(super) async fn level(store: &dyn Store, knows: u32) -> Result<Option<(Revision, u32)>, Error> {
    match get::<u32>(store, &Name::Format).await? {
        Some((_, found)) if found > knows => Err(Error::NewerFormat { found, known: knows }),
        found => Ok(found),
    }
}

/// Raises the level to the highest that every session knows. The level as it is now.
pub(super) async fn raise(store: &dyn Store, knows: u32) -> Result<u32, Error> {
    let Some((set, level)) = level(store, knows).await? else { return Err(Error::Foreign) };
    // Read before the sessions: one that begins later is not overlooked.
    let begun = get::<u32>(store, &Name::Begun).await?.map_or(Revision::ZERO, |(at, _)| at);
    let mut common = None;
    each(store, Range::prefix("session/"), |entry, _| {
        let Announced { level, .. } = value::read(&entry.key, &entry.value)?;
        common = Some(common.map_or(level, |lowest: u32| lowest.min(level)));
        Ok(())
    })
    .await?;
    let Some(higher) = common.filter(|common| *common > level) else { return Ok(level) };
    let (format, begun_key) = (Name::Format.bytes(), Name::Begun.bytes());
    let compares =
        vec![Compare::Unchanged(format.clone(), set), Compare::Unchanged(begun_key, begun)];
    let ops = vec![Op::put(format, value::write(&Name::Format, &higher)?)];
    match store.txn(Txn { compares, ops }).await? {
        Written::Done(_) => {
            tracing::info!(from = level, to = higher, "the format level of the store was raised");
            Ok(higher)
        }
        // Someone has begun, who then does the same; or has just done it.
        Written::Stale(_) => Ok(level),
    }
}

async fn get<T: DeserializeOwned>(
    store: &dyn Store,
    name: &Name,
) -> Result<Option<(Revision, T)>, Error> {
    let page = store.range(Range::key(&*name.bytes())).await?;
    let Some(entry) = page.entries.first() else { return Ok(None) };
    Ok(Some((entry.revision, value::read(&entry.key, &entry.value)?)))
}

/// The epoch of a new store: later than that of any store that was used before with the same devices,
/// which remember it. The clock is the only thing that both had in common.
fn first_epoch() -> Epoch {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Epoch::new(now.as_secs().max(1))
}
