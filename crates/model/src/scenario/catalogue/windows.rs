//! Changes that are taken out again unless they are confirmed.

use super::{both, scenario, two};
use crate::facts::Fact;
use crate::scenario::{Entry, Faults, Scenario, target};

/// Longer than any deadline.
const LENGTH: u64 = 100_000;

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        Scenario {
            crowd: true,
            faults: Faults {
                late: 3,
                confirms: 1,
                cancels: 1,
                refusals: 1,
                disconnects: 1,
                ..Faults::default()
            },
            reaches: vec![
                Fact::InWindow,
                Fact::Confirmed,
                Fact::NotConfirmed,
                Fact::RevertRefused,
                Fact::Reverted,
            ],
            ..scenario(
                "window",
                "a change with a window: confirmed, called off, not confirmed, refused; and one behind it",
                vec![
                    Entry::queued("t1:/a=1").asynchronous().late(),
                    Entry::atomic("t1:/a=2").confirmed_within(LENGTH).late(),
                    Entry::atomic("t1:/a=3"),
                ],
            )
        },
        Scenario {
            nodes: 2,
            instant: false,
            buried: true,
            honest: true,
            faults: Faults { late: 1, confirms: 1, crashes: 1, ..Faults::default() },
            reaches: vec![Fact::InWindow, Fact::Confirmed, Fact::NotConfirmed, Fact::NewTerm],
            ..scenario(
                "expiry",
                "two nodes, one of which may die: a window that one confirms while the other ends it",
                vec![Entry::atomic("t1:/a=1").confirmed_within(LENGTH)],
            )
        },
        Scenario {
            nodes: 2,
            buried: true,
            honest: true,
            faults: Faults { late: 1, confirms: 1, crashes: 1, ..Faults::default() },
            reaches: vec![Fact::InWindow, Fact::Confirmed, Fact::NotConfirmed],
            ..scenario(
                "tardy",
                "a window that ends while the node that is to end it is dead, and somebody confirms it then",
                vec![Entry::atomic("t1:/a=1").confirmed_within(LENGTH)],
            )
        },
        Scenario {
            nodes: 2,
            buried: true,
            honest: true,
            faults: Faults { late: 2, confirms: 1, extends: 2, crashes: 1, ..Faults::default() },
            reaches: vec![Fact::Extended, Fact::Confirmed, Fact::NotConfirmed, Fact::NewTerm],
            ..scenario(
                "extended",
                "a window that is given another time, before it ends or as it does",
                vec![Entry::atomic("t1:/a=1").confirmed_within(LENGTH)],
            )
        },
        Scenario {
            nodes: 2,
            crowd: true,
            instant: false,
            faults: Faults { late: 1, ..Faults::default() },
            reaches: vec![Fact::InWindow, Fact::NotConfirmed],
            ..scenario(
                "race",
                "a window and another change, asked of two nodes at once",
                vec![Entry::atomic("t1:/a=1").confirmed_within(LENGTH), Entry::atomic("t1:/a=2")],
            )
        },
        Scenario {
            targets: two(),
            fragile: both(),
            gone: [target("t2")].into(),
            faults: Faults { late: 2, restarts: 1, refusals: 1, ..Faults::default() },
            reaches: vec![Fact::InWindow, Fact::NotConfirmed, Fact::RevertRefused],
            ..scenario(
                "unconfirmed",
                "two targets, one of which never comes back, when a window ends",
                vec![
                    Entry::atomic("t1:/a=1 t2:/a=1").confirmed_within(LENGTH).late(),
                    Entry::queued("t1:/b=2").asynchronous(),
                ],
            )
        },
    ]
}
