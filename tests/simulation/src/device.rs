//! A device on its site, with the ways of nodes to it.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use lockstep_model::system::{Device, Manner, Reaction};
use lockstep_protocol::record::Failure;
use lockstep_protocol::{Answer, Ask};
use lockstep_southbound::{
    BoxFuture, ConnectError, Driver, Election, Fencing, Follow, Followed, Line, Look, Mandate,
    Notice, Report, Watch,
};
use lockstep_types::{Configuration as Tree, Content, Path, Target, Term, Unit};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use crate::chance::Chance;
use crate::signal::Signal;
use crate::weather::Weather;

/// How long a node waits for a device.
const PATIENCE: Duration = Duration::from_secs(10);

/// A device that turns away older masters, and writes what it is told.
const MANNER: Manner = Manner { fences: true, rewrites: false, wary: false };

/// What a device does to its next few requests that change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Refuses them.
    Refuse,
    /// Says that it has no time.
    Busy,
    /// Takes this long, so that nobody waits for the answer any more.
    Late(Duration),
}

/// A device, and who is cut off from it. Clones are the same device.
#[derive(Clone)]
pub struct Site(Arc<Inner>);

struct Inner {
    name: Target,
    state: Signal<State>,
    chance: Chance,
}

struct State {
    device: Device,
    /// Which start of it this is.
    boot: u64,
    faults: Vec<Fault>,
    cut: BTreeSet<String>,
    /// Grows with everything that is to be told.
    moves: u64,
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Site({})", self.0.name)
    }
}

impl Site {
    /// A device that holds nothing.
    #[must_use]
    pub fn new(name: Target, chance: Chance) -> Self {
        let (device, faults, cut) = Default::default();
        let state = Signal::new(State { device, boot: 1, faults, cut, moves: 0 });
        Self(Arc::new(Inner { name, state, chance }))
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &Target {
        &self.0.name
    }

    /// What it holds.
    #[must_use]
    pub fn values(&self) -> Tree {
        self.0.state.look(|state| state.device.values.clone())
    }

    /// Restarts, with what it held or without. Whatever was on trial is gone.
    pub fn restart(&self, keep: bool) {
        self.with(|state| {
            let mut device = Device::default();
            if keep {
                state.device.take_back();
                device.values = state.device.values.clone();
            }
            state.device = device;
            state.boot += 1;
        });
        self.moves();
    }

    /// Somebody else changes it.
    pub fn tamper(&self, path: Path, value: &str) {
        let unit = Unit { content: Some(Content::leaf(value)), ..Unit::default() };
        self.with(|state| state.device.values.assign(path, unit));
        self.moves();
    }

    /// Does something wrong the next few times.
    pub fn fault(&self, fault: Fault, times: usize) {
        self.with(|state| state.faults.extend(std::iter::repeat_n(fault, times)));
    }

    /// A node cannot reach it any more, or can again.
    pub fn cut(&self, node: &str, cut: bool) {
        self.with(
            |state| {
                if cut { state.cut.insert(node.to_owned()) } else { state.cut.remove(node) }
            },
        );
        self.moves();
    }

    /// Everything is well with it.
    pub fn heal(&self) {
        self.with(|state| {
            state.faults.clear();
            state.cut.clear();
        });
        self.moves();
    }

    fn moves(&self) {
        self.with(|state| state.moves += 1);
    }

    fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        self.0.state.change(look)
    }

    fn is_there(&self, node: &str, boot: u64) -> bool {
        self.0.state.look(|state| state.boot == boot && !state.cut.contains(node))
    }

    /// A request arrives. None: not at the start of the device that it was sent to.
    fn take(&self, boot: u64, election: Election, ask: &Ask, reaction: Reaction) -> Option<Answer> {
        let term = Term::new(election.low);
        let answer = self.with(|state| {
            (state.boot == boot).then(|| state.device.take(term, ask, reaction, MANNER))
        })?;
        if ask.may_change() && answer == Answer::Accepted {
            self.moves();
        }
        if let (Ask::Trial { rollback, index, .. }, Answer::Accepted) = (ask, &answer) {
            let (site, index, rollback) = (self.clone(), *index, Duration::from_nanos(*rollback));
            tokio::spawn(async move {
                sleep(rollback).await;
                site.with(|state| {
                    let on_trial = state.device.trial.as_ref().map(|trial| trial.index);
                    if state.boot == boot && on_trial == Some(index) {
                        state.device.take_back();
                    }
                });
                site.moves();
            });
        }
        Some(answer)
    }
}

/// How a node comes to a device.
#[derive(Clone, Debug)]
pub struct Way {
    /// The device.
    pub site: Site,
    /// The node.
    pub node: String,
    /// What it meets.
    pub weather: Weather,
}

impl Driver for Way {
    fn connect(&self) -> BoxFuture<'_, Result<Arc<dyn Line>, ConnectError>> {
        Box::pin(async move {
            sleep(self.site.0.chance.time(1, 20)).await;
            let boot = self.site.0.state.look(|state| state.boot);
            if self.weather.now().dead || !self.site.is_there(&self.node, boot) {
                let (address, reason) = (self.site.name().to_string(), "no way there".to_owned());
                return Err(ConnectError::Unreachable { address, reason });
            }
            Ok(Arc::new(Connected { way: self.clone(), boot }) as Arc<dyn Line>)
        })
    }

    fn patience(&self) -> Duration {
        PATIENCE
    }
}

/// A connection to one start of a device.
#[derive(Debug)]
struct Connected {
    way: Way,
    boot: u64,
}

impl Connected {
    async fn asks(&self, election: Election, ask: Ask) -> Answer {
        let (site, chance) = (&self.way.site, &self.way.site.0.chance);
        sleep(chance.time(1, 10)).await;
        if self.way.weather.now().dead || !site.is_there(&self.way.node, self.boot) {
            return Answer::Unknown;
        }
        let fault = site.with(|state| if ask.may_change() { state.faults.pop() } else { None });
        let reaction = match fault {
            Some(Fault::Refuse) => Reaction::Refuse,
            Some(Fault::Busy) => Reaction::Busy,
            _ => Reaction::Accept,
        };
        if let Some(Fault::Late(time)) = fault {
            let (site, boot, ask) = (site.clone(), self.boot, ask.clone());
            tokio::spawn(async move {
                sleep(time).await;
                drop(site.take(boot, election, &ask, Reaction::Accept));
            });
            std::future::pending::<()>().await;
        }
        let answer = site.take(self.boot, election, &ask, reaction);
        sleep(chance.time(1, 10)).await;
        answer.filter(|_| site.is_there(&self.way.node, self.boot)).unwrap_or(Answer::Unknown)
    }

    fn is_in(&self, state: &State) -> bool {
        state.boot == self.boot && !state.cut.contains(&self.way.node)
    }

    async fn gone(&self) {
        let gone = self.way.site.0.state.until(|state| !self.is_in(state));
        tokio::select! {
            biased;
            () = self.way.weather.death() => {}
            () = gone => {}
        }
    }
}

impl Line for Connected {
    fn ask(&self, mandate: Mandate, ask: Ask) -> BoxFuture<'_, Answer> {
        Box::pin(async move {
            timeout(PATIENCE, self.asks(mandate.election, ask)).await.unwrap_or(Answer::Unknown)
        })
    }

    fn fencing(&self) -> Option<Fencing> {
        Some(Fencing::Device)
    }

    fn confirms(&self) -> Option<bool> {
        Some(true)
    }

    fn watch(&self, _: Watch, tell: mpsc::Sender<Notice>) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let state = &self.way.site.0.state;
            while self.way.site.is_there(&self.way.node, self.boot) {
                let moves = state.look(|state| state.moves);
                if tell.send(Notice::All(Box::new(self.way.site.values()))).await.is_err() {
                    return;
                }
                state.until(|state| state.moves != moves || !self.is_in(state)).await;
            }
        })
    }

    fn look(&self, _: Look) -> BoxFuture<'_, Result<Vec<Report>, Failure>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn follow(&self, _: Follow, _: mpsc::Sender<Followed>) -> BoxFuture<'_, Failure> {
        Box::pin(async move {
            self.gone().await;
            Failure { code: "UNAVAILABLE".into(), message: "the connection is gone".into() }
        })
    }

    fn closed(&self) -> BoxFuture<'_, String> {
        Box::pin(async move {
            self.gone().await;
            "the connection is gone".to_owned()
        })
    }
}
