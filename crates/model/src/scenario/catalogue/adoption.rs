//! Devices that have what nobody asked of them: met for the first time, or changed behind our back.

use lockstep_protocol::record::{Drift, Rule};
use lockstep_types::{Configuration as Tree, Unit};

use super::{both, scenario, two};
use crate::facts::Fact;
use crate::scenario::{Entry, Faults, Scenario, leaf, path};

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        met(),
        met_invalid(),
        met_wide(),
        met_restore(),
        met_many(),
        met_many_invalid(),
        met_two(),
        tampered(),
        adopted(),
        enforced(),
        enforced_twice(),
        enforced_rewritten(),
        adopted_paused(),
        asked(),
    ]
}

/// What a device had before anyone met it.
fn own(paths: &[&str]) -> Option<Tree> {
    let mut tree = Tree::new();
    for at in paths {
        tree.assign(path(at), Unit { content: Some(leaf("own")), ..Unit::default() });
    }
    Some(tree)
}

fn met() -> Scenario {
    Scenario {
        own: own(&["/a", "/l/x", "/s"]),
        faults: Faults { disconnects: 1, refusals: 1, crashes: 1, late: 1, ..Faults::default() },
        reaches: vec![Fact::Adopted, Fact::AdoptedBelow, Fact::Applied, Fact::Partial],
        ..scenario(
            "met",
            "a device with a configuration of its own is first met, under what was asked of it before",
            vec![
                Entry::queued("t1:/a=1,!/l").asynchronous(),
                Entry::atomic("t1:/a=2,/b=2").asynchronous().late(),
                Entry::rollback(1, Rule::Path).asynchronous(),
            ],
        )
    }
}

fn met_invalid() -> Scenario {
    Scenario {
        own: own(&["/a", "/b"]),
        needs: true,
        slow_yang: true,
        faults: Faults { cancels: 1, ..Faults::default() },
        reaches: vec![
            Fact::Adopted,
            Fact::AdoptedBelow,
            Fact::Applied,
            Fact::Partial,
            Fact::Recheck,
        ],
        ..scenario(
            "met-invalid",
            "what was asked before a device was met is not valid on top of what it has",
            vec![
                Entry::queued("t1:/a=-").asynchronous(),
                Entry::queued("t1:/c=2").asynchronous(),
                Entry::queued("t1:/a=-,/b=-").asynchronous(),
            ],
        )
    }
}

fn met_wide() -> Scenario {
    Scenario {
        targets: two(),
        own: own(&["/a"]),
        small: true,
        instant: false,
        faults: Faults { refusals: 1, ..Faults::default() },
        reaches: vec![Fact::Adopted, Fact::Disturbed, Fact::Applied, Fact::Reverted],
        ..scenario(
            "met-wide",
            "devices are first met while a change of more than one write is prepared or open on them",
            vec![Entry::atomic("t1:/a=1 t2:/a=1").asynchronous()],
        )
    }
}

fn met_restore() -> Scenario {
    Scenario {
        targets: two(),
        own: own(&["/a"]),
        faults: Faults { refusals: 1, ..Faults::default() },
        reaches: vec![Fact::Adopted, Fact::AdoptedBelow, Fact::Restored, Fact::Partial],
        ..scenario(
            "met-restore",
            "a device is first met under a Restore to before what was asked of it",
            vec![
                Entry::queued("t2:/b=1").asynchronous(),
                Entry::queued("t1:/a=1").asynchronous(),
                Entry::restore(1, "t1").queue().asynchronous(),
            ],
        )
    }
}

fn met_many() -> Scenario {
    Scenario {
        own: own(&["/a", "/b", "/c", "/d"]),
        saved: own(&["/c"]),
        small: true,
        instant: false,
        faults: Faults { restarts: 1, cancels: 1, ..Faults::default() },
        reaches: vec![Fact::Adopted, Fact::AdoptedBelow, Fact::Applied, Fact::Cancelled],
        ..scenario(
            "met-many",
            "a device is first met under more than one write can put on top of what it has",
            vec![
                Entry::queued("t1:/a=1").asynchronous(),
                Entry::queued("t1:/b=2").asynchronous(),
                Entry::queued("t1:/a=3,/c=3").asynchronous(),
            ],
        )
    }
}

fn met_many_invalid() -> Scenario {
    Scenario {
        own: own(&["/a", "/b"]),
        needs: true,
        small: true,
        slow_yang: true,
        faults: Faults { disconnects: 1, ..Faults::default() },
        reaches: vec![Fact::Adopted, Fact::AdoptedBelow, Fact::Applied, Fact::Partial],
        ..scenario(
            "met-many-invalid",
            "the same, of which some is not valid on top of what the device has, while it comes and goes",
            vec![
                Entry::queued("t1:/c=1").asynchronous(),
                Entry::queued("t1:/a=-").asynchronous(),
                Entry::queued("t1:/d=3").asynchronous(),
            ],
        )
    }
}

fn met_two() -> Scenario {
    Scenario {
        targets: two(),
        fragile: both(),
        own: own(&["/a"]),
        instant: false,
        crowd: true,
        faults: Faults { disconnects: 1, ..Faults::default() },
        reaches: vec![Fact::Adopted, Fact::AdoptedBelow, Fact::Applied],
        ..scenario(
            "met-two",
            "two devices are first met at once, under and beside what is asked of them",
            vec![
                Entry::queued("t1:/a=1 t2:/b=1").asynchronous(),
                Entry::queued("t2:/a=2").asynchronous(),
            ],
        )
    }
}

fn tampered() -> Scenario {
    Scenario {
        faults: Faults { tampers: 1, adopts: 1, refusals: 1, restarts: 1, ..Faults::default() },
        instant: false,
        reaches: vec![Fact::Applied, Fact::AdoptedOnTop, Fact::Reverted],
        ..scenario(
            "tampered",
            "an operator has it recorded what somebody else made of a device",
            vec![Entry::atomic("t1:/a=1").asynchronous(), Entry::rollback(1, Rule::Target)],
        )
    }
}

fn adopted() -> Scenario {
    Scenario {
        drift: Drift::Adopt,
        faults: Faults { tampers: 1, refusals: 1, restarts: 1, crashes: 1, ..Faults::default() },
        reaches: vec![Fact::Applied, Fact::AdoptedOnTop, Fact::NewTerm],
        ..scenario(
            "adopted",
            "what somebody else makes of a device is recorded, whatever is under way",
            vec![
                Entry::queued("t1:/a=1,/b=1").asynchronous(),
                Entry::atomic("t1:/a=2").asynchronous(),
                Entry::rollback(2, Rule::Target),
            ],
        )
    }
}

fn asked() -> Scenario {
    Scenario {
        drift: Drift::Adopt,
        faults: Faults { tampers: 1, late: 2, confirms: 1, ..Faults::default() },
        reaches: vec![Fact::InWindow, Fact::AdoptedOnTop, Fact::NotConfirmed, Fact::Confirmed],
        ..scenario(
            "adopted-window",
            "somebody else changes a device while a change on it is to be confirmed",
            vec![Entry::atomic("t1:/a=1").asynchronous().confirmed_within(10)],
        )
    }
}

fn enforced() -> Scenario {
    Scenario {
        nodes: 2,
        drift: Drift::Enforce,
        faults: Faults {
            tampers: 1,
            refusals: 1,
            resync_refusals: 1,
            crashes: 1,
            ..Faults::default()
        },
        reaches: vec![Fact::Applied, Fact::Reverted, Fact::ResyncRefused],
        ..scenario(
            "enforced",
            "what somebody else makes of a device is taken back, whatever is under way",
            vec![Entry::atomic("t1:/a=1").asynchronous(), Entry::queued("t1:/b=2").asynchronous()],
        )
    }
}

fn enforced_twice() -> Scenario {
    Scenario {
        drift: Drift::Enforce,
        faults: Faults { tampers: 2, orders: 1, ..Faults::default() },
        reaches: vec![Fact::Applied],
        ..scenario(
            "enforced-twice",
            "a device is changed again while it is looked at",
            vec![Entry::queued("t1:/b=2").asynchronous()],
        )
    }
}

fn enforced_rewritten() -> Scenario {
    Scenario {
        drift: Drift::Enforce,
        rewrites: true,
        nodes: 2,
        faults: Faults { tampers: 2, busy: 1, orders: 1, crashes: 1, ..Faults::default() },
        reaches: vec![Fact::Applied, Fact::Rewritten, Fact::NewTerm],
        ..scenario(
            "enforced-rewritten",
            "the same on a device that shows values in a form of its own, and is busy",
            vec![Entry::atomic("t1:/a=v").asynchronous(), Entry::queued("t1:/b=2").asynchronous()],
        )
    }
}

fn adopted_paused() -> Scenario {
    Scenario {
        faults: Faults {
            tampers: 1,
            adopts: 1,
            orders: 1,
            usurpers: 1,
            claims: 1,
            retries: 2,
            crashes: 1,
            ..Faults::default()
        },
        reaches: vec![Fact::Applied, Fact::AdoptedOnTop, Fact::Paused],
        ..scenario(
            "adopted-paused",
            "what a device has is to be recorded, but it is paused or listens to somebody else",
            vec![Entry::atomic("t1:/a=1").asynchronous()],
        )
    }
}
