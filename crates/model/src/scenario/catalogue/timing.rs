//! What comes late or all at once: yang's word, other clients, other models.

use lockstep_protocol::record::Rule;

use super::scenario;
use crate::facts::Fact;
use crate::scenario::{Entry, Faults, Scenario};

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        Scenario {
            faults: Faults { refusals: 2, cancels: 1, ..Faults::default() },
            slow_yang: true,
            needs: true,
            reaches: vec![Fact::Applied, Fact::Partial, Fact::Rejected, Fact::Recheck],
            ..scenario(
                "verdicts",
                "yang speaks late, on what may have changed since",
                vec![
                    Entry::queued("t1:/a=1").asynchronous(),
                    Entry::queued("t1:/b=2").asynchronous(),
                    Entry::queued("t1:/a=-").asynchronous(),
                ],
            )
        },
        Scenario {
            faults: Faults { refusals: 2, ..Faults::default() },
            slow_yang: true,
            needs: true,
            reaches: vec![Fact::Applied, Fact::RolledBack, Fact::Partial, Fact::Recheck],
            ..scenario(
                "undermined",
                "what a rollback would bring back is withdrawn while yang looks at it",
                vec![
                    Entry::queued("t1:/a=1").asynchronous(),
                    Entry::queued("t1:/a=2").asynchronous(),
                    Entry::queued("t1:/b=3").asynchronous(),
                    Entry::rollback(2, Rule::Path).asynchronous(),
                ],
            )
        },
        Scenario {
            nodes: 2,
            instant: false,
            crowd: true,
            fragile: [].into(),
            reaches: vec![Fact::Applied, Fact::Rejected],
            ..scenario(
                "crowd",
                "two nodes append at once, also under one id",
                vec![
                    Entry::atomic("t1:/a=1").asynchronous(),
                    Entry::queued("t1:/a=2").asynchronous(),
                    Entry::queued("t1:/a=bad").asynchronous(),
                    Entry::queued("t1:/a=4").asynchronous().with_id_of(2),
                ],
            )
        },
        Scenario {
            nodes: 2,
            faults: Faults { refusals: 1, rebinds: 1, ..Faults::default() },
            ahead: true,
            slow_yang: true,
            instant: false,
            crowd: true,
            needs: true,
            fragile: [].into(),
            reaches: vec![Fact::Applied, Fact::Rejected],
            ..scenario(
                "ahead",
                "yang has spoken before a change is brought, on what may have changed since",
                vec![
                    Entry::queued("t1:/a=1").asynchronous(),
                    Entry::queued("t1:/b=2").asynchronous(),
                    Entry::queued("t1:/a=-").asynchronous(),
                ],
            )
        },
        Scenario {
            faults: Faults { rebinds: 1, ..Faults::default() },
            slow_yang: true,
            instant: false,
            reaches: vec![Fact::Applied, Fact::Rejected],
            ..scenario(
                "rebind",
                "a target is bound to other models while a decision is under way",
                vec![
                    Entry::queued("t1:/a=1").asynchronous(),
                    Entry::atomic("t1:/n=2").asynchronous(),
                ],
            )
        },
    ]
}
