//! Targets that come, are bound anew and go, with transactions open or queued on them.

use lockstep_protocol::record::Rule;

use super::{both, scenario, two};
use crate::facts::Fact;
use crate::scenario::{Entry, Faults, Scenario};

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![removed(), added_again(), shared(), rebound()]
}

fn removed() -> Scenario {
    Scenario {
        faults: Faults { restarts: 1, crashes: 1, refusals: 1, late: 1, ..Faults::default() },
        reaches: vec![Fact::Removed, Fact::RemovedQueued, Fact::Rejected, Fact::Reverted],
        ..scenario(
            "removed",
            "a target goes while changes are open and queued on it",
            vec![
                Entry::atomic("t1:/a=1").asynchronous().late(),
                Entry::queued("t1:/a=2").asynchronous(),
                Entry::remove("t1").asynchronous(),
                Entry::queued("t1:/a=3").asynchronous(),
            ],
        )
    }
}

fn added_again() -> Scenario {
    Scenario {
        instant: false,
        faults: Faults { restarts: 1, refusals: 1, ..Faults::default() },
        reaches: vec![Fact::Removed, Fact::Added, Fact::Adopted, Fact::Applied],
        ..scenario(
            "added-again",
            "a target goes, and comes again by the same name",
            vec![
                Entry::queued("t1:/a=1,/b=1").asynchronous(),
                Entry::remove("t1").asynchronous(),
                Entry::add("t1").asynchronous(),
                Entry::rollback(1, Rule::Target).asynchronous(),
                Entry::atomic("t1:/a=2").asynchronous(),
            ],
        )
    }
}

fn shared() -> Scenario {
    Scenario {
        targets: two(),
        fragile: both(),
        faults: Faults { restarts: 1, crashes: 1, ..Faults::default() },
        reaches: vec![Fact::Removed, Fact::RemovedQueued, Fact::RolledBack, Fact::Partial],
        ..scenario(
            "removed-shared",
            "one of two targets goes on which a change waits or stands, which is then rolled back",
            vec![
                Entry::queued("t1:/a=1 t2:/a=1").asynchronous(),
                Entry::remove("t1").asynchronous(),
                Entry::rollback(1, Rule::Target).asynchronous(),
            ],
        )
    }
}

fn rebound() -> Scenario {
    Scenario {
        slow_yang: true,
        faults: Faults { restarts: 1, refusals: 1, cancels: 1, ..Faults::default() },
        reaches: vec![Fact::Rebound, Fact::Rejected, Fact::Applied, Fact::Partial],
        ..scenario(
            "rebound",
            "a target is bound to models that do not know what waits or may come to stand on it",
            vec![
                Entry::queued("t1:/n=1").asynchronous(),
                Entry::queued("t1:/n=-").asynchronous(),
                Entry::rebind("t1").asynchronous(),
                Entry::queued("t1:/n=2").asynchronous(),
            ],
        )
    }
}
