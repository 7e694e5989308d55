//! Exploring a scenario: every state that can be reached, every invariant at every step.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use stateright::{Checker, HasDiscoveries, Model, Property};

use crate::invariants::{self, Step};
use crate::scenario::Scenario;
use crate::system::{Action, System};

/// A scenario as the checker sees it.
#[derive(Clone, Debug)]
pub struct Explorer {
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// Set when it has gone far enough. The checker's own limits count transitions, not states, and
    /// do not end a run on one thread.
    stop: Arc<AtomicBool>,
}

impl Explorer {
    /// The explorer of a scenario.
    #[must_use]
    pub fn new(scenario: Arc<Scenario>) -> Self {
        Self { scenario, stop: Arc::default() }
    }
}

impl Model for Explorer {
    type State = System;
    type Action = Action;

    fn init_states(&self) -> Vec<System> {
        vec![System::new(Arc::clone(&self.scenario))]
    }

    fn actions(&self, state: &System, actions: &mut Vec<Action>) {
        if state.broken.is_empty() && !self.stop.load(Ordering::Relaxed) {
            actions.extend(state.moves());
            actions.extend(state.mishaps());
        }
    }

    fn next_state(&self, state: &System, action: Action) -> Option<System> {
        let mut after = state.after(&action);
        let step = Step { from: Some((state, &action)), after: &after };
        let broken: Vec<_> = invariants::broken(&step).collect();
        after.broken.extend(broken);
        let reaches = self.scenario.reaches.iter().copied();
        after.facts = reaches.filter(|fact| fact.holds(&after)).collect();
        // Looked at, and not to be kept in every state that waits to be explored.
        after.commits = Vec::new();
        after.sent = Vec::new();
        Some(after)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties =
            vec![Property::always("every guarantee", |_, state: &System| state.broken.is_empty())];
        properties.extend(self.scenario.reaches.iter().map(|fact| fact.property()));
        properties
    }
}

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Stop after so many states of one scenario.
    pub states: usize,
    /// Stop after so long with one scenario.
    pub time: Option<Duration>,
    /// On so many threads.
    pub threads: usize,
}

/// What an exploration came to.
#[derive(Clone, Debug)]
pub struct Report {
    /// The scenario.
    pub name: &'static str,
    /// States told apart.
    pub states: usize,
    /// The longest way taken.
    pub depth: usize,
    /// How long it took.
    pub time: Duration,
    /// Whether everything was explored.
    pub complete: bool,
    /// The invariants broken, with the way there.
    pub broken: Option<(Vec<&'static str>, Vec<String>)>,
    /// What should have been come across, and was not.
    pub missing: Vec<&'static str>,
}

impl Report {
    /// Whether it shows what it should.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.broken.is_none() && self.missing.is_empty()
    }
}

/// How far an exploration is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// States told apart so far.
    pub states: usize,
    /// The longest way taken so far.
    pub depth: usize,
    /// For how long.
    pub time: Duration,
}

/// Explores a scenario.
#[must_use]
pub fn explore(scenario: &Arc<Scenario>, limits: Limits) -> Report {
    explore_and_tell(scenario, limits, |_| {})
}

/// Explores a scenario, and tells how far it is a few times a second.
pub fn explore_and_tell(
    scenario: &Arc<Scenario>,
    limits: Limits,
    mut tell: impl FnMut(Progress),
) -> Report {
    let start = Instant::now();
    let explorer = Explorer::new(Arc::clone(scenario));
    let stop = Arc::clone(&explorer.stop);
    let checker = explorer.checker().threads(limits.threads);
    let mut checker = checker.finish_when(HasDiscoveries::AnyFailures).spawn_bfs();
    let threads = checker.handles();
    while !threads.iter().all(|thread| thread.is_finished()) {
        let time = start.elapsed();
        let progress =
            Progress { states: checker.unique_state_count(), depth: checker.max_depth(), time };
        tell(progress);
        if progress.states >= limits.states || limits.time.is_some_and(|limit| time >= limit) {
            stop.store(true, Ordering::Relaxed);
        }
        sleep(Duration::from_millis(if time < Duration::from_secs(1) { 5 } else { 100 }));
    }
    for thread in threads {
        thread.join().unwrap_or_else(|panic| resume_unwind(panic));
    }
    // The way to what was found is walked again, so the explorer has to move again.
    let stopped = stop.swap(false, Ordering::Relaxed);
    report(scenario, &checker, start.elapsed(), !stopped)
}

fn report(
    scenario: &Scenario,
    checker: &impl Checker<Explorer>,
    time: Duration,
    complete: bool,
) -> Report {
    let discoveries = checker.discoveries();
    let broken = discoveries.get("every guarantee").map(|path| {
        let names = path.last_state().broken.iter().copied().collect();
        let way = path.clone().into_actions().iter().map(|action| format!("{action:?}")).collect();
        (names, way)
    });
    let missing = scenario.reaches.iter().map(|fact| fact.name());
    let missing = missing.filter(|name| !discoveries.contains_key(name)).collect();
    Report {
        name: scenario.name,
        states: checker.unique_state_count(),
        depth: checker.max_depth(),
        time,
        complete: complete && broken.is_none(),
        broken,
        missing,
    }
}
