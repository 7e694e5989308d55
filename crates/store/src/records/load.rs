//! Everything the store holds, as a view.

use std::collections::BTreeMap;

use lockstep_protocol::record::Header;
use lockstep_protocol::{Changes, Op, View};
use lockstep_types::{Revision, Target};

use super::Inner;
use super::body;
use super::decode::{self, Stored};
use super::pieces::{Pieces, whole};
use super::value::Elsewhere;
use crate::kv::{Entry, Range};
use crate::{Error, Store};

/// How often a reader that is overtaken by the store's history begins again.
const TRIES: usize = 3;

pub(super) async fn load(inner: &Inner) -> Result<View, Error> {
    let mut tries = 1;
    let (revision, loaded) = loop {
        match gather(inner).await {
            Err(Error::Compacted { .. }) if tries < TRIES => tries += 1,
            gathered => break gathered?,
        }
    };
    for (target, (_, pieces)) in &loaded.configurations {
        let (snapshot, deltas) = pieces.bytes();
        inner.accounts.set(target, snapshot, deltas);
    }
    loaded.view(revision)
}

/// Reads a range to its end, at one revision, which is given back. Long values are whole.
pub(super) async fn each(
    store: &dyn Store,
    range: Range,
    mut take: impl FnMut(Entry, Option<Elsewhere>) -> Result<(), Error>,
) -> Result<Revision, Error> {
    let mut range = range;
    loop {
        let page = store.range(range.clone()).await?;
        let next = range.after(&page);
        for mut entry in page.entries {
            let place = body::resolve(store, page.revision, &mut entry).await?;
            take(entry, place)?;
        }
        match next {
            Some(next) => range = next,
            None => return Ok(page.revision),
        }
    }
}

async fn gather(inner: &Inner) -> Result<(Revision, Loaded), Error> {
    let mut loaded = Loaded::default();
    let revision = each(&*inner.store, Range::all(), |entry, place| {
        if place.is_some() {
            inner.bodies.note(&entry.key, place);
        }
        loaded.add(entry)
    })
    .await?;
    Ok((revision, loaded))
}

/// What was read, in the order in which it was written.
#[derive(Default)]
struct Loaded {
    records: BTreeMap<Revision, Vec<Op>>,
    configurations: BTreeMap<Target, (Option<(Revision, Header)>, Pieces)>,
}

impl Loaded {
    fn add(&mut self, entry: Entry) -> Result<(), Error> {
        let stored = decode::stored(&entry.key, &entry.value)?;
        match stored {
            Stored::Note => {}
            Stored::Record(op) => self.records.entry(entry.revision).or_default().push(op),
            Stored::Header(target, header) => {
                let (known, _) = self.configurations.entry(target).or_default();
                *known = Some((entry.revision, header));
            }
            Stored::Delta(ref target, ..)
            | Stored::Snapshot(ref target, _)
            | Stored::Chunk(ref target, ..) => {
                let (_, pieces) = self.configurations.entry(target.clone()).or_default();
                pieces.add(stored, &entry);
            }
        }
        Ok(())
    }

    fn view(mut self, revision: Revision) -> Result<View, Error> {
        for (target, (header, pieces)) in self.configurations {
            let Some((revision, header)) = header else { continue };
            let (committed, applied) = pieces.trees(&target)?;
            let (committed, applied) = (whole(&committed), whole(&applied));
            let op = Op::Configuration { target, header, committed, applied };
            self.records.entry(revision).or_default().push(op);
        }
        let mut view = View::new();
        for (revision, ops) in self.records {
            view.absorb(&Changes { revision, ops });
        }
        view.absorb(&Changes { revision, ops: Vec::new() });
        Ok(view)
    }
}
