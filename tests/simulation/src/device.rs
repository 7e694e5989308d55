//! A device on its site: what it holds, what is wrong with it, and who is cut off from it.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use lockstep_model::system::{Device, Reaction};
use lockstep_protocol::{Answer, Ask};
use lockstep_southbound::Election;
use lockstep_types::{Configuration as Tree, Content, Path, Target, Term, Unit};
use tokio::time::sleep;

use crate::chance::Chance;
use crate::nature::Nature;
use crate::signal::Signal;

/// How long what a device was sent may have an effect, in nanoseconds: for as long as it is waited for.
const QUIET: u64 = 10_000_000_000;

/// How long a node waits for a device.
pub const PATIENCE: Duration = Duration::from_nanos(QUIET);

/// What a device does to its next few requests that change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Refuses them.
    Refuse,
    /// Says that it has no time.
    Busy,
    /// Takes this long, so that nobody waits for the answer any more.
    Late(Duration),
    /// Does it, and hangs up instead of an answer.
    Drop,
}

/// A device, and who is cut off from it. Clones are the same device.
#[derive(Clone)]
pub struct Site(Arc<Inner>);

struct Inner {
    name: Target,
    nature: Nature,
    state: Signal<State>,
    chance: Chance,
}

pub(crate) struct State {
    device: Device,
    /// Which start of it this is.
    boot: u64,
    faults: Vec<Fault>,
    cut: BTreeSet<String>,
    /// How many connections there have been.
    calls: u64,
    /// Those that it ended by itself.
    dropped: BTreeSet<u64>,
    /// Grows with everything that is to be told.
    pub(crate) moves: u64,
}

/// A connection: a node's, to one start of a device.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) node: String,
    boot: u64,
    number: u64,
}

impl State {
    /// Whether a connection still stands.
    pub(crate) fn has(&self, call: &Call) -> bool {
        self.boot == call.boot
            && !self.cut.contains(&call.node)
            && !self.dropped.contains(&call.number)
    }
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
        let (device, faults, cut, dropped) = Default::default();
        let state =
            Signal::new(State { device, boot: 1, faults, cut, calls: 0, dropped, moves: 0 });
        let nature = Nature::of(&chance);
        Self(Arc::new(Inner { name, nature, state, chance }))
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &Target {
        &self.0.name
    }

    /// What it is like.
    #[must_use]
    pub fn nature(&self) -> Nature {
        self.0.nature
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
        let fault = self.0.nature.bears(fault);
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

    pub(crate) fn state(&self) -> &Signal<State> {
        &self.0.state
    }

    pub(crate) fn chance(&self) -> &Chance {
        &self.0.chance
    }

    /// A node connects; none: it cannot reach it.
    pub(crate) fn call(&self, node: &str) -> Option<Call> {
        self.with(|state| {
            state.calls += 1;
            let call = Call { node: node.to_owned(), boot: state.boot, number: state.calls };
            Some(call).filter(|call| state.has(call))
        })
    }

    /// Whether a connection still stands.
    pub(crate) fn has(&self, call: &Call) -> bool {
        self.0.state.look(|state| state.has(call))
    }

    /// What is wrong with the next request that changes it.
    pub(crate) fn next_fault(&self) -> Option<Fault> {
        self.with(|state| state.faults.pop())
    }

    /// Ends a connection by itself.
    pub(crate) fn hang_up(&self, call: &Call) {
        self.with(|state| state.dropped.insert(call.number));
    }

    /// A request arrives. None: not at the start of the device that it was sent to.
    pub(crate) fn take(
        &self,
        call: &Call,
        election: Election,
        ask: &Ask,
        reaction: Reaction,
    ) -> Option<Answer> {
        let (boot, term) = (call.boot, Term::new(election.low));
        let manner = self.0.nature.manner;
        let answer = self.with(|state| {
            (state.boot == boot).then(|| state.device.take(term, ask, reaction, manner))
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
        Some(match answer {
            Answer::Unfenced(_) => Answer::Unfenced(QUIET),
            answer => answer,
        })
    }
}
