//! The task that owns the core: takes in what happens, has carried out what the core says.

use std::collections::{BTreeMap, HashMap};
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use lockstep_protocol::{
    Answer, Check, Client, Command, Event, Node, Reply, Subject, Txn, Verdict, View, Wake, Written,
};
use lockstep_southbound::{Election, Link};
use lockstep_store::{Records, Watch};
use lockstep_types::{Revision, Target};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{sleep, sleep_until};

use crate::adoption::guard;
use crate::handle::{Asked, Shared};
use crate::target::TargetSpec;

/// How long the store is left alone after it failed.
const STORE_PAUSE: Duration = Duration::from_millis(200);

/// Everything that can happen to a node.
#[derive(Debug)]
pub(crate) struct Inputs {
    /// It is to end.
    pub(crate) stop: oneshot::Receiver<()>,
    /// The store moved.
    pub(crate) watch: Watch,
    /// What the links say.
    pub(crate) devices: mpsc::Receiver<Event>,
    /// What came of writes, verdicts and renewals.
    pub(crate) events: mpsc::Receiver<Event>,
    /// What clients ask.
    pub(crate) requests: mpsc::Receiver<Asked>,
}

/// The core and everything it needs to be carried out.
#[derive(Debug)]
pub(crate) struct Runtime {
    core: Node,
    records: Records,
    shared: Arc<Shared>,
    links: Arc<BTreeMap<Target, Link>>,
    publish: watch::Sender<Arc<View>>,
    events: mpsc::Sender<Event>,
    clients: HashMap<Client, oneshot::Sender<Reply>>,
    next_client: u64,
}

impl Runtime {
    pub(crate) fn new(
        core: Node,
        records: Records,
        shared: Arc<Shared>,
        links: Arc<BTreeMap<Target, Link>>,
        publish: watch::Sender<Arc<View>>,
        events: mpsc::Sender<Event>,
    ) -> Self {
        let clients = HashMap::new();
        Self { core, records, shared, links, publish, events, clients, next_client: 0 }
    }

    /// Runs until told to stop. Never waits for anything but its next input.
    pub(crate) async fn run(mut self, inputs: Inputs) {
        let Inputs { mut stop, mut watch, mut devices, mut events, mut requests } = inputs;
        let commands = self.core.start();
        self.carry_out(commands);
        loop {
            let due = self.core.next_due().map(|at| self.shared.clock.instant(at));
            tokio::select! {
                biased;
                _ = &mut stop => return,
                changes = watch.next() => match changes {
                    Some(Ok(changes)) => self.take_in(Event::Watch(changes)),
                    // Nothing is lost by ending here: a start carries on from what the store holds.
                    Some(Err(error)) => return tracing::error!(%error, "the watch broke off"),
                    None => return tracing::error!("the store is closed"),
                },
                Some(event) = devices.recv() => self.hear(event),
                Some(event) = events.recv() => self.take_in(event),
                Some(asked) = requests.recv() => self.ask(asked),
                () = due_at(due) => self.tick(),
            }
        }
    }

    fn tick(&mut self) {
        let commands = self.core.handle(Event::Tick(self.shared.clock.now()));
        self.carry_out(commands);
    }

    /// Takes in what a link says. What a device holds is first put in the terms of what is wanted of it:
    /// aside, since that takes as long as the configuration is large.
    fn hear(&mut self, event: Event) {
        let Event::Answered { target, connection, sequence, answer: Answer::Values(seen) } = event
        else {
            return self.take_in(event);
        };
        let Some(spec) = self.shared.targets.get(&target).cloned() else { return };
        let (view, events) = (self.core.view().clone(), self.events.clone());
        tokio::task::spawn_blocking(move || {
            let seen = spec.models.fold(&seen, &view.applied(&target));
            let answer = guard(seen, &view, &spec);
            let event = Event::Answered { target, connection, sequence, answer };
            let _ = events.blocking_send(event);
        });
    }

    fn take_in(&mut self, event: Event) {
        self.tick();
        let shown = matches!(event, Event::Watch(_));
        let commands = self.core.handle(event);
        if shown {
            // Before anyone is told: whoever was answered must find it in here.
            self.publish.send_replace(Arc::new(self.core.view().clone()));
        }
        self.carry_out(commands);
    }

    fn ask(&mut self, asked: Asked) {
        self.next_client += 1;
        let client = Client(self.next_client);
        let (event, answer) = match asked {
            Asked::Submit(request, answer) => (Event::Submit { client, request }, answer),
            Asked::Cancel(index, answer) => (Event::Cancel { client, index }, answer),
        };
        self.clients.insert(client, answer);
        self.take_in(event);
    }

    fn carry_out(&mut self, commands: Vec<Command>) {
        for command in commands {
            match command {
                Command::Write { wake, txn } => self.write(wake, txn),
                Command::Validate { subject, checks } => self.validate(subject, checks),
                Command::Send { target, connection, sequence, term, ask } => {
                    let election = Election { high: self.records.epoch().get(), low: term.get() };
                    if let Some(link) = self.links.get(&target) {
                        link.send(connection, sequence, election, ask);
                    }
                }
                Command::Close { target, connection } => {
                    if let Some(link) = self.links.get(&target) {
                        link.close(connection);
                    }
                }
                Command::Answer { client, reply } => self.answer(client, reply),
            }
        }
    }

    fn answer(&mut self, client: Client, reply: Reply) {
        // A client that has gone away is no loss: its transaction goes on.
        if let Some(answer) = self.clients.remove(&client) {
            let _ = answer.send(reply);
        }
    }

    fn write(&self, wake: Wake, txn: Txn) {
        let (records, events) = (self.records.clone(), self.events.clone());
        let seen = self.core.view().revision();
        tokio::spawn(async move {
            let result = write(&records, &txn, seen).await;
            let _ = events.send(Event::Written { wake, result }).await;
        });
    }

    fn validate(&self, subject: Subject, checks: BTreeMap<Target, Check>) {
        let (shared, events) = (Arc::clone(&self.shared), self.events.clone());
        tokio::task::spawn_blocking(move || {
            if let Some(verdict) = verdict(&shared.targets, checks) {
                let _ = events.blocking_send(Event::Verdict { subject, verdict });
            }
        });
    }
}

async fn due_at(due: Option<tokio::time::Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => pending().await,
    }
}

/// Writes, or says that it has to be decided again.
async fn write(records: &Records, txn: &Txn, seen: Revision) -> Written {
    match records.write(txn).await {
        Ok(written) => written,
        Err(error) => {
            tracing::error!(%error, retryable = error.is_retryable(), "a write to the store failed");
            sleep(STORE_PAUSE).await;
            Written::Stale(seen)
        }
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
        let violations = models.validate(&check.result).into_iter();
        verdict.violations.extend(violations.map(|found| lockstep_protocol::record::Violation {
            target: target.clone(),
            path: found.path,
            message: found.message,
        }));
        verdict.bases.insert(target, check.base);
    }
    Some(verdict)
}
