//! The scenarios that are explored, each aimed at something.

use std::collections::BTreeSet;
use std::sync::Arc;

use lockstep_protocol::record::Rule;
use lockstep_types::{Configuration as Tree, Target};

use super::script::{leaf, path, target};
use super::{Entry, Faults, Scenario};
use crate::facts::Fact;

/// A scenario to be filled in: one node, one target, nothing goes wrong.
fn scenario(name: &'static str, about: &'static str, script: Vec<Entry>) -> Scenario {
    Scenario {
        name,
        about,
        nodes: 1,
        targets: vec![target("t1")],
        script,
        faults: Faults::default(),
        instant: true,
        slow_yang: false,
        crowd: false,
        buried: false,
        honest: false,
        late_delivery: false,
        fragile: [target("t1")].into(),
        gone: BTreeSet::new(),
        saved: None,
        insists: None,
        rewrites: false,
        needs: false,
        reaches: vec![Fact::Applied],
    }
}

fn two() -> Vec<Target> {
    vec![target("t1"), target("t2")]
}

fn both() -> BTreeSet<Target> {
    two().into_iter().collect()
}

/// The scenario with this name.
#[must_use]
pub fn find(name: &str) -> Option<Arc<Scenario>> {
    catalogue().into_iter().find(|scenario| scenario.name == name)
}

/// Every scenario.
#[must_use]
pub fn catalogue() -> Vec<Arc<Scenario>> {
    let mut all = Vec::new();
    all.extend(one_target());
    all.extend(two_targets());
    all.extend(rollbacks());
    all.extend(nodes());
    all.into_iter().map(Arc::new).collect()
}

fn one_target() -> Vec<Scenario> {
    let one_atomic = || vec![Entry::atomic("t1:/a=1,/b=1").late(), Entry::atomic("t1:/a=-").late()];
    vec![
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
    ]
}

fn two_targets() -> Vec<Scenario> {
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

fn rollbacks() -> Vec<Scenario> {
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
                    Entry::rollback(2, Rule::Target),
                    Entry::rollback(9, Rule::Target),
                ],
            )
        },
    ]
}

fn nodes() -> Vec<Scenario> {
    let one_atomic = || {
        vec![
            Entry::atomic("t1:/a=1,/b=1").asynchronous().late(),
            Entry::atomic("t1:/a=-").asynchronous(),
        ]
    };
    vec![
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
    ]
}
