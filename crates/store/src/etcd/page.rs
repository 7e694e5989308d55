//! One page of keys at a revision.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use etcd_client::{GetOptions, GetResponse, KeyValue};
use lockstep_types::Revision;

use super::fault::{Fault, Unexpected};
use super::members::Member;
use super::{Inner, number, revision, unsigned};
use crate::Error;
use crate::kv::{Entry, Lease, Page, Range};

/// How many keys are asked for at once, at the least and at the most.
const ENTRIES: (usize, usize) = (16, 8_192);
/// After how many bytes a page ends.
const BYTES: usize = 1 << 20;
/// What is taken in one answer: etcd itself does not look at the size.
const MESSAGE: usize = 32 << 20;

/// How large entries are, as far as was seen: etcd gives as many as are asked for, however large.
#[derive(Debug)]
pub(super) struct Size(AtomicUsize);

impl Default for Size {
    fn default() -> Self {
        Self(AtomicUsize::new(256))
    }
}

impl Size {
    fn count(&self) -> usize {
        (BYTES / self.0.load(Ordering::Relaxed).max(1)).clamp(ENTRIES.0, ENTRIES.1)
    }

    fn learn(&self, found: &[KeyValue]) {
        let bytes: usize = found.iter().map(|pair| pair.key().len() + pair.value().len()).sum();
        if let Some(mean) = bytes.checked_div(found.len()) {
            self.0.store(mean.max(1), Ordering::Relaxed);
        }
    }
}

pub(super) async fn read(inner: &Inner, range: Range) -> Result<Page, Error> {
    let room = if range.limit == 0 { usize::MAX } else { range.limit };
    // One more than there is room for tells where the next page begins.
    let mut count = room.min(inner.size.count()).saturating_add(1);
    loop {
        match get(inner, &range, count).await {
            Ok(found) => return page(inner, &range, room, found),
            Err(Fault::TooMuch) if count > 1 => count /= 2,
            Err(Fault::Compacted) => {
                return Err(compacted(inner, range.revision.unwrap_or_default()).await);
            }
            Err(Fault::Future) => {
                let current = inner.tide.read(&inner.members).await.map_err(Fault::read)?;
                let asked = range.revision.unwrap_or_default();
                return Err(Error::Future { asked, current });
            }
            Err(fault) => return Err(fault.read()),
        }
    }
}

async fn get(inner: &Inner, range: &Range, count: usize) -> Result<GetResponse, Fault> {
    let mut options = GetOptions::new()
        .with_range(inner.keys.until(range))
        .with_limit(i64::try_from(count).unwrap_or(i64::MAX));
    if let Some(at) = range.revision {
        // Nothing was there at revision 0, nor at 1, and etcd takes 0 for now.
        options = options.with_revision(number(at).max(1));
    }
    let from = inner.keys.theirs(&range.from);
    let get = |member: Arc<Member>| {
        let (from, options) = (from.clone(), options.clone());
        async move {
            let mut client = member.kv().max_decoding_message_size(MESSAGE);
            client.get(from, Some(options)).await
        }
    };
    inner.members.ask(get).await
}

fn page(inner: &Inner, range: &Range, room: usize, mut found: GetResponse) -> Result<Page, Error> {
    let revision = match range.revision {
        Some(at) => at,
        None => revision(found.header()).map_err(Fault::read)?,
    };
    inner.tide.told(revision);
    let (more, pairs) = (found.more(), found.take_kvs());
    inner.size.learn(&pairs);
    let (mut entries, mut bytes, mut next) = (Vec::new(), 0, None);
    for pair in pairs {
        let entry = entry(inner, pair)?;
        if entries.len() == room || bytes > BYTES {
            next = Some(entry.key.to_vec());
            break;
        }
        bytes += entry.key.len() + entry.value.len();
        entries.push(entry);
    }
    if next.is_none() && more {
        next = entries.last().map(|last: &Entry| [&*last.key, &[0]].concat());
    }
    Ok(Page { revision, entries, next })
}

fn entry(inner: &Inner, pair: KeyValue) -> Result<Entry, Error> {
    let (revision, lease) = (unsigned(pair.mod_revision()), pair.lease());
    let lease = (lease != 0).then_some(Lease(lease.cast_unsigned()));
    let (key, value) = pair.into_key_value();
    let key = inner.keys.ours(&key).map(Into::into).ok_or_else(|| {
        let source = Arc::new(Unexpected(crate::kv::text(&key)));
        Error::Failed { source }
    })?;
    Ok(Entry { key, value: value.into(), revision, lease })
}

/// What to say of a revision that is no longer kept. A read does not tell from where on they are; a
/// watch does.
pub(super) async fn compacted(inner: &Inner, asked: Revision) -> Error {
    let key = inner.keys.mark();
    let watch = |member: Arc<Member>| {
        let key = key.clone();
        async move {
            let options =
                etcd_client::WatchOptions::new().with_start_revision(number(asked).max(1));
            let mut stream = member.watches().watch(key, Some(options)).await?;
            while let Some(response) = stream.message().await? {
                if response.canceled() {
                    return Ok(response.compact_revision());
                }
            }
            Ok(0)
        }
    };
    match inner.members.ask(watch).await {
        Ok(oldest) if oldest > 0 => Error::Compacted { asked, oldest: unsigned(oldest) },
        // The present is always kept.
        Ok(_) => match inner.tide.read(&inner.members).await {
            Ok(oldest) => Error::Compacted { asked, oldest },
            Err(fault) => fault.read(),
        },
        Err(fault) => fault.read(),
    }
}
