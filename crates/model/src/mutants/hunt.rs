//! Exploring a scenario until one invariant breaks. This is what a mutated build is asked to do.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stateright::{Checker, Model, Property};

use crate::invariants::{Invariant, Step};
use crate::scenario::Scenario;
use crate::system::{Action, System};

/// What a hunt came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunt {
    /// States told apart until then.
    pub states: usize,
    /// The invariants broken at the end of the way; none if none was.
    pub broken: Vec<String>,
    /// The shortest way there.
    pub way: Vec<String>,
}

/// Explores a scenario until one of the invariants breaks, everything was seen, or so many states were.
/// On one thread, so that it comes to the same every time.
#[must_use]
pub fn hunt(scenario: &Arc<Scenario>, invariants: Vec<Invariant>, states: usize) -> Hunt {
    let hunter = Hunter { scenario: Arc::clone(scenario), invariants };
    let checker = hunter.checker().threads(1).target_state_count(states).spawn_bfs().join();
    let states = checker.unique_state_count();
    match checker.discovery(KEPT) {
        None => Hunt { states, broken: Vec::new(), way: Vec::new() },
        Some(path) => {
            let broken = path.last_state().broken.iter().map(|name| (*name).to_owned()).collect();
            let way = path.into_actions().iter().map(|action| format!("{action:?}")).collect();
            Hunt { states, broken, way }
        }
    }
}

const KEPT: &str = "kept";

/// A scenario in which only some invariants are looked at; what else breaks does not end the run.
#[derive(Clone, Debug)]
struct Hunter {
    scenario: Arc<Scenario>,
    invariants: Vec<Invariant>,
}

impl Model for Hunter {
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
        let broken = self.invariants.iter().filter(|invariant| !(invariant.keeps)(&step));
        let broken: Vec<_> = broken.map(|invariant| invariant.name).collect();
        after.broken.extend(broken);
        Some(after)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always(KEPT, |_, state: &System| state.broken.is_empty())]
    }
}
