//! Transactions that concern two devices.

use super::{both, scenario, two};
use crate::facts::Fact;
use crate::scenario::{Entry, Faults, Scenario, target};

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        Scenario {
            targets: two(),
            fragile: both(),
            faults: Faults {
                refusals: 1,
                undo_refusals: 1,
                restarts: 1,
                late: 1,
                ..Faults::default()
            },
            reaches: vec![Fact::Applied, Fact::Reverted],
            ..scenario(
                "two",
                "an atomic change on two targets, then one that builds on it",
                vec![
                    Entry::atomic("t1:/a=1,/b=1 t2:/a=1").late(),
                    Entry::atomic("t1:/a=2").asynchronous(),
                ],
            )
        },
        Scenario {
            targets: two(),
            faults: Faults {
                refusals: 2,
                disconnects: 1,
                restarts: 1,
                late: 1,
                ..Faults::default()
            },
            fragile: both(),
            reaches: vec![Fact::Applied, Fact::Reverted, Fact::Partial, Fact::Recheck],
            ..scenario(
                "mixed",
                "queued work still waiting under an atomic change that may turn",
                vec![
                    Entry::queued("t1:/a=1").asynchronous(),
                    Entry::atomic("t1:/a=2,/b=2 t2:/a=2").asynchronous().late(),
                    Entry::queued("t1:/a=3").asynchronous(),
                ],
            )
        },
        Scenario {
            targets: two(),
            fragile: [target("t2")].into(),
            faults: Faults { silences: 1, late: 1, cancels: 1, ..Faults::default() },
            late_delivery: true,
            reaches: vec![Fact::Applied, Fact::Reverted, Fact::Orphan, Fact::NewTerm],
            ..scenario(
                "silent",
                "a device that never answers is not waited for past the deadline; what it got may land later",
                vec![
                    Entry::atomic("t1:/a=1 t2:/a=1").late().prompt(),
                    Entry::queued("t2:/a=2").asynchronous(),
                ],
            )
        },
        Scenario {
            targets: two(),
            fragile: [target("t2")].into(),
            gone: [target("t2")].into(),
            faults: Faults { restarts: 1, refusals: 1, late: 3, ..Faults::default() },
            reaches: vec![Fact::Applied, Fact::Reverted],
            ..scenario(
                "bystander",
                "a device that is gone for good must not hold up the other",
                vec![
                    Entry::atomic("t1:/a=1 t2:/a=1").asynchronous().late(),
                    Entry::queued("t1:/a=2 t2:/a=2").asynchronous(),
                    Entry::atomic("t1:/a=3").asynchronous().late(),
                ],
            )
        },
    ]
}
