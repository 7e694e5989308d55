//! Verdicts: what the models say of the results of a transaction.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::Arc;
use std::thread;

use lockstep_protocol::record::Violation;
use lockstep_protocol::{Base, Check, Event, Subject, Verdict};
use lockstep_types::{ModelDigest, Path, Target};
use lockstep_yang::ModelSet;
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
        let bases = checks.iter().map(|(target, check)| (target.clone(), check.base.clone()));
        let bases = bases.collect();
        tokio::spawn(async move {
            let turn = turns.acquire_owned().await;
            let judged = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                verdict(&shared.targets, checks)
            });
            let judged = judged.await.unwrap_or_else(|error| {
                tracing::error!(?subject, %error, "no verdict could be reached");
                Some(faulty(bases))
            });
            if let Some(verdict) = judged {
                // A core that has ended is told nothing.
                let _ = events.send(Event::Verdict { subject, verdict }).await;
            }
        });
    }
}

/// A fault of ours is no reason to wait for ever: what cannot be judged is not valid.
fn faulty(bases: BTreeMap<Target, Base>) -> Verdict {
    let message = "a fault in Lockstep while this was validated; please report it with its log";
    let violations = bases.keys().take(1).map(|target| Violation {
        target: target.clone(),
        path: Path::root(),
        message: message.into(),
    });
    Verdict { violations: violations.collect(), bases }
}

/// What the models say of every result. None if this node does not have the models of one of them:
/// then it is not for this node to decide.
fn verdict(
    targets: &BTreeMap<Target, TargetSpec>,
    checks: BTreeMap<Target, Check>,
) -> Option<Verdict> {
    let mut verdict = Verdict { bases: BTreeMap::new(), violations: Vec::new() };
    for (target, check) in checks {
        let models = models(targets, &target, &check.base.models)?;
        let violations = match &check.change {
            Some(change) => models.validate_change(&change.before, &change.delta),
            None => models.validate(&check.result),
        };
        let others = check.also.iter().flat_map(|tree| models.validate(tree));
        verdict.violations.extend(violations.into_iter().chain(others).map(|found| Violation {
            target: target.clone(),
            message: found.sentence(),
            path: found.path,
        }));
        verdict.bases.insert(target, check.base);
    }
    Some(verdict)
}

/// The models with this digest: those of the target, or of another if it is to be bound to them.
fn models<'t>(
    targets: &'t BTreeMap<Target, TargetSpec>,
    target: &Target,
    digest: &ModelDigest,
) -> Option<&'t ModelSet> {
    let own = targets.get(target).into_iter();
    own.chain(targets.values()).map(|spec| &spec.models).find(|models| models.digest() == digest)
}

#[cfg(test)]
mod tests {
    use lockstep_types::Revision;

    use super::*;

    #[test]
    fn what_cannot_be_judged_is_refused_on_what_it_was_to_be_judged_on() {
        let models = ModelDigest::new("models").unwrap();
        let base = Base { configuration: Revision::new(3), models };
        let bases = BTreeMap::from([(Target::new("leaf1").unwrap(), base)]);
        let verdict = faulty(bases.clone());
        assert_eq!(verdict.bases, bases, "or it would not count");
        assert_eq!(verdict.violations.len(), 1);
    }
}
