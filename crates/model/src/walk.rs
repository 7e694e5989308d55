//! One run of a scenario, chosen at random and the same for the same seed, in writing.

use std::sync::Arc;

use crate::invariants::{self, Step};
use crate::scenario::Scenario;
use crate::system::{Action, System};
use crate::trace::line::Line;

/// A run as it is taken: every step is held against the invariants and put into writing.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Where it is.
    pub system: System,
    /// The run in writing.
    pub lines: Vec<Line>,
    /// What happened.
    pub actions: Vec<Action>,
    /// The invariants that were broken, if any.
    pub broken: Vec<&'static str>,
}

impl Walk {
    /// The start of a run.
    #[must_use]
    pub fn new(scenario: Arc<Scenario>) -> Self {
        let mut system = System::recorded(scenario);
        let lines = lines(&mut system);
        Self { system, lines, actions: Vec::new(), broken: Vec::new() }
    }

    /// Something happens. It must be possible, see [`System::moves`] and [`System::mishaps`].
    pub fn act(&mut self, action: Action) {
        let mut after = self.system.after(&action);
        let step = Step { from: Some((&self.system, &action)), after: &after };
        self.broken.extend(invariants::broken(&step));
        self.lines.extend(lines(&mut after));
        self.actions.push(action);
        self.system = after;
    }
}

/// Takes at most so many steps through a scenario, and none after one that breaks an invariant.
#[must_use]
pub fn walk(scenario: &Arc<Scenario>, seed: u64, steps: usize) -> Walk {
    let mut random = Random(seed);
    let mut walk = Walk::new(Arc::clone(scenario));
    while walk.actions.len() < steps && walk.broken.is_empty() {
        let Some(action) = choose(&walk.system, &mut random) else { break };
        walk.act(action);
    }
    walk
}

fn lines(system: &mut System) -> Vec<Line> {
    system.record.as_mut().map(|record| record.take()).unwrap_or_default()
}

/// Mostly what happens by itself, so that a run gets somewhere before its faults are used up.
fn choose(system: &System, random: &mut Random) -> Option<Action> {
    let (moves, mishaps) = (system.moves(), system.mishaps());
    let from = if moves.is_empty() || (!mishaps.is_empty() && random.below(5) == 0) {
        mishaps
    } else {
        moves
    };
    let at = random.below(from.len());
    from.into_iter().nth(at)
}

/// A sequence of numbers that follows from its seed (splitmix64). Good enough to choose a way, and no
/// reason for a dependency.
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a limit; zero if that is zero.
    fn below(&mut self, limit: usize) -> usize {
        let limit = limit.max(1) as u64;
        usize::try_from(self.next() % limit).unwrap_or_default()
    }
}
