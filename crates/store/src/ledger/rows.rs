//! How keys, their revisions and the store's own notes lie in the engine's map.
//!
//! ```text
//!   k<key>       revision (8 bytes, big-endian), lease (8 bytes, zero: none), value
//!   l<key>       lease: the keys that go with one
//!   n:layout     the version of this table
//!   n:opened     how often the store was opened
//!   n:revision   the store's revision
//! ```

use lockstep_types::Revision;

use crate::engine::{Fault, Reading, Writing};
use crate::kv::{Bytes, Entry, Lease};

const LAYOUT: (&[u8], u64) = (b"n:layout", 1);
const OPENED: &[u8] = b"n:opened";
const REVISION: &[u8] = b"n:revision";
const KEY: u8 = b'k';
const LEASED: u8 = b'l';

/// A row that cannot be what was written there.
#[derive(Debug, thiserror::Error)]
enum Damage {
    #[error("the row {0} is damaged")]
    Row(String),
    #[error("the file has layout {0}, which this version does not know")]
    Layout(u64),
}

fn damaged(row: &[u8]) -> Fault {
    Fault::Failed(std::sync::Arc::new(Damage::Row(crate::kv::text(row))))
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
    map.put(REVISION, &revision.get().to_be_bytes())
}

/// Counts one more opening, and says which it is.
pub(super) fn open_again(map: &mut dyn Writing) -> Result<u64, Fault> {
    match number(map, LAYOUT.0)? {
        0 => map.put(LAYOUT.0, &LAYOUT.1.to_be_bytes())?,
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

/// Reads what stands in the row of a key.
pub(super) fn entry(row: &[u8], value: &[u8]) -> Result<Entry, Fault> {
    let parts = value.split_first_chunk::<8>().and_then(|(revision, rest)| {
        rest.split_first_chunk::<8>().map(|(lease, value)| (revision, lease, value))
    });
    let (Some((revision, lease, value)), Some((&KEY, key))) = (parts, row.split_first()) else {
        return Err(damaged(row));
    };
    let lease = u64::from_be_bytes(*lease);
    Ok(Entry {
        key: key.into(),
        value: value.into(),
        revision: Revision::new(u64::from_be_bytes(*revision)),
        lease: (lease != 0).then_some(Lease(lease)),
    })
}

pub(super) fn get(map: &dyn Reading, key: &[u8]) -> Result<Option<Entry>, Fault> {
    let row = row(key);
    map.get(&row)?.map(|value| entry(&row, &value)).transpose()
}

/// Writes a key, in place of what stood there.
pub(super) fn put(
    map: &mut dyn Writing,
    entry: &Entry,
    before: Option<&Entry>,
) -> Result<(), Fault> {
    let lease = entry.lease.map_or(0, |lease| lease.0).to_be_bytes();
    let value = [&entry.revision.get().to_be_bytes(), lease.as_slice(), &entry.value].concat();
    map.put(&row(&entry.key), &value)?;
    match (entry.lease, before.and_then(|before| before.lease)) {
        (Some(_), _) => map.put(&leased_row(&entry.key), &lease),
        (None, Some(_)) => map.remove(&leased_row(&entry.key)),
        (None, None) => Ok(()),
    }
}

/// Removes a key that is there.
pub(super) fn remove(map: &mut dyn Writing, before: &Entry) -> Result<(), Fault> {
    map.remove(&row(&before.key))?;
    if before.lease.is_some() {
        map.remove(&leased_row(&before.key))?;
    }
    Ok(())
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
