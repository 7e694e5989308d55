//! Requests that are not in the log yet, which of them has an id, and which of their deadlines comes first: with thousands
//! of them, nobody looks at each when one comes or goes, or when the clock moves.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Deref;
use std::sync::Arc;

use lockstep_types::{Timestamp, TransactionId};

use crate::request::Request;

/// The requests, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Submissions {
    all: VecDeque<Arc<Request>>,
    /// The same by their ids.
    ids: BTreeMap<TransactionId, Arc<Request>>,
    /// How many are to be in the log by when. Says nothing that the requests do not.
    deadlines: BTreeMap<Timestamp, usize>,
}

impl Submissions {
    pub(super) fn push(&mut self, request: Request) {
        *self.deadlines.entry(request.deadline).or_default() += 1;
        let request = Arc::new(request);
        self.ids.insert(request.id.clone(), Arc::clone(&request));
        self.all.push_back(request);
    }

    /// The one with this id.
    pub(super) fn named(&self, id: &TransactionId) -> Option<&Arc<Request>> {
        self.ids.get(id)
    }

    /// Takes out the one with this id. Most go in the order in which they came.
    pub(super) fn remove(&mut self, id: &TransactionId) -> Option<Arc<Request>> {
        let request = self.ids.remove(id)?;
        let at = self.all.iter().position(|one| Arc::ptr_eq(one, &request));
        at.and_then(|at| self.all.remove(at));
        if let Some(count) = self.deadlines.get_mut(&request.deadline) {
            *count -= 1;
            if *count == 0 {
                self.deadlines.remove(&request.deadline);
            }
        }
        Some(request)
    }

    /// Whether one has not made it by now.
    pub(super) fn is_late(&self, now: Timestamp) -> bool {
        self.deadlines.first_key_value().is_some_and(|(deadline, _)| now > *deadline)
    }

    /// The first deadline that has not passed.
    pub(super) fn next_deadline(&self, now: Timestamp) -> Option<Timestamp> {
        self.deadlines.range(now..).next().map(|(deadline, _)| *deadline)
    }
}

impl Deref for Submissions {
    type Target = VecDeque<Arc<Request>>;

    fn deref(&self) -> &Self::Target {
        &self.all
    }
}
