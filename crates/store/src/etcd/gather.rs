//! Whole revisions out of what a watch of etcd brings.
//!
//! One response may hold many revisions, and a large one comes in fragments that end anywhere, also
//! within a revision.

use std::sync::Arc;

use etcd_client::proto::PbWatchResponse;
use lockstep_types::Revision;

use super::keys::Keys;
use crate::kv::{Commit, Entry, Event, Lease};

/// A revision of which a part came after it was thought whole, or that came out of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the watch of etcd gave revision {came} after revision {last}")]
pub(super) struct Torn {
    came: Revision,
    last: Revision,
}

/// Puts revisions together.
#[derive(Debug)]
pub(super) struct Gather {
    /// Up to here everything was known before the watch began: it begins with the last of it again.
    known: Revision,
    /// The last revision that was given out.
    last: Revision,
    /// The one being put together.
    open: Option<(Revision, Vec<Event>)>,
}

impl Gather {
    pub(super) fn new(known: Revision) -> Self {
        Self { known, last: known, open: None }
    }

    /// Takes in a response. The revisions that are now whole.
    pub(super) fn take(
        &mut self,
        keys: &Keys,
        response: PbWatchResponse,
    ) -> Result<Vec<Commit>, Torn> {
        let mut whole = Vec::new();
        for event in response.events {
            let deleted = event.r#type == 1;
            let Some(pair) = event.kv else { continue };
            let came = super::unsigned(pair.mod_revision);
            if came <= self.known {
                continue;
            }
            if self.open.as_ref().is_some_and(|(open, _)| *open != came) {
                whole.extend(self.close());
            }
            if came <= self.last {
                return Err(Torn { came, last: self.last });
            }
            let (_, events) = self.open.get_or_insert_with(|| (came, Vec::new()));
            // What is not a record is a mark: a revision all the same.
            let Some(key) = keys.ours(&pair.key) else { continue };
            events.push(if deleted {
                Event::Delete(key.into())
            } else {
                let lease = (pair.lease != 0).then_some(Lease(pair.lease.cast_unsigned()));
                Event::Put(Entry {
                    key: key.into(),
                    value: pair.value.into(),
                    revision: came,
                    lease,
                })
            });
        }
        if !response.fragment {
            whole.extend(self.close());
        }
        Ok(whole)
    }

    fn close(&mut self) -> Option<Commit> {
        let (revision, events) = self.open.take()?;
        self.last = revision;
        Some(Commit { revision, events: Arc::from(events) })
    }
}

#[cfg(test)]
mod tests {
    //! Fragments, many revisions at once, what is known already, marks.

    use etcd_client::proto::{PbEvent, PbKeyValue, PbWatchResponse};
    use lockstep_types::Revision;

    use super::{Gather, Keys, Torn};

    fn response(fragment: bool, events: &[(i64, &str)]) -> PbWatchResponse {
        let event = |&(mod_revision, key): &(i64, &str)| {
            let kv = PbKeyValue { key: key.into(), mod_revision, ..PbKeyValue::default() };
            PbEvent { r#type: 0, kv: Some(kv), prev_kv: None }
        };
        let events = events.iter().map(event).collect();
        PbWatchResponse { fragment, events, ..PbWatchResponse::default() }
    }

    fn told(gather: &mut Gather, fragment: bool, events: &[(i64, &str)]) -> Vec<(u64, usize)> {
        let commits = gather.take(&Keys::new("/p/"), response(fragment, events)).unwrap();
        commits.iter().map(|commit| (commit.revision.get(), commit.events.len())).collect()
    }

    #[test]
    fn a_revision_is_given_out_when_it_is_whole() {
        let mut gather = Gather::new(Revision::new(5));
        let data = "/p/data/a";
        assert_eq!(told(&mut gather, false, &[]), []);
        assert_eq!(told(&mut gather, true, &[(5, data), (6, data)]), []);
        assert_eq!(told(&mut gather, true, &[(6, data), (7, data), (9, data)]), [(6, 2), (7, 1)]);
        assert_eq!(told(&mut gather, true, &[(9, data)]), []);
        assert_eq!(told(&mut gather, false, &[(9, data)]), [(9, 3)]);
        assert_eq!(told(&mut gather, false, &[(12, "/p/mark")]), [(12, 0)]);
    }

    #[test]
    fn a_torn_revision_is_noticed() {
        let mut gather = Gather::new(Revision::new(5));
        assert_eq!(told(&mut gather, false, &[(6, "/p/data/a")]), [(6, 1)]);
        let torn = gather.take(&Keys::new("/p/"), response(false, &[(6, "/p/data/b")]));
        assert_eq!(torn, Err(Torn { came: Revision::new(6), last: Revision::new(6) }));
    }
}
