//! The task that owns the core: takes in what happens, has carried out what the core says.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use lockstep_protocol::trace::Saw;
use lockstep_protocol::{Answer, Command, Event, Node, Txn, View, Wake, Written};
use lockstep_store::Records;
use lockstep_types::{Connection, Revision, Target};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep};

use crate::account::{Account, concerned};
use crate::aside::{FEW, aside};
use crate::clients::Clients;
use crate::election::mandate;
use crate::handle::{Asked, Shared};
use crate::inputs::{Input, Inputs};
use crate::links::Links;
use crate::retarget::{bound, looked_after, rewritten, written};
use crate::targets::Maker;
use crate::trace::Trace;
use crate::validation::Validation;

/// How long the store is left alone after it failed.
const STORE_PAUSE: Duration = Duration::from_millis(200);

/// How long a node that stops goes on for those who wait for an answer.
const DRAIN: Duration = Duration::from_secs(3);

/// Why a node has ended. Nothing is lost by it: a start carries on from what the store holds.
#[derive(Debug)]
pub enum Ended {
    /// It was told to.
    Stopped,
    /// Its session ran out, so another may have taken its targets.
    Session,
    /// It does not hear of the store any more; none: the store was closed.
    Watch(Option<lockstep_store::Error>),
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stopped => f.write_str("it was told to stop"),
            Self::Session => f.write_str("its session ran out: it could not renew it in time"),
            Self::Watch(Some(error)) => {
                f.write_str("the store cannot be watched")?;
                let mut below = Some(error as &dyn std::error::Error);
                while let Some(error) = below {
                    write!(f, ": {error}")?;
                    below = error.source();
                }
                Ok(())
            }
            Self::Watch(None) => f.write_str("the store is closed"),
        }
    }
}

/// The core and everything it needs to be carried out.
#[derive(Debug)]
pub(crate) struct Runtime {
    pub(crate) core: Node,
    trace: Option<Trace>,
    records: Records,
    pub(crate) shared: Arc<Shared>,
    pub(crate) links: Arc<Links>,
    pub(crate) maker: Maker,
    publish: watch::Sender<Arc<View>>,
    events: mpsc::Sender<Event>,
    pub(crate) validation: Validation,
    clients: Clients,
}

impl Runtime {
    pub(crate) fn new(
        (core, trace): (Node, Option<Trace>),
        records: Records,
        shared: Arc<Shared>,
        links: Arc<Links>,
        maker: Maker,
        publish: watch::Sender<Arc<View>>,
        events: mpsc::Sender<Event>,
    ) -> Self {
        let validation = Validation::new(maker.models.clone(), events.clone());
        let clients = Clients::new();
        Self { core, trace, records, shared, links, maker, publish, events, validation, clients }
    }

    /// Runs until it is told to stop or cannot go on. Never waits for anything but its next input.
    /// Whoever still waits at the end is told.
    pub(crate) async fn run(mut self, mut inputs: Inputs) -> Ended {
        self.begin_targets();
        // First the time: what is late by now turns, and is not sent any more.
        self.tick();
        let commands = self.step(Saw::Start);
        self.carry_out(commands);
        let ended = self.live(&mut inputs).await;
        self.clients.end(self.core.view());
        ended
    }

    async fn live(&mut self, inputs: &mut Inputs) -> Ended {
        let mut stopping = None;
        loop {
            if stopping.is_some() && self.clients.is_empty() {
                return Ended::Stopped;
            }
            let due = self.core.next_due().map(|at| self.shared.clock.instant(at));
            match inputs.next(stopping, due).await {
                Input::Stop => {
                    // Whoever was taken in is answered, if that does not take long; nobody else is.
                    inputs.requests.close();
                    stopping = Some(Instant::now() + DRAIN);
                }
                Input::Over => return Ended::Stopped,
                Input::Lease(until) => self.take_in(Event::Lease(until)),
                Input::Watch(Some(Ok(changes))) => self.take_in(Event::Watch(changes)),
                Input::Watch(Some(Err(error))) => return Ended::Watch(Some(error)),
                Input::Watch(None) => return Ended::Watch(None),
                Input::Device(event) => self.hear(event),
                Input::Event(event) => self.take_in(event),
                Input::Asked(asked) => self.ask(asked),
                Input::Models(new) => self.have_models(new),
                Input::Due => self.tick(),
            }
            if !self.core.view().is_alive(self.core.session()) {
                return Ended::Session;
            }
        }
    }

    /// Has the core take a step, written down where that is wanted.
    pub(crate) fn step(&mut self, saw: Saw) -> Vec<Command> {
        let Some(trace) = &mut self.trace else {
            return match saw {
                Saw::Start => self.core.start(),
                Saw::Event(event) => self.core.handle(event),
            };
        };
        let (commands, written) = trace.step(&mut self.core, saw);
        if let Err(error) = written {
            tracing::error!(%error, "the trace ends here: it cannot be written");
            self.trace = None;
        }
        commands
    }

    fn tick(&mut self) {
        // Log time is that of the node that is furthest ahead: a deadline counts alike on all of them.
        self.shared.clock.not_before(self.core.view().head().timestamp);
        let commands = self.step(Saw::Event(Event::Tick(self.shared.clock.now())));
        self.carry_out(commands);
    }

    /// Takes in what a link says. What a device holds is first put in the terms of what is wanted of it: by a task, since
    /// that takes as long as the configuration is large.
    fn hear(&mut self, event: Event) {
        if let Event::Connected { target, connection }
        | Event::Disconnected { target, connection }
        | Event::Answered { target, connection, .. } = &event
            && !self.links.is_of_now(target, *connection)
        {
            return;
        }
        if let Event::Answered { target, connection, .. } = &event {
            self.learn_trials(target, *connection);
        }
        let Event::Answered { target, connection, sequence, answer: Answer::Values(seen) } = event
        else {
            let answered = match &event {
                Event::Answered { target, .. } => Some(target.clone()),
                _ => None,
            };
            self.take_in(event);
            return answered.iter().for_each(|target| self.say_whether_it_rests(target));
        };
        let Some(spec) = self.shared.targets.spec(&target) else { return };
        let (view, events) = (self.core.view().clone(), self.events.clone());
        tokio::spawn(async move {
            let wanted = view.applied(&target);
            let little = seen.len().max(wanted.len()) <= FEW;
            let folded = aside(little, move || spec.models.fold(&seen, &wanted)).await;
            // A fault in there ends the wait for the answer: the device is taken not to have given one.
            let answer = folded.map_or(Answer::Unknown, Answer::Values);
            let event = Event::Answered { target, connection, sequence, answer };
            let _ = events.send(event).await;
        });
    }

    /// A device that turns no older master away is left alone for a while once it is claimed, and whoever waits is told.
    fn say_whether_it_rests(&self, target: &Target) {
        let rests = self.core.desk().link(target).is_some_and(|link| link.quiet.is_some());
        if let Some(link) = self.links.get(target) {
            link.rests(rests);
        }
    }

    /// Whether a device can take something on trial is known with its answer to the claim.
    fn learn_trials(&mut self, target: &Target, connection: Connection) {
        let can = self.links.get(target).is_some_and(|link| link.confirms() == Some(true));
        let Some(entry) = self.shared.targets.get(target).filter(|_| can) else { return };
        let (target, trials) = (target.clone(), entry.trials);
        if self.core.desk().link(&target).is_some_and(|link| link.trials != trials) {
            self.take_in(Event::Trials { target, connection, trials });
        }
    }

    pub(crate) fn take_in(&mut self, event: Event) {
        self.tick();
        // What is late by now is given up, with its connection. That may also have gone while the answer was worked out.
        if !is_of_now(&self.core, &event) {
            return;
        }
        if let Event::Lease(until) = &event {
            self.shared.lease.store(until.get(), Ordering::Relaxed);
        }
        let feed = self.shared.feed.clone();
        let (turn, bound, written) = match &event {
            Event::Watch(changes) => {
                self.validation.forget_decided(changes);
                looked_after(changes).for_each(|target| self.shared.drift.forgive(target));
                rewritten(self.core.view(), changes).for_each(|t| self.shared.drift.excuse(t));
                (Some(feed.note(changes)), bound(changes), written(changes))
            }
            _ => (None, Vec::new(), Vec::new()),
        };
        let commands = self.step(Saw::Event(event));
        // Before anyone is shown what stands now, for it takes the right models to read that.
        let gone: Vec<Event> = bound.iter().filter_map(|target| self.bound_anew(target)).collect();
        // Before anyone is answered: what one was told of must be found in here.
        let seen = turn.map(|turn| {
            let view = Arc::new(self.core.view().clone());
            self.publish.send_replace(Arc::clone(&view));
            // What is wanted may be what the device shows by now.
            for target in written.iter().filter(|target| self.shared.drift.concerns(&view, target))
            {
                self.shared.drift.report(target);
            }
            (turn, view)
        });
        // Devices and clients before those who follow: these are many, and what they are told is worked out first.
        self.carry_out(commands);
        if let Some((turn, view)) = seen {
            turn.tell(view);
        }
        gone.into_iter().for_each(|gone| self.take_in(gone));
    }

    fn ask(&mut self, asked: Asked) {
        for gone in self.clients.gone() {
            self.take_in(gone);
        }
        let event = self.clients.begin(asked);
        self.take_in(event);
    }

    fn carry_out(&mut self, commands: Vec<Command>) {
        for command in commands {
            match command {
                Command::Write { wake, txn } => self.write(wake, txn),
                Command::Validate { subject, checks } => self.validation.begin(subject, checks),
                Command::Send { target, connection, sequence, term, ask } => {
                    let mandate = mandate(self.records.epoch(), term, self.shared.mandated.clone());
                    if let Some(link) = self.links.get(&target) {
                        let about = self.core.desk().link(&target).and_then(|l| l.work.about());
                        link.send(connection, sequence, mandate, ask, about);
                    }
                }
                Command::Close { target, connection } => {
                    if let Some(link) = self.links.get(&target) {
                        link.close(connection);
                    }
                }
                Command::Connect(target) => self.connect(&target),
                Command::Disconnect(target) => self.disconnect(&target),
                Command::Answer { client, reply } => self.clients.answer(client, reply),
            }
        }
    }

    fn write(&self, wake: Wake, txn: Txn) {
        let (records, events) = (self.records.clone(), self.events.clone());
        let seen = self.core.view().revision();
        let account = Account::of(self.core.view(), &txn);
        tokio::spawn(async move {
            let result = write(&records, txn, seen).await;
            if let Written::Done(_) = result {
                account.happened();
            }
            let _ = events.send(Event::Written { wake, result }).await;
        });
    }
}

/// Whether an answer is one on a connection that there still is; anything else always concerns somebody.
fn is_of_now(core: &Node, event: &Event) -> bool {
    let Event::Answered { target, connection, .. } = event else { return true };
    core.desk().link(target).is_some_and(|link| link.up && link.connection == *connection)
}

/// Writes, or says that it has to be decided again.
async fn write(records: &Records, txn: Txn, seen: Revision) -> Written {
    let (transaction, target) = concerned(&txn);
    let target = target.cloned();
    match records.write(txn).await {
        Ok(written) => written,
        Err(error) => {
            tracing::error!(
                transaction,
                target = target.map(tracing::field::display),
                error = &error as &dyn std::error::Error,
                retryable = error.is_retryable(),
                "a write to the store failed"
            );
            sleep(STORE_PAUSE).await;
            Written::Stale(seen)
        }
    }
}

#[cfg(test)]
mod tests;
