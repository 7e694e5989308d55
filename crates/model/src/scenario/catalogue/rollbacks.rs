//! Rollbacks, and what happens below and above them.

use lockstep_protocol::record::Rule;

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
                disconnects: 1,
                late: 1,
                ..Faults::default()
            },
            reaches: vec![Fact::RolledBack, Fact::RollbackReverted, Fact::Reverted, Fact::Rejected],
            ..scenario(
                "rollback",
                "an atomic change on two targets, its rollback, and the rollback again",
                vec![
                    Entry::atomic("t1:/a=1 t2:/a=1"),
                    Entry::rollback(1, Rule::Target).late(),
                    Entry::rollback(1, Rule::Target),
                ],
            )
        },
        Scenario {
            targets: two(),
            fragile: both(),
            faults: Faults { refusals: 2, disconnects: 1, late: 1, ..Faults::default() },
            reaches: vec![Fact::RolledBack, Fact::Partial, Fact::WithdrawnUnderRollback],
            ..scenario(
                "path",
                "a queued change on two targets, rolled back by path under a later one",
                vec![
                    Entry::queued("t1:/a=1 t2:/a=1").asynchronous(),
                    Entry::queued("t1:/b=2").asynchronous(),
                    Entry::rollback(1, Rule::Path).asynchronous().late(),
                    Entry::queued("t1:/a=4").asynchronous(),
                ],
            )
        },
        Scenario {
            targets: two(),
            fragile: [target("t1")].into(),
            faults: Faults {
                refusals: 2,
                disconnects: 1,
                restarts: 1,
                late: 1,
                ..Faults::default()
            },
            reaches: vec![
                Fact::RolledBack,
                Fact::Partial,
                Fact::Recheck,
                Fact::WithdrawnUnderRollback,
            ],
            ..scenario(
                "under",
                "queued work under a rollback",
                vec![
                    Entry::queued("t1:/a=1").asynchronous(),
                    Entry::queued("t1:/a=2 t2:/a=2").asynchronous(),
                    Entry::rollback(2, Rule::Target).asynchronous(),
                    Entry::queued("t1:/a=3").asynchronous(),
                ],
            )
        },
        Scenario {
            targets: two(),
            fragile: both(),
            faults: Faults { refusals: 1, cancels: 1, disconnects: 1, ..Faults::default() },
            reaches: vec![Fact::RollbackReverted, Fact::WithdrawnUnderRollback, Fact::Partial],
            ..scenario(
                "beneath",
                "a rollback that turns, with work still waiting below the change it had nothing to take out of",
                vec![
                    Entry::queued("t1:/a=1").asynchronous(),
                    Entry::queued("t1:/b=2 t2:/a=2").asynchronous(),
                    Entry::rollback(2, Rule::Target).asynchronous(),
                ],
            )
        },
        Scenario {
            targets: two(),
            fragile: both(),
            faults: Faults { refusals: 1, cancels: 1, ..Faults::default() },
            reaches: vec![Fact::RolledBack, Fact::Rejected],
            ..scenario(
                "refusals",
                "every reason a rollback is refused for; on fewer targets; of a rollback",
                vec![
                    Entry::atomic("t1:/a=1 t2:/a=1"),
                    Entry::rollback(1, Rule::Target).only("t1"),
                    Entry::atomic("t2:/a=3"),
                    Entry::rollback(1, Rule::Path),
                    Entry::rollback(1, Rule::Target),
                    Entry::rollback(2, Rule::Target),
                    Entry::rollback(9, Rule::Target),
                ],
            )
        },
        Scenario {
            faults: Faults { refusals: 1, ..Faults::default() },
            reaches: vec![Fact::RolledBack, Fact::Rejected, Fact::Reverted],
            ..scenario(
                "deleted-twice",
                "a delete is rolled back by path under another that found nothing any more, and once that is gone",
                vec![
                    Entry::atomic("t1:/a=1"),
                    Entry::atomic("t1:/a=-"),
                    Entry::atomic("t1:/a=-"),
                    Entry::rollback(2, Rule::Path),
                    Entry::rollback(3, Rule::Path),
                    Entry::rollback(2, Rule::Path),
                ],
            )
        },
    ]
}
