//! Two nodes: stale masters, crashes, late writes, old views.

use lockstep_protocol::record::Drift;

use super::{scenario, two};
use crate::facts::Fact;
use crate::scenario::{Entry, Faults, Scenario, target};

pub(super) fn scenarios() -> Vec<Scenario> {
    let one_atomic = || {
        vec![
            Entry::atomic("t1:/a=1,/b=1").asynchronous().late(),
            Entry::atomic("t1:/a=-").asynchronous(),
        ]
    };
    vec![
        Scenario {
            nodes: 2,
            targets: two(),
            spread: true,
            fragile: [target("t1"), target("t2")].into(),
            faults: Faults { disconnects: 1, crashes: 1, ..Faults::default() },
            reaches: vec![Fact::Applied, Fact::NewTerm, Fact::HandedOver],
            ..scenario(
                "spread",
                "a target is handed over to the node whose turn it is, whatever happens",
                vec![Entry::atomic("t1:/a=1 t2:/a=1").asynchronous()],
            )
        },
        Scenario {
            nodes: 3,
            spread: true,
            buried: true,
            faults: Faults { disconnects: 1, crashes: 1, ..Faults::default() },
            reaches: vec![Fact::Applied, Fact::NewTerm, Fact::HandedOver],
            ..scenario(
                "standby",
                "three nodes, two of which are to be connected, and one may die",
                vec![Entry::queued("t1:/a=1").asynchronous()],
            )
        },
        Scenario {
            nodes: 2,
            spread: true,
            drift: Drift::Adopt,
            faults: Faults { tampers: 1, disconnects: 1, ..Faults::default() },
            reaches: vec![Fact::Applied, Fact::AdoptedOnTop, Fact::HandedOver],
            ..scenario(
                "handed-over-tampered",
                "somebody else changes a device that is about to be handed over",
                vec![Entry::queued("t1:/b=1").asynchronous()],
            )
        },
        Scenario {
            nodes: 2,
            spread: true,
            faults: Faults { tampers: 1, disconnects: 1, orders: 1, ..Faults::default() },
            reaches: vec![Fact::Applied, Fact::HandedOver],
            ..scenario(
                "handed-over-reported",
                "somebody else changes a device that is about to be handed over, and that is to be left so",
                vec![Entry::queued("t1:/b=1").asynchronous()],
            )
        },
        Scenario {
            nodes: 2,
            spread: true,
            instant: false,
            faults: Faults { leases: 1, hangs: 1, ..Faults::default() },
            late_delivery: true,
            reaches: vec![Fact::Applied, Fact::NewTerm, Fact::HandedOver],
            ..scenario(
                "handed-over",
                "a target changes hands while a write or a request is on its way",
                vec![
                    Entry::atomic("t1:/a=1").asynchronous(),
                    Entry::atomic("t1:/a=2").asynchronous(),
                ],
            )
        },
        Scenario {
            nodes: 2,
            faults: Faults { leases: 1, refusals: 1, late: 1, disconnects: 1, ..Faults::default() },
            reaches: vec![Fact::StaleMaster, Fact::NewTerm, Fact::Reverted],
            ..scenario("stale", "a master that lost its lease and does not know", one_atomic())
        },
        Scenario {
            nodes: 2,
            faults: Faults { crashes: 1, refusals: 1, late: 1, restarts: 1, ..Faults::default() },
            reaches: vec![Fact::NewTerm, Fact::Reverted, Fact::Applied],
            ..scenario(
                "crash",
                "a node dies between a device's answer and its record",
                one_atomic(),
            )
        },
        Scenario {
            nodes: 2,
            instant: false,
            faults: Faults { crashes: 1, refusals: 1, late: 1, ..Faults::default() },
            reaches: vec![Fact::NewTerm, Fact::Reverted, Fact::Applied],
            ..scenario(
                "writes",
                "writes reach the store late, or after their node died",
                vec![
                    Entry::atomic("t1:/a=1").asynchronous().late(),
                    Entry::queued("t1:/a=2").asynchronous(),
                ],
            )
        },
        Scenario {
            nodes: 2,
            targets: two(),
            fragile: [target("t1")].into(),
            faults: Faults { leases: 1, refusals: 1, undo_refusals: 1, ..Faults::default() },
            reaches: vec![Fact::NewTerm, Fact::Reverted, Fact::StaleMaster],
            ..scenario(
                "handover",
                "an atomic change on two targets while a master is replaced",
                vec![Entry::atomic("t1:/a=1 t2:/a=1").asynchronous()],
            )
        },
        Scenario {
            nodes: 2,
            faults: Faults { lags: 2, cancels: 1, refusals: 1, ..Faults::default() },
            instant: true,
            reaches: vec![Fact::Applied, Fact::StaleMaster],
            ..scenario(
                "lag",
                "a node that acts on an old view",
                vec![
                    Entry::queued("t1:/a=1").asynchronous(),
                    Entry::atomic("t1:/a=2").asynchronous(),
                ],
            )
        },
        Scenario {
            nodes: 2,
            honest: true,
            faults: Faults { leases: 1, refusals: 1, late: 1, ..Faults::default() },
            reaches: vec![Fact::NewTerm, Fact::Applied, Fact::StaleMaster],
            ..scenario(
                "lease",
                "a master whose lease ends, and who counts it",
                vec![Entry::atomic("t1:/a=1").asynchronous().late()],
            )
        },
        Scenario {
            nodes: 2,
            targets: two(),
            buried: true,
            faults: Faults { crashes: 1, late: 1, ..Faults::default() },
            reaches: vec![Fact::NewTerm, Fact::Reverted, Fact::Applied],
            ..scenario(
                "burial",
                "a node dies and stays dead; the other one takes over all that it had",
                vec![
                    Entry::atomic("t1:/a=1 t2:/a=1").asynchronous().late(),
                    Entry::queued("t1:/a=2").asynchronous(),
                ],
            )
        },
        Scenario {
            nodes: 2,
            instant: false,
            faults: Faults { lost: 1, disconnects: 1, late: 1, ..Faults::default() },
            reaches: vec![Fact::NewTerm, Fact::Applied],
            ..scenario(
                "lost",
                "a write of which nobody knows whether it happened, and that happens later",
                vec![Entry::atomic("t1:/a=1").asynchronous().late()],
            )
        },
        Scenario {
            nodes: 2,
            targets: two(),
            fragile: [target("t1")].into(),
            faults: Faults { crashes: 1, refusals: 1, restarts: 1, ..Faults::default() },
            reaches: vec![Fact::NewTerm, Fact::Reverted, Fact::Applied],
            ..scenario(
                "storm",
                "two nodes, two targets: a crash, a refusal and a restart in any order",
                vec![
                    Entry::atomic("t1:/a=1 t2:/a=1").asynchronous(),
                    Entry::queued("t2:/a=2").asynchronous(),
                ],
            )
        },
    ]
}
