//! Exploring a scenario: every state that can be reached, every invariant at every step.

use std::sync::Arc;
use std::time::{Duration, Instant};

use stateright::{Checker, Model, Property};

use crate::facts::Fact;
use crate::invariants::{self, Step};
use crate::scenario::Scenario;
use crate::system::{Action, System};

/// A scenario as the checker sees it.
#[derive(Clone, Debug)]
pub struct Explorer {
    /// The scenario.
    pub scenario: Arc<Scenario>,
}

impl Model for Explorer {
    type State = System;
    type Action = Action;

    fn init_states(&self) -> Vec<System> {
        vec![System::new(Arc::clone(&self.scenario))]
    }

    fn actions(&self, state: &System, actions: &mut Vec<Action>) {
        if state.broken.is_empty() {
            actions.extend(state.moves());
            actions.extend(state.mishaps());
        }
    }

    fn next_state(&self, state: &System, action: Action) -> Option<System> {
        let mut after = state.after(&action);
        let step = Step { from: Some((state, &action)), after: &after };
        let broken: Vec<_> = invariants::broken(&step).collect();
        after.broken.extend(broken);
        Some(after)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties =
            vec![Property::always("every guarantee", |_, state: &System| state.broken.is_empty())];
        properties.extend(facts().into_iter().filter_map(|(fact, property)| {
            self.scenario.reaches.contains(&fact).then_some(property)
        }));
        properties
    }
}

/// The facts as properties that some state must have.
fn facts() -> Vec<(Fact, Property<Explorer>)> {
    macro_rules! sometimes {
        ($($fact:ident),* $(,)?) => {
            vec![$((Fact::$fact, Property::sometimes(Fact::$fact.name(), |_, state: &System| {
                Fact::$fact.holds(state)
            }))),*]
        };
    }
    sometimes![
        Applied,
        Reverted,
        Partial,
        Rejected,
        Cancelled,
        RolledBack,
        RollbackReverted,
        Recheck,
        ResyncRefused,
        Rewritten,
        WithdrawnUnderRollback,
        NewTerm,
        StaleMaster,
        Orphan,
    ]
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

/// Explores a scenario.
#[must_use]
pub fn explore(scenario: &Arc<Scenario>, limits: Limits) -> Report {
    let start = Instant::now();
    let explorer = Explorer { scenario: Arc::clone(scenario) };
    let mut checker = explorer.checker().threads(limits.threads).target_state_count(limits.states);
    if let Some(time) = limits.time {
        checker = checker.timeout(time);
    }
    let checker = checker.spawn_bfs().join();
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
        time: start.elapsed(),
        complete: checker.unique_state_count() < limits.states
            && limits.time.is_none_or(|limit| start.elapsed() < limit),
        broken,
        missing,
    }
}
