//! Whole revisions out of what a watch of etcd brings.
//!
//! One response may hold many revisions, and a large one comes in fragments that end anywhere, also
//! within a revision.
//!
//! A watch begins with the last revision that is known. If that has become something else, the cluster was set back
//! and has got as far again since.

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

/// Why what a watch brings cannot be given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Broken {
    #[error(transparent)]
    Torn(#[from] Torn),
    #[error(
        "revision {0} of etcd is not what it was: it was set back, as when a snapshot is restored"
    )]
    Other(Revision),
}

/// Puts revisions together.
#[derive(Debug)]
pub(super) struct Gather {
    /// Up to here everything was known before the watch began: it begins with the last of it again.
    known: Revision,
    /// What was in that, if this is to be seen again.
    content: Option<Arc<[Event]>>,
    /// The last revision that was given out.
    last: Revision,
    /// The one being put together.
    open: Option<(Revision, Vec<Event>)>,
}

impl Gather {
    /// Goes on after a revision, of which the content may be known.
    pub(super) fn new(known: Revision, content: Option<Arc<[Event]>>) -> Self {
        Self { known, content, last: known, open: None }
    }

    /// Takes in a response. The revisions that are now whole.
    pub(super) fn take(
        &mut self,
        keys: &Keys,
        response: PbWatchResponse,
    ) -> Result<Vec<Commit>, Broken> {
        let mut whole = Vec::new();
        for event in response.events {
            let deleted = event.r#type == 1;
            let Some(pair) = event.kv else { continue };
            let came = super::unsigned(pair.mod_revision);
            let again = came == self.known && self.content.is_some();
            if came <= self.known && !again {
                continue;
            }
            if self.open.as_ref().is_some_and(|(open, _)| *open != came) {
                whole.extend(self.close()?);
            }
            if came > self.known {
                self.compare(&[])?;
            }
            if came <= self.last && !again {
                return Err(Torn { came, last: self.last }.into());
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
            whole.extend(self.close()?);
        }
        Ok(whole)
    }

    /// The revision being put together is whole. It is given out unless it is the one that was known.
    fn close(&mut self) -> Result<Option<Commit>, Broken> {
        let Some((revision, events)) = self.open.take() else { return Ok(None) };
        if revision <= self.known {
            return self.compare(&events).map(|()| None);
        }
        self.last = revision;
        Ok(Some(Commit { revision, events: Arc::from(events) }))
    }

    /// Compares the known revision, once, with what it is now. A compaction may have taken removals out of it.
    fn compare(&mut self, found: &[Event]) -> Result<(), Broken> {
        let Some(content) = self.content.take() else { return Ok(()) };
        let puts = |event: &&Event| matches!(event, Event::Put(_));
        let same = content.iter().filter(puts).eq(found.iter().filter(puts));
        same.then_some(()).ok_or(Broken::Other(self.known))
    }
}

#[cfg(test)]
mod tests {
    //! Fragments, many revisions at once, what is known already, marks.

    use etcd_client::proto::{PbEvent, PbKeyValue, PbWatchResponse};
    use lockstep_types::Revision;

    use super::{Broken, Gather, Keys, Torn};

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
        let mut gather = Gather::new(Revision::new(5), None);
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
        let mut gather = Gather::new(Revision::new(5), None);
        assert_eq!(told(&mut gather, false, &[(6, "/p/data/a")]), [(6, 1)]);
        let torn = gather.take(&Keys::new("/p/"), response(false, &[(6, "/p/data/b")]));
        let torn_at = Torn { came: Revision::new(6), last: Revision::new(6) };
        assert_eq!(torn, Err(Broken::Torn(torn_at)));
    }

    /// Goes on after a revision 6 with two records in it.
    fn gone_on() -> Gather {
        let mut first = Gather::new(Revision::new(5), None);
        let events = [(6, "/p/data/a"), (6, "/p/data/b")];
        let commits = first.take(&Keys::new("/p/"), response(false, &events)).unwrap();
        Gather::new(Revision::new(6), Some(commits[0].events.clone()))
    }

    #[test]
    fn the_last_that_was_known_comes_again_and_is_not_given_out() {
        let mut gather = gone_on();
        assert_eq!(told(&mut gather, true, &[(6, "/p/data/a")]), []);
        assert_eq!(told(&mut gather, false, &[(6, "/p/data/b"), (7, "/p/data/b")]), [(7, 1)]);
        let mut gather = gone_on();
        assert_eq!(told(&mut gather, false, &[(6, "/p/data/a"), (6, "/p/data/b")]), []);
        assert_eq!(told(&mut gather, false, &[(8, "/p/mark")]), [(8, 0)]);
    }

    #[test]
    fn a_last_one_that_is_another_is_noticed() {
        let others: [&[(i64, &str)]; 4] = [
            &[(6, "/p/data/a")],
            &[(6, "/p/data/a"), (6, "/p/data/c")],
            &[(6, "/p/mark")],
            &[(7, "/p/data/a")],
        ];
        for other in others {
            let found = gone_on().take(&Keys::new("/p/"), response(false, other));
            assert_eq!(found, Err(Broken::Other(Revision::new(6))), "{other:?}");
        }
    }
}
