//! A log of which only the end is kept.

use lockstep_protocol::record::Rule;

use super::{scenario, two};
use crate::facts::Fact;
use crate::scenario::{Entry, Faults, Scenario};

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        Scenario {
            keeps: Some(2),
            faults: Faults { refusals: 1, late: 1, confirms: 1, ..Faults::default() },
            reaches: vec![Fact::Forgotten, Fact::Needed, Fact::RolledBack, Fact::Restored],
            ..scenario(
                "horizon",
                "the last two entries are kept: rolled back, restored to, in a window; and what lies behind them",
                vec![
                    Entry::atomic("t1:/a=1"),
                    Entry::atomic("t1:/b=2"),
                    Entry::rollback(2, Rule::Target),
                    Entry::atomic("t1:/c=4").confirmed_within(100_000),
                    Entry::atomic("t1:/a=5"),
                    Entry::restore(4, "t1"),
                    Entry::rollback(1, Rule::Target),
                    Entry::atomic("t1:/b=8"),
                ],
            )
        },
        Scenario {
            keeps: Some(1),
            faults: Faults { refusals: 1, cancels: 1, disconnects: 1, ..Faults::default() },
            reaches: vec![Fact::Forgotten, Fact::Needed, Fact::Partial],
            ..scenario(
                "queue-beyond",
                "queued work that the horizon passes before it is applied, or withdrawn",
                vec![
                    Entry::queued("t1:/a=1").asynchronous(),
                    Entry::queued("t1:/a=2").asynchronous(),
                    Entry::queued("t1:/a=3").asynchronous(),
                    Entry::queued("t1:/b=4").asynchronous(),
                    Entry::rollback(4, Rule::Target).asynchronous(),
                    Entry::queued("t1:/c=6").asynchronous(),
                ],
            )
        },
        Scenario {
            keeps: Some(2),
            faults: Faults { refusals: 1, ..Faults::default() },
            reaches: vec![Fact::LetGo, Fact::CameBack, Fact::RolledBack, Fact::Restored],
            ..scenario(
                "absences",
                "absences beyond the horizon: let go of, brought back by an undo, gone back by",
                vec![
                    Entry::atomic("t1:/a=1,/b=1"),
                    Entry::atomic("t1:/a=-"),
                    Entry::atomic("t1:/a=3"),
                    Entry::atomic("t1:/b=-"),
                    Entry::rollback(3, Rule::Path),
                    Entry::atomic("t1:/c=6"),
                    Entry::restore(5, "t1"),
                    Entry::atomic("t1:/c=8"),
                ],
            )
        },
        Scenario {
            keeps: Some(1),
            faults: Faults { refusals: 1, cancels: 1, ..Faults::default() },
            reaches: vec![Fact::LetGo, Fact::Partial],
            ..scenario(
                "absences-queued",
                "absences beyond the horizon that are not recorded, or lie below what is queued",
                vec![
                    Entry::atomic("t1:/a=1,/b=1"),
                    Entry::queued("t1:/a=-").asynchronous(),
                    Entry::queued("t1:/b=-").asynchronous(),
                    Entry::queued("t1:/a=4").asynchronous(),
                    Entry::queued("t1:/c=5").asynchronous(),
                    Entry::queued("t1:/c=6").asynchronous(),
                ],
            )
        },
        Scenario {
            nodes: 2,
            keeps: Some(1),
            faults: Faults { cancels: 1, disconnects: 1, ..Faults::default() },
            reaches: vec![Fact::LetGo, Fact::Cancelled, Fact::Applied],
            ..scenario(
                "absences-cancelled",
                "absences beyond the horizon, where a node that is not the master calls off what is queued",
                vec![
                    Entry::atomic("t1:/a=1"),
                    Entry::atomic("t1:/a=-"),
                    Entry::queued("t1:/b=3").asynchronous(),
                ],
            )
        },
        Scenario {
            keeps: Some(1),
            targets: two(),
            faults: Faults { late: 1, ..Faults::default() },
            reaches: vec![Fact::Forgotten, Fact::Needed, Fact::InWindow, Fact::NotConfirmed],
            ..scenario(
                "sill",
                "a window that the horizon waits at, and a change beyond it that is asked to be rolled back",
                vec![
                    Entry::atomic("t2:/a=1"),
                    Entry::atomic("t1:/a=2").confirmed_within(100_000),
                    Entry::atomic("t2:/b=3"),
                    Entry::rollback(1, Rule::Path),
                    Entry::atomic("t2:/b=5"),
                ],
            )
        },
        Scenario {
            nodes: 2,
            instant: false,
            buried: true,
            crowd: true,
            keeps: Some(1),
            reaches: vec![Fact::Forgotten, Fact::RolledBack],
            ..scenario(
                "forgetful",
                "two nodes, one of which forgets what the other is asked to roll back",
                vec![
                    Entry::atomic("t1:/a=1"),
                    Entry::atomic("t1:/b=2"),
                    Entry::rollback(1, Rule::Path),
                ],
            )
        },
    ]
}
