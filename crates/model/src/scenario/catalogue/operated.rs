//! Targets that operators pause, resume and have looked at again.

use super::scenario;
use crate::facts::Fact;
use crate::scenario::{Entry, Faults, Scenario};

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![paused(), claimed(), set_back()]
}

fn claimed() -> Scenario {
    Scenario {
        nodes: 2,
        faults: Faults { usurpers: 1, claims: 1, retries: 2, crashes: 1, ..Faults::default() },
        reaches: vec![Fact::Applied, Fact::ResyncRefused, Fact::NewTerm, Fact::TakenOver],
        ..scenario(
            "claimed",
            "a device listens to somebody else, and is taken over again on order",
            vec![Entry::atomic("t1:/a=1").asynchronous(), Entry::queued("t1:/a=2").asynchronous()],
        )
    }
}

fn set_back() -> Scenario {
    Scenario {
        set_back: true,
        faults: Faults { retries: 3, crashes: 1, ..Faults::default() },
        reaches: vec![Fact::Applied, Fact::ResyncRefused, Fact::NewTerm],
        ..scenario(
            "set-back",
            "the store has forgotten terms that its devices have seen, and leaps past them",
            vec![Entry::queued("t1:/a=1").asynchronous()],
        )
    }
}

fn paused() -> Scenario {
    Scenario {
        instant: false,
        faults: Faults { orders: 1, refusals: 1, restarts: 1, late: 1, ..Faults::default() },
        reaches: vec![Fact::Applied, Fact::Reverted, Fact::Paused],
        ..scenario(
            "paused",
            "a device is paused at any moment, and resumed; or it is looked at again",
            vec![
                Entry::atomic("t1:/a=1").asynchronous().late(),
                Entry::queued("t1:/a=2").asynchronous(),
            ],
        )
    }
}
