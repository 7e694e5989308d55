//! One node, one device, and what can go wrong between them.

use lockstep_types::Configuration as Tree;

use super::scenario;
use crate::facts::Fact;
use crate::scenario::{Entry, Faults, Scenario, leaf, path};

pub(super) fn scenarios() -> Vec<Scenario> {
    let one_atomic = || vec![Entry::atomic("t1:/a=1,/b=1").late(), Entry::atomic("t1:/a=-").late()];
    vec![
        Scenario {
            faults: Faults { restarts: 1, cancels: 1, ..Faults::default() },
            saved: Some([(path("/a"), leaf("2"))].into_iter().collect::<Tree>()),
            reaches: vec![Fact::Applied, Fact::Cancelled, Fact::NewTerm],
            ..scenario(
                "overlay",
                "a resync that left the apply head's value alone, and the head is cancelled meanwhile",
                vec![Entry::atomic("t1:/b=1"), Entry::queued("t1:/a=2").asynchronous()],
            )
        },
        Scenario {
            faults: Faults {
                restarts: 1,
                refusals: 1,
                undo_refusals: 1,
                disconnects: 1,
                late: 2,
                ..Faults::default()
            },
            saved: Some([(path("/a"), leaf("1"))].into_iter().collect::<Tree>()),
            reaches: vec![Fact::Applied, Fact::Reverted, Fact::Rejected, Fact::NewTerm],
            ..scenario(
                "atomic",
                "an atomic delete over an atomic set; the device restarts, refuses, is away",
                one_atomic(),
            )
        },
        Scenario {
            faults: Faults { restarts: 1, refusals: 2, disconnects: 1, ..Faults::default() },
            saved: Some([(path("/a"), leaf("1"))].into_iter().collect::<Tree>()),
            reaches: vec![Fact::Applied, Fact::Partial, Fact::Recheck, Fact::NewTerm],
            ..scenario(
                "chain",
                "three queued writers of one path, any of which may be withdrawn",
                vec![
                    Entry::queued("t1:/a=1,/b=1").asynchronous(),
                    Entry::queued("t1:/a=2").asynchronous(),
                    Entry::queued("t1:/a=-").asynchronous(),
                ],
            )
        },
        Scenario {
            faults: Faults { refusals: 2, cancels: 1, disconnects: 1, ..Faults::default() },
            needs: true,
            reaches: vec![Fact::Applied, Fact::Partial, Fact::Recheck, Fact::Cancelled],
            ..scenario(
                "invalid",
                "what stands only on something below it, and that is withdrawn or cancelled",
                vec![
                    Entry::queued("t1:/a=1").asynchronous(),
                    Entry::queued("t1:/b=2").asynchronous(),
                    Entry::atomic("t1:/c=3").asynchronous().late(),
                    Entry::queued("t1:/b=4").asynchronous(),
                ],
            )
        },
        Scenario {
            faults: Faults { hangs: 2, refusals: 1, late: 1, ..Faults::default() },
            late_delivery: true,
            reaches: vec![Fact::Applied, Fact::Reverted, Fact::Orphan, Fact::NewTerm],
            ..scenario("hangs", "a Set without an answer that lands later", one_atomic())
        },
        Scenario {
            faults: Faults {
                restarts: 1,
                resync_refusals: 3,
                refusals: 1,
                late: 1,
                busy: 1,
                ..Faults::default()
            },
            reaches: vec![Fact::Applied, Fact::ResyncRefused, Fact::Reverted],
            ..scenario(
                "stubborn",
                "a device that refuses to be brought in line",
                vec![
                    Entry::atomic("t1:/a=1"),
                    Entry::queued("t1:/a=2,/b=2").asynchronous(),
                    Entry::atomic("t1:/b=3").asynchronous().late(),
                ],
            )
        },
        Scenario {
            faults: Faults { restarts: 1, disconnects: 2, ..Faults::default() },
            rewrites: true,
            saved: Some([(path("/a"), leaf("X"))].into_iter().collect::<Tree>()),
            reaches: vec![Fact::Applied, Fact::Rewritten],
            ..scenario(
                "rewrites",
                "a device that shows values in a form of its own",
                vec![Entry::atomic("t1:/a=x"), Entry::queued("t1:/a=y,/b=z").asynchronous()],
            )
        },
        Scenario {
            faults: Faults { refusals: 2, cancels: 1, disconnects: 1, ..Faults::default() },
            reaches: vec![Fact::Applied, Fact::Partial, Fact::Recheck],
            ..scenario(
                "subtree",
                "a subtree is cleared over entries that are queued, withdrawn, cancelled",
                vec![
                    Entry::queued("t1:/l[k=1]=*,/l[k=1]/x=1").asynchronous(),
                    Entry::queued("t1:!/l[k=1]").asynchronous(),
                    Entry::queued("t1:!/l,/l[k=2]=*").asynchronous(),
                ],
            )
        },
        Scenario {
            faults: Faults { late: 1, refusals: 2, disconnects: 1, ..Faults::default() },
            reaches: vec![Fact::Applied, Fact::Reverted, Fact::Partial, Fact::Recheck],
            ..scenario(
                "additions",
                "values are added to what is committed by then, whatever became of those before",
                vec![
                    Entry::atomic("t1:/s+=1").asynchronous().late(),
                    Entry::queued("t1:/s+=2").asynchronous(),
                    Entry::queued("t1:/s+=3").asynchronous(),
                ],
            )
        },
        Scenario {
            reaches: vec![Fact::Applied, Fact::Rejected, Fact::Cancelled],
            faults: Faults { cancels: 1, crashes: 1, late: 1, ..Faults::default() },
            ..scenario(
                "ids",
                "an id used twice, with the same body and with another; a crash between",
                vec![
                    Entry::atomic("t1:/a=1"),
                    Entry::atomic("t1:/a=1").with_id_of(1),
                    Entry::atomic("t1:/a=bad"),
                    Entry::queued("t1:/a=4").with_id_of(1).late(),
                    Entry::queued("t1:/a=5").late(),
                ],
            )
        },
        Scenario {
            faults: Faults {
                restarts: 1,
                refusals: 1,
                disconnects: 1,
                retries: 3,
                ..Faults::default()
            },
            insists: Some(path("/b")),
            reaches: vec![Fact::Applied, Fact::ResyncRefused, Fact::NewTerm],
            ..scenario(
                "firm",
                "a device that can only go back together with what comes next",
                vec![
                    Entry::atomic("t1:/a=1").asynchronous(),
                    Entry::queued("t1:/b=2").asynchronous(),
                ],
            )
        },
        Scenario {
            faults: Faults { refusals: 2, disconnects: 1, ..Faults::default() },
            needs: true,
            reaches: vec![Fact::Applied, Fact::Partial, Fact::Recheck],
            ..scenario(
                "bridge",
                "what stands only on something below it, or on something above it that is not sent yet",
                vec![
                    Entry::queued("t1:/a=1").asynchronous(),
                    Entry::queued("t1:/b=2").asynchronous(),
                    Entry::queued("t1:/a=3").asynchronous(),
                    Entry::queued("t1:/c=4").asynchronous(),
                ],
            )
        },
        Scenario {
            faults: Faults { flickers: 1, refusals: 1, ..Faults::default() },
            reaches: vec![Fact::Applied, Fact::Reverted, Fact::NewTerm],
            ..scenario(
                "flicker",
                "a device restarts so quickly that only its connection is a new one",
                vec![Entry::atomic("t1:/a=1"), Entry::queued("t1:/a=2").asynchronous()],
            )
        },
    ]
}
