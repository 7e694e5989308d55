//! How keys, their revisions and the store's own notes lie in the engine's map.
//!
//! ```text
//!   k<key>       sum (8 bytes), revision (8 bytes, big-endian), lease (8 bytes, zero: none), value
//!   l<key>       lease: the keys that go with one
//!   n:layout     the version of this table
//!   n:opened     how often the store was opened
//!   n:revision   the store's revision
//! ```
//!
//! The sum is of all that follows it and of the key. An engine looks after its own pages, but not
//! necessarily each time it reads one, and what is read here is sent to devices.

use std::hash::Hasher;

use lockstep_types::Revision;
use siphasher::sip::SipHasher13;

use crate::engine::{Fault, Reading, Writing};
use crate::kv::{Bytes, Entry, Lease};

const LAYOUT: (&[u8], u64) = (b"n:layout", 2);
const OPENED: &[u8] = b"n:opened";
const REVISION: &[u8] = b"n:revision";
const KEY: u8 = b'k';
const LEASED: u8 = b'l';

/// A row that cannot be what was written there.
#[derive(Debug, thiserror::Error)]
enum Damage {
    #[error("the row {0} is not as it was written")]
    Row(String),
    #[error("the file has layout {0}, which this version does not know")]
    Layout(u64),
}

fn damaged(row: &[u8]) -> Fault {
    Fault::damaged(Damage::Row(crate::kv::text(row)))
}

fn number(map: &dyn Reading, row: &[u8]) -> Result<u64, Fault> {
    let Some(bytes) = map.get(row)? else { return Ok(0) };
    bytes.try_into().map(u64::from_be_bytes).map_err(|_| damaged(row))
}

/// The store's revision.
pub(super) fn revision(map: &dyn Reading) -> Result<Revision, Fault> {
    number(map, REVISION).map(Revision::new)
}

pub(super) fn put_revision(map: &mut dyn Writing, revision: Revision) -> Result<(), Fault> {
    map.put(REVISION, &revision.get().to_be_bytes()).map(drop)
}

/// Counts one more opening, and says which it is.
pub(super) fn open_again(map: &mut dyn Writing) -> Result<u64, Fault> {
    match number(map, LAYOUT.0)? {
        0 => drop(map.put(LAYOUT.0, &LAYOUT.1.to_be_bytes())?),
        known if known == LAYOUT.1 => {}
        other => return Err(Fault::Failed(std::sync::Arc::new(Damage::Layout(other)))),
    }
    let opened = number(map, OPENED)? + 1;
    map.put(OPENED, &opened.to_be_bytes())?;
    Ok(opened)
}

/// The row of a key.
pub(super) fn row(key: &[u8]) -> Vec<u8> {
    [&[KEY], key].concat()
}

/// The first row beyond all keys.
pub(super) fn beyond() -> Vec<u8> {
    vec![KEY + 1]
}

fn leased_row(key: &[u8]) -> Vec<u8> {
    [&[LEASED], key].concat()
}

fn sum(row: &[u8], value: &[u8]) -> u64 {
    let mut sum = SipHasher13::new();
    sum.write(row);
    sum.write(value);
    sum.finish()
}

/// The parts of a row: revision, lease, value.
fn parts<'v>(row: &[u8], value: &'v [u8]) -> Result<(Revision, Option<Lease>, &'v [u8]), Fault> {
    let parts = value.split_first_chunk::<8>().and_then(|(sum, rest)| {
        let (revision, value) = rest.split_first_chunk::<8>()?;
        let (lease, value) = value.split_first_chunk::<8>()?;
        (u64::from_be_bytes(*sum) == self::sum(row, rest)).then_some((revision, lease, value))
    });
    let (revision, lease, value) = parts.ok_or_else(|| damaged(row))?;
    let lease = u64::from_be_bytes(*lease);
    let revision = Revision::new(u64::from_be_bytes(*revision));
    Ok((revision, (lease != 0).then_some(Lease(lease)), value))
}

/// Reads what stands in the row of a key.
pub(super) fn entry(row: &[u8], value: &[u8]) -> Result<Entry, Fault> {
    let Some((&KEY, key)) = row.split_first() else { return Err(damaged(row)) };
    let (revision, lease, value) = parts(row, value)?;
    Ok(Entry { key: key.into(), value: value.into(), revision, lease })
}

/// The revision of a key; zero: it is not there.
pub(super) fn revision_of(map: &dyn Reading, key: &[u8]) -> Result<Revision, Fault> {
    let row = row(key);
    let Some(value) = map.get(&row)? else { return Ok(Revision::ZERO) };
    parts(&row, &value).map(|(revision, ..)| revision)
}

/// Writes a key, and gives back what stood there.
pub(super) fn put(map: &mut dyn Writing, entry: &Entry) -> Result<Option<Entry>, Fault> {
    let lease = entry.lease.map_or(0, |lease| lease.0).to_be_bytes();
    let row = row(&entry.key);
    let mut value =
        [&[0; 8], entry.revision.get().to_be_bytes().as_slice(), &lease, &entry.value].concat();
    let sum = sum(&row, &value[8..]).to_be_bytes();
    value[..8].copy_from_slice(&sum);
    let stood = map.put(&row, &value)?.map(|stood| self::entry(&row, &stood)).transpose()?;
    match (entry.lease, stood.as_ref().and_then(|stood| stood.lease)) {
        (Some(_), _) => drop(map.put(&leased_row(&entry.key), &lease)?),
        (None, Some(_)) => drop(map.remove(&leased_row(&entry.key))?),
        (None, None) => {}
    }
    Ok(stood)
}

/// Removes a key, and gives back what stood there.
pub(super) fn remove(map: &mut dyn Writing, key: &[u8]) -> Result<Option<Entry>, Fault> {
    let row = row(key);
    let stood = map.remove(&row)?.map(|stood| entry(&row, &stood)).transpose()?;
    if stood.as_ref().is_some_and(|stood| stood.lease.is_some()) {
        map.remove(&leased_row(key))?;
    }
    Ok(stood)
}

/// The keys under a lease; under any, if none is given.
pub(super) fn leased(map: &dyn Reading, lease: Option<Lease>) -> Result<Vec<Bytes>, Fault> {
    let mut keys = Vec::new();
    map.scan(&[LEASED], Some(&[LEASED + 1]), &mut |row, value| {
        if lease.is_none_or(|lease| lease.0.to_be_bytes() == value) {
            keys.push(row[1..].into());
        }
        true
    })?;
    Ok(keys)
}

/// Reads every row, and counts them.
pub(crate) fn check(map: &dyn Reading) -> Result<u64, Fault> {
    let (mut count, mut fault) = (0, None);
    map.scan(&[], None, &mut |row, value| {
        count += 1;
        let read = if row.first() == Some(&KEY) { entry(row, value).map(drop) } else { Ok(()) };
        fault = read.err();
        fault.is_none()
    })?;
    fault.map_or(Ok(count), Err)
}
