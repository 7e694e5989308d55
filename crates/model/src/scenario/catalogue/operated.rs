//! Targets that operators pause, resume and have looked at again.

use super::scenario;
use crate::facts::Fact;
use crate::scenario::{Entry, Faults, Scenario};

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![Scenario {
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
    }]
}
