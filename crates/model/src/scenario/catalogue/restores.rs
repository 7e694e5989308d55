//! Restores, with what happens below and above them.

use lockstep_protocol::record::Rule;

use super::{both, scenario, two};
use crate::facts::Fact;
use crate::scenario::{Entry, Faults, Scenario};

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        Scenario {
            targets: two(),
            fragile: both(),
            faults: Faults { refusals: 1, disconnects: 1, ..Faults::default() },
            reaches: vec![Fact::Restored, Fact::Reverted, Fact::RestoreRolledBack],
            ..scenario(
                "restore",
                "two targets taken back to an earlier entry, and that taken back in turn",
                vec![
                    Entry::atomic("t1:/a=1 t2:/a=1"),
                    Entry::atomic("t1:/a=2,/b=2"),
                    Entry::restore(1, "t1 t2"),
                    Entry::rollback(3, Rule::Target),
                ],
            )
        },
        Scenario {
            faults: Faults { refusals: 1, cancels: 1, disconnects: 1, ..Faults::default() },
            reaches: vec![
                Fact::Restored,
                Fact::Partial,
                Fact::Recheck,
                Fact::WithdrawnUnderRestore,
            ],
            ..scenario(
                "return",
                "queued restores behind work that may be withdrawn: below, at and above their entry",
                vec![
                    Entry::queued("t1:/a=1").asynchronous(),
                    Entry::queued("t1:/a=2,/b=2").asynchronous(),
                    Entry::queued("t1:/c=3").asynchronous(),
                    Entry::restore(2, "t1").queue().asynchronous(),
                    Entry::restore(1, "t1").queue().asynchronous(),
                    Entry::queued("t1:/b=6").asynchronous(),
                ],
            )
        },
        Scenario {
            faults: Faults { refusals: 1, disconnects: 1, ..Faults::default() },
            reaches: vec![Fact::Restored, Fact::Reverted, Fact::Rejected, Fact::RolledBack],
            ..scenario(
                "restored-and-rolled-back",
                "a change that a later restore found as it wanted it: rolled back by path only once that is gone",
                vec![
                    Entry::atomic("t1:/a=1"),
                    Entry::atomic("t1:/b=2"),
                    Entry::restore(1, "t1"),
                    Entry::rollback(1, Rule::Path),
                    Entry::rollback(3, Rule::Target),
                    Entry::rollback(1, Rule::Path),
                ],
            )
        },
        Scenario {
            faults: Faults { refusals: 1, rebinds: 1, ..Faults::default() },
            reaches: vec![Fact::Restored, Fact::RolledBack, Fact::Rejected, Fact::Reverted],
            ..scenario(
                "past",
                "a restore to before a rollback; to what is not there; to what would not be valid now",
                vec![
                    Entry::atomic("t1:/n=1"),
                    Entry::atomic("t1:/n=-,/a=2"),
                    Entry::rollback(2, Rule::Target),
                    Entry::restore(2, "t1"),
                    Entry::restore(9, "t1"),
                    Entry::restore(1, "t1"),
                ],
            )
        },
    ]
}
