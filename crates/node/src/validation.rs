//! Verdicts: what the models say of the results of a transaction.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::Arc;
use std::thread;

use lockstep_protocol::record::Violation;
use lockstep_protocol::{Check, Event, Subject, Verdict};
use lockstep_types::Target;
use tokio::sync::{Semaphore, mpsc};

use crate::handle::Shared;
use crate::target::TargetSpec;

/// Validates on threads of its own, as many at a time as the machine has cores: more would only take
/// the cores from each other, and from everything else.
#[derive(Debug)]
pub(crate) struct Validation {
    shared: Arc<Shared>,
    events: mpsc::Sender<Event>,
    turns: Arc<Semaphore>,
}

impl Validation {
    pub(crate) fn new(shared: Arc<Shared>, events: mpsc::Sender<Event>) -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        Self { shared, events, turns: Arc::new(Semaphore::new(cores)) }
    }

    /// Has the verdict brought as an event. How many wait is bounded by how many transactions are open.
    pub(crate) fn begin(&self, subject: Subject, checks: BTreeMap<Target, Check>) {
        let (shared, events) = (Arc::clone(&self.shared), self.events.clone());
        let turns = Arc::clone(&self.turns);
        tokio::spawn(async move {
            let turn = turns.acquire_owned().await;
            let judged = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                verdict(&shared.targets, checks)
            });
            match judged.await {
                Ok(Some(verdict)) => {
                    let _ = events.send(Event::Verdict { subject, verdict }).await;
                }
                Ok(None) => {}
                Err(error) => tracing::error!(?subject, %error, "there is no verdict"),
            }
        });
    }
}

/// What the models say of every result. None if this node does not have the models of one of them:
/// then it is not for this node to decide.
fn verdict(
    targets: &BTreeMap<Target, TargetSpec>,
    checks: BTreeMap<Target, Check>,
) -> Option<Verdict> {
    let mut verdict = Verdict { bases: BTreeMap::new(), violations: Vec::new() };
    for (target, check) in checks {
        let models = &targets.get(&target)?.models;
        if *models.digest() != check.base.models {
            return None;
        }
        let violations = match &check.change {
            Some(change) => models.validate_change(&change.before, &change.delta),
            None => models.validate(&check.result),
        };
        verdict.violations.extend(violations.into_iter().map(|found| Violation {
            target: target.clone(),
            path: found.path,
            message: found.message,
        }));
        verdict.bases.insert(target, check.base);
    }
    Some(verdict)
}
