//! The load itself: clients that send changes until the time is over, or somebody has seen enough.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use lockstep_gnmi::proto::lockstep::v1::{ListTargetsRequest, Target};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tonic::{Request, Status};

use super::Bench;
use super::beside::{self, RESPITE, Told};
use super::live::Live;
use super::meter::{Figures, Meter};
use super::pace::Pace;
use super::plan::Plan;
use crate::cli::Failed;
use crate::client::{Client, refused};
use crate::signals::{Interrupted, Signals};

/// How often it is looked whether everything has reached the devices.
const LOOK: Duration = Duration::from_millis(100);
/// How long that is waited for.
const PATIENCE: Duration = Duration::from_secs(300);

/// What came of it.
#[derive(Debug)]
pub(super) struct Loaded {
    /// How long it was measured.
    pub(super) measured: Duration,
    /// Until when.
    pub(super) until: SystemTime,
    pub(super) changes: Figures,
    pub(super) reads: Figures,
    pub(super) told: Arc<Told>,
    /// How long devices took, after the end, to have everything that was decided; none: it was not waited for.
    pub(super) settled: Option<Duration>,
    /// It was ended before its time.
    pub(super) interrupted: Option<Interrupted>,
}

impl Loaded {
    /// An error, if nothing came of it.
    pub(super) fn worked(&self) -> Result<(), Failed> {
        let worst = self.changes.errors.iter().max_by_key(|(_, (count, _))| *count);
        match worst {
            Some((code, (_, message))) if self.changes.in_all == 0 => {
                Err(format!("not one change worked: {message} ({code})").into())
            }
            _ => Ok(()),
        }
    }
}

/// Everybody who does something.
struct Crew<'a> {
    asked: &'a Bench,
    plan: Arc<Plan>,
    pace: Arc<Pace>,
    changes: Arc<Meter>,
    reads: Arc<Meter>,
    told: Arc<Told>,
    clients: &'a [Client],
}

/// Puts the load on.
pub(super) async fn load(
    asked: &Bench,
    plan: Arc<Plan>,
    clients: &[Client],
    signals: &mut Signals,
) -> Result<Loaded, Failed> {
    let (changes, reads, told) = <(Arc<Meter>, Arc<Meter>, Arc<Told>)>::default();
    let mut listeners = subscribe(asked, &plan, &told, clients);
    // What it takes until they are there is not part of the load.
    tokio::select! {
        () = told.up_to_date(asked.subscribers) => {}
        () = sleep(asked.timeout) => {}
        signal = signals.next() => return Err(signal.into()),
    }
    let pace = Pace::begin(asked.warm_up, asked.rate);
    told.begin(&pace);
    let crew = Crew { asked, plan, pace, changes, reads, told, clients };
    let mut senders = crew.send();
    let live = Live::show(Arc::clone(&crew.pace), Arc::clone(&crew.changes), asked.duration);
    let mut interrupted = tokio::select! {
        () = sleep(asked.warm_up + asked.duration) => None,
        signal = signals.next() => Some(signal),
    };
    crew.pace.end();
    crew.changes.miss(&crew.pace.missed());
    let (ended, until) = (Instant::now(), SystemTime::now());
    // Those under way are waited for, which ends with their own time, unless somebody cannot wait.
    tokio::select! {
        () = finished(&mut senders) => {}
        signal = signals.next() => interrupted = Some(signal),
    }
    senders.abort_all();
    listeners.abort_all();
    let settled = tokio::select! {
        settled = crew.settle(ended) => settled?,
        signal = signals.next() => {
            interrupted = Some(signal);
            None
        }
    };
    live.done().await;
    Ok(Loaded {
        measured: crew.pace.measured(),
        until,
        changes: crew.changes.figures(),
        reads: crew.reads.figures(),
        told: crew.told,
        settled,
        interrupted,
    })
}

async fn finished(tasks: &mut JoinSet<()>) {
    while tasks.join_next().await.is_some() {}
}

fn subscribe(asked: &Bench, plan: &Arc<Plan>, told: &Arc<Told>, clients: &[Client]) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    for (number, client) in (0..asked.subscribers).zip(clients.iter().cycle()) {
        let (plan, told) = (Arc::clone(plan), Arc::clone(told));
        tasks.spawn(beside::subscribe(plan, told, client.clone(), number));
    }
    tasks
}

impl Crew<'_> {
    fn client(&self, number: usize) -> Client {
        self.clients[number % self.clients.len()].clone()
    }

    fn send(&self) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        for number in 0..self.asked.clients {
            let (plan, pace) = (Arc::clone(&self.plan), Arc::clone(&self.pace));
            let meter = Arc::clone(&self.changes);
            tasks.spawn(send(plan, pace, meter, self.client(number), self.asked.timeout));
        }
        for number in 0..self.asked.readers {
            let (plan, pace) = (Arc::clone(&self.plan), Arc::clone(&self.pace));
            let meter = Arc::clone(&self.reads);
            tasks.spawn(beside::read(plan, pace, meter, self.client(number), number));
        }
        tasks
    }

    /// Waits until devices have what was decided, where answers do not say that already.
    async fn settle(&self, ended: Instant) -> Result<Option<Duration>, Failed> {
        if !self.asked.asynchronous {
            return Ok(None);
        }
        let mut admin = self.client(0).admin();
        let settled = async {
            loop {
                let request = ListTargetsRequest::default();
                let there = admin.list_targets(request).await.map_err(|s| refused(&s))?;
                let mut there = there.into_inner().targets.into_iter();
                // Those that are away get it when they come back.
                let concerned = |one: &Target| {
                    one.state == "synchronised" && self.plan.targets.contains(&one.name)
                };
                if there.all(|one| one.committed == one.applied || !concerned(&one)) {
                    return Ok(ended.elapsed());
                }
                sleep(LOOK).await;
            }
        };
        // That it takes even longer is told by there being no figure.
        timeout(PATIENCE, settled).await.ok().transpose()
    }
}

/// One client: the next change whenever there is one to send.
async fn send(
    plan: Arc<Plan>,
    pace: Arc<Pace>,
    meter: Arc<Meter>,
    client: Client,
    patience: Duration,
) {
    let mut gnmi = client.gnmi();
    while let Some(turn) = pace.turn().await {
        let mut request = Request::new(plan.change(turn.number + 1));
        request.set_timeout(patience);
        let answer: Result<_, Status> = gnmi.set(request).await;
        let failed = answer.is_err();
        meter.record(&pace, turn.due, answer);
        if failed {
            sleep(RESPITE).await;
        }
    }
}

/// How many messages subscribers were told, and changes in them.
pub(super) fn told(told: &Told) -> [u64; 4] {
    [&told.synced, &told.messages, &told.updates, &told.lost]
        .map(|count| count.load(Ordering::Relaxed))
}
