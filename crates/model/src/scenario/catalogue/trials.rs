//! Transactions that every device accepts before any of them keeps it.

use lockstep_protocol::record::{Drift, Trials};

use super::{both, scenario, two};
use crate::facts::Fact;
use crate::scenario::{Entry, Faults, Scenario, leaf, path, target};

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        Scenario {
            targets: two(),
            fragile: both(),
            trials: Trials::Shared,
            faults: Faults { refusals: 1, disconnects: 1, timers: 1, late: 1, ..Faults::default() },
            reaches: vec![
                Fact::Tried,
                Fact::Confirming,
                Fact::TakenBack,
                Fact::Applied,
                Fact::Reverted,
            ],
            ..scenario(
                "trial",
                "a trial on two devices: refused, late, taken back by a device, or kept by both",
                vec![
                    Entry::atomic("t1:/a=1 t2:/a=1").late(),
                    Entry::queued("t2:/a=2").asynchronous(),
                ],
            )
        },
        Scenario {
            targets: two(),
            fragile: [target("t2")].into(),
            trials: Trials::Shared,
            late_delivery: true,
            faults: Faults { hangs: 1, late: 1, restarts: 1, ..Faults::default() },
            reaches: vec![Fact::Tried, Fact::Applied, Fact::Reverted, Fact::Orphan],
            ..scenario(
                "trial-late",
                "a trial of which nobody knows what became of it, and that may land later",
                vec![Entry::atomic("t1:/a=1 t2:/a=1").late(), Entry::atomic("t1:/a=2 t2:/a=2")],
            )
        },
        Scenario {
            trials: Trials::Always,
            wary: true,
            late_delivery: true,
            faults: Faults {
                hangs: 1,
                disconnects: 1,
                timers: 1,
                late: 1,
                retries: 3,
                ..Faults::default()
            },
            reaches: vec![Fact::Tried, Fact::Applied, Fact::Reverted, Fact::Orphan],
            ..scenario(
                "trial-wary",
                "the same on a device that takes no claim while it has something on trial",
                vec![Entry::atomic("t1:/a=1").late(), Entry::queued("t1:/a=2").asynchronous()],
            )
        },
        Scenario {
            targets: two(),
            fragile: [target("t2")].into(),
            trials: Trials::Shared,
            unfenced: true,
            late_delivery: true,
            faults: Faults { hangs: 1, disconnects: 1, late: 1, ..Faults::default() },
            reaches: vec![Fact::Tried, Fact::Applied, Fact::Reverted, Fact::Orphan],
            ..scenario(
                "trial-anyone",
                "the same on devices that listen to anyone",
                vec![Entry::atomic("t1:/a=1 t2:/a=1").late(), Entry::atomic("t1:/a=2 t2:/a=2")],
            )
        },
        Scenario {
            nodes: 2,
            targets: two(),
            fragile: [target("t2")].into(),
            trials: Trials::Shared,
            wary: true,
            buried: true,
            faults: Faults { crashes: 1, refusals: 1, retries: 3, ..Faults::default() },
            reaches: vec![Fact::Confirming, Fact::Applied, Fact::Reverted, Fact::NewTerm],
            ..scenario(
                "trial-crash",
                "a node dies with a trial under way, and another carries on",
                vec![Entry::atomic("t1:/a=1 t2:/a=1")],
            )
        },
        Scenario {
            targets: two(),
            fragile: [target("t2")].into(),
            gone: [target("t2")].into(),
            trials: Trials::Shared,
            faults: Faults { restarts: 1, late: 1, ..Faults::default() },
            reaches: vec![Fact::Confirming, Fact::KeptUntold, Fact::Applied, Fact::Reverted],
            ..scenario(
                "trial-gone",
                "a device that is gone for good holds up nobody, whichever way the trial went",
                vec![Entry::atomic("t1:/a=1 t2:/a=1").late(), Entry::atomic("t1:/a=2")],
            )
        },
        Scenario {
            trials: Trials::Always,
            faults: Faults { orders: 1, cancels: 1, ..Faults::default() },
            reaches: vec![Fact::Tried, Fact::Paused, Fact::KeptUntold, Fact::Reverted],
            ..scenario(
                "trial-paused",
                "an operator has a device left alone, or looked at again, while it has a trial",
                vec![Entry::atomic("t1:/a=1").asynchronous(), Entry::queued("t1:/b=2")],
            )
        },
        Scenario {
            targets: two(),
            trials: Trials::Shared,
            drift: Drift::Enforce,
            faults: Faults { tampers: 1, cancels: 1, ..Faults::default() },
            reaches: vec![Fact::Tried, Fact::Confirming, Fact::Applied, Fact::Reverted],
            ..scenario(
                "trial-tampered",
                "somebody else changes a device that has a trial, and it is changed back",
                vec![Entry::atomic("t1:/a=1 t2:/a=1").asynchronous()],
            )
        },
        Scenario {
            trials: Trials::Always,
            saved: Some([(path("/a"), leaf("1"))].into_iter().collect()),
            faults: Faults { flickers: 1, restarts: 1, cancels: 1, ..Faults::default() },
            reaches: vec![Fact::Tried, Fact::Confirming, Fact::Applied, Fact::Reverted],
            ..scenario(
                "trial-saved",
                "a device that comes back with what it was only to try",
                vec![Entry::atomic("t1:/a=1").asynchronous(), Entry::queued("t1:/b=2")],
            )
        },
        Scenario {
            trials: Trials::Always,
            wary: true,
            nodes: 2,
            faults: Faults {
                usurpers: 1,
                claims: 1,
                retries: 3,
                cancels: 1,
                crashes: 1,
                timers: 1,
                ..Faults::default()
            },
            reaches: vec![Fact::Tried, Fact::TakenOver, Fact::Applied, Fact::Reverted],
            ..scenario(
                "trial-claimed",
                "a device is taken over from somebody else while it has a trial",
                vec![Entry::atomic("t1:/a=1").asynchronous()],
            )
        },
        Scenario {
            trials: Trials::Always,
            wary: true,
            faults: Faults {
                disconnects: 1,
                timers: 1,
                late: 1,
                crashes: 1,
                retries: 3,
                ..Faults::default()
            },
            reaches: vec![Fact::Tried, Fact::Removed, Fact::Added, Fact::Adopted],
            ..scenario(
                "trial-removed",
                "a target goes that may still have a trial to settle, and comes again",
                vec![
                    Entry::atomic("t1:/a=1").asynchronous().late(),
                    Entry::remove("t1").asynchronous(),
                    Entry::add("t1").asynchronous(),
                    Entry::queued("t1:/b=2").asynchronous(),
                ],
            )
        },
    ]
}
