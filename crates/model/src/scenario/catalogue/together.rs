//! Answers of several devices while one of them is being recorded.

use lockstep_protocol::record::Trials;

use super::{scenario, two};
use crate::facts::Fact;
use crate::scenario::{Entry, Faults, Scenario, target};

pub(super) fn scenarios() -> Vec<Scenario> {
    let three = || two().into_iter().chain([target("t3")]).collect();
    vec![
        Scenario {
            targets: three(),
            instant: false,
            fragile: [target("t2")].into(),
            faults: Faults { disconnects: 1, refusals: 1, ..Faults::default() },
            reaches: vec![Fact::RecordedTogether, Fact::NewTerm, Fact::Applied, Fact::Reverted],
            ..scenario(
                "together",
                "what several devices answer goes into one write, unless one of them is lost or refuses",
                vec![Entry::atomic("t1:/a=1 t2:/a=1 t3:/a=1").asynchronous()],
            )
        },
        Scenario {
            targets: two(),
            instant: false,
            fragile: [target("t2")].into(),
            trials: Trials::Shared,
            faults: Faults { orders: 1, late: 1, ..Faults::default() },
            reaches: vec![Fact::RecordedTogether, Fact::Confirming, Fact::Applied, Fact::Reverted],
            ..scenario(
                "trial-together",
                "the same of a trial, while one of the devices is paused or the deadline passes",
                vec![Entry::atomic("t1:/a=1 t2:/a=1").asynchronous().late()],
            )
        },
    ]
}
