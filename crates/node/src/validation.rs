//! Verdicts: what the models say of the results of a transaction.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use lockstep_protocol::record::{Status, Violation};
use lockstep_protocol::{Base, Body, Change, Changes, Check, Event, Op, Subject, Verdict, View};
use lockstep_types::{Edit, Index, Path, Target};
use tokio::sync::{Semaphore, mpsc};

use crate::aside::{apart, on_the_spot};
use crate::metrics;
use crate::models::Models;

/// So much is judged where it is: to have it done aside would cost more.
const LITTLE: usize = 16;

/// What is to be judged.
type Lacking = BTreeMap<Subject, Checks>;

/// What is to be valid, target by target.
type Checks = BTreeMap<Target, Check>;

/// Validates on threads of its own, as many at a time as the machine has cores: more would only take
/// the cores from each other, and from everything else.
#[derive(Debug)]
pub(crate) struct Validation {
    models: Models,
    events: mpsc::Sender<Event>,
    turns: Arc<Semaphore>,
    /// What this node lacks the models for: as long as that is so, it is not for this node to decide.
    lacking: Arc<Mutex<Lacking>>,
}

impl Validation {
    pub(crate) fn new(models: Models, events: mpsc::Sender<Event>) -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let turns = Arc::new(Semaphore::new(cores));
        Self { models, events, turns, lacking: Arc::default() }
    }

    /// There are other models: what had to be left is looked at again.
    pub(crate) fn again(&self) {
        let left = std::mem::take(&mut *lock(&self.lacking));
        left.into_iter().for_each(|(subject, checks)| self.begin(subject, checks));
    }

    /// What was decided elsewhere needs no verdict from here any more. The core, which waits for one, is given one
    /// on nothing: it decides nothing, and what is asked later is asked anew.
    pub(crate) fn forget_decided(&self, changes: &Changes) {
        let mut lacking = lock(&self.lacking);
        if lacking.is_empty() {
            return;
        }
        let decided: Vec<Subject> =
            changes.ops.iter().flat_map(|op| decided(&lacking, op)).collect();
        let decided: Vec<Subject> =
            decided.into_iter().filter(|subject| lacking.remove(subject).is_some()).collect();
        drop(lacking);
        if !decided.is_empty() {
            let events = self.events.clone();
            tokio::spawn(async move {
                for subject in decided {
                    let verdict = Verdict { bases: BTreeMap::new(), violations: Vec::new() };
                    // A core that has ended is told nothing.
                    let _ = events.send(Event::Verdict { subject, verdict }).await;
                }
            });
        }
    }

    /// Has the verdict brought as an event. How many wait is bounded by how many transactions are open.
    pub(crate) fn begin(&self, subject: Subject, checks: Checks) {
        let (models, events) = (self.models.clone(), self.events.clone());
        let (turns, lacking) = (Arc::clone(&self.turns), Arc::clone(&self.lacking));
        let bases = checks.iter().map(|(target, check)| (target.clone(), check.base.clone()));
        let bases = bases.collect();
        tokio::spawn(async move {
            let _under_way = metrics::VALIDATING.hold();
            let little = checks.values().map(size).sum::<usize>() <= LITTLE;
            let judge = move || judged(&models, checks);
            let found = if little {
                on_the_spot(judge)
            } else {
                let turn = turns.acquire_owned().await;
                apart(move || {
                    let _turn = turn;
                    judge()
                })
                .await
            };
            let found = found.unwrap_or_else(|error| {
                let (transaction, target) = named(&subject);
                metrics::validated("failed", Duration::ZERO);
                tracing::error!(transaction, target, %error, "no verdict could be reached");
                Ok(faulty(bases))
            });
            match found {
                // A core that has ended is told nothing.
                Ok(verdict) => drop(events.send(Event::Verdict { subject, verdict }).await),
                Err(checks) => drop(lock(&lacking).insert(subject, checks)),
            }
        });
    }
}

/// The verdict on a small change, by whoever brings it: then the core need not ask, and many are judged side by side.
/// It counts if nothing has moved until the core decides. None: it is for the core to ask.
pub(crate) fn ahead(models: &Models, view: &View, body: &Body) -> Option<Verdict> {
    let sets = |edit: &Edit| edit.clear.is_empty() && edit.set.len() + edit.add.len() <= LITTLE;
    if body.edits.len() > LITTLE || !body.edits.values().all(sets) {
        return None;
    }
    let checks = view.checks(body)?;
    if checks.values().map(size).sum::<usize>() > LITTLE {
        return None;
    }
    // What it panics at, it panics at again when the core asks, which is told of it then.
    on_the_spot(|| judged(models, checks)).ok()?.ok()
}

/// Judges, and counts that and how long it took.
fn judged(models: &Models, checks: Checks) -> Result<Verdict, Checks> {
    let begun = Instant::now();
    let judged = verdict(models, checks);
    metrics::validated(word(&judged), begun.elapsed());
    judged
}

/// How much is to be looked at, in units: of a change, what it sets; where something is removed, or it is not known that
/// the rest is valid, that may be everything.
fn size(check: &Check) -> usize {
    let sets = |change: &&Change| change.delta.iter().all(|(_, content)| content.is_some());
    let change = check.change.as_ref().filter(sets).filter(|_| check.also.is_empty());
    change.map_or(LITTLE + 1, |change| change.delta.len())
}

/// What a write decides, of what could not be judged here.
fn decided(lacking: &Lacking, op: &Op) -> Vec<Subject> {
    match op {
        Op::Id { id, .. } => vec![Subject::Submission(id.clone())],
        Op::Transaction(transaction) if transaction.status != Status::Pending => {
            vec![Subject::Transaction(transaction.index)]
        }
        Op::Configuration { target, header, .. } => {
            let checked = header.recheck.unwrap_or(Index::new(u64::MAX));
            let recheck = |index| Subject::Recheck(target.clone(), index);
            let upto = lacking.range(recheck(Index::ZERO)..=recheck(checked));
            upto.map(|(subject, _)| subject.clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// What was found, in a word.
fn word(judged: &Result<Verdict, Checks>) -> &'static str {
    match judged {
        Ok(verdict) if verdict.violations.is_empty() => "valid",
        Ok(_) => "invalid",
        Err(_) => "no-models",
    }
}

/// What is judged, for the log: the transaction, or the id it is to have, and the target where there is one.
fn named(subject: &Subject) -> (String, Option<&str>) {
    match subject {
        Subject::Submission(id) => (id.to_string(), None),
        Subject::Transaction(index) => (index.to_string(), None),
        Subject::Recheck(target, index) => (index.to_string(), Some(target.as_str())),
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

/// What the models say of every result. All of it is given back if this node does not have the models of
/// one of them: then it is not for this node to decide.
fn verdict(models: &Models, checks: Checks) -> Result<Verdict, Checks> {
    let sets: Option<Vec<_>> =
        checks.values().map(|check| models.get(&check.base.models)).collect();
    let Some(sets) = sets else { return Err(checks) };
    let mut verdict = Verdict { bases: BTreeMap::new(), violations: Vec::new() };
    for ((target, check), models) in checks.into_iter().zip(sets) {
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
    Ok(verdict)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::path::Path as FilePath;

    use lockstep_protocol::record::Header;
    use lockstep_types::{Configuration, ModelDigest, Patch, Revision, TransactionId};
    use lockstep_yang::{ModelSet, Options};

    use super::*;

    fn leaf1() -> Target {
        Target::new("leaf1").unwrap()
    }

    fn checks(models: &ModelDigest) -> BTreeMap<Target, Check> {
        let base = Base { configuration: Revision::new(3), models: models.clone() };
        let check = Check { base, result: Configuration::new(), change: None, also: Vec::new() };
        [(leaf1(), check)].into()
    }

    #[test]
    fn what_cannot_be_judged_is_refused_on_what_it_was_to_be_judged_on() {
        let models = ModelDigest::new("models").unwrap();
        let base = Base { configuration: Revision::new(3), models };
        let bases = BTreeMap::from([(leaf1(), base)]);
        let verdict = faulty(bases.clone());
        assert_eq!(verdict.bases, bases, "or it would not count");
        assert_eq!(verdict.violations.len(), 1);
    }

    #[tokio::test]
    async fn what_there_are_no_models_for_is_judged_when_they_come() {
        let path = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../models/lab");
        let set = ModelSet::load(&Options { path, ..Options::default() }).unwrap();
        let (models, (events, mut told)) = (Models::default(), mpsc::channel(1));
        let validation = Validation::new(models.clone(), events);
        let subject = Subject::Transaction(Index::new(7));
        validation.begin(subject.clone(), checks(set.digest()));
        while lock(&validation.lacking).is_empty() {
            tokio::task::yield_now().await;
        }
        validation.again();
        while lock(&validation.lacking).is_empty() {
            tokio::task::yield_now().await;
        }
        assert!(told.try_recv().is_err(), "nobody has judged it");
        models.replace([("lab".to_owned(), set)].into(), &std::collections::BTreeSet::new());
        validation.again();
        let Some(Event::Verdict { subject: of, verdict }) = told.recv().await else {
            panic!("no verdict")
        };
        assert_eq!((of, verdict.violations.len()), (subject, 0));
        assert!(lock(&validation.lacking).is_empty());
    }
    #[tokio::test]
    async fn what_was_decided_elsewhere_is_forgotten() {
        let (events, mut told) = mpsc::channel(8);
        let validation = Validation::new(Models::default(), events);
        let id = TransactionId::new("a").unwrap();
        let recheck = |index| Subject::Recheck(leaf1(), Index::new(index));
        let all = [Subject::Submission(id.clone()), recheck(3), recheck(4)];
        for subject in &all {
            validation.begin(subject.clone(), checks(&ModelDigest::new("others").unwrap()));
        }
        while lock(&validation.lacking).len() < all.len() {
            tokio::task::yield_now().await;
        }
        let configuration = Op::Configuration {
            target: leaf1(),
            header: Header { recheck: Some(Index::new(3)), ..Header::default() },
            committed: Patch::default(),
            applied: Patch::default(),
            cleared: false,
        };
        let ops = vec![Op::Id { id, index: Index::new(9) }, configuration];
        validation.forget_decided(&Changes { revision: Revision::new(4), ops });
        assert_eq!(lock(&validation.lacking).keys().collect::<Vec<_>>(), [&all[2]]);
        // The core waits for a verdict on each, and gets one that decides nothing.
        for expected in &all[..2] {
            let Some(Event::Verdict { subject, verdict }) = told.recv().await else {
                panic!("no verdict")
            };
            assert_eq!((&subject, verdict.bases.len()), (expected, 0));
        }
    }
}
