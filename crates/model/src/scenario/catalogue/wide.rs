//! Transactions that go beyond one write: a write holds one target, and whatever concerns two is wide.

use lockstep_protocol::record::Rule;

use super::{both, scenario, two};
use crate::facts::Fact;
use crate::scenario::script::target;
use crate::scenario::{Entry, Faults, Scenario};

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![atomic(), crash(), queued(), rollback(), disturbed(), behind(), stale()]
}

fn wide(name: &'static str, about: &'static str, script: Vec<Entry>) -> Scenario {
    Scenario { targets: two(), small: true, ..scenario(name, about, script) }
}

fn atomic() -> Scenario {
    Scenario {
        fragile: both(),
        faults: Faults { refusals: 1, restarts: 1, late: 1, cancels: 1, ..Faults::default() },
        reaches: vec![Fact::Applied, Fact::Reverted, Fact::Cancelled, Fact::Lagging],
        ..wide(
            "wide",
            "a transaction of more targets than one write holds; refused, late or cancelled",
            vec![
                Entry::atomic("t1:/a=1 t2:/a=1").asynchronous().late(),
                Entry::queued("t1:/a=2").asynchronous(),
            ],
        )
    }
}

fn crash() -> Scenario {
    Scenario {
        instant: false,
        fragile: [target("t2")].into(),
        faults: Faults { crashes: 1, refusals: 1, ..Faults::default() },
        reaches: vec![Fact::Applied, Fact::Reverted, Fact::Rejected, Fact::Lagging],
        ..wide(
            "wide-crash",
            "its node dies between any two of its writes, and the next start of it carries on",
            vec![Entry::atomic("t1:/a=1 t2:/a=1").asynchronous()],
        )
    }
}

fn queued() -> Scenario {
    Scenario {
        fragile: both(),
        faults: Faults { refusals: 2, restarts: 1, cancels: 1, ..Faults::default() },
        reaches: vec![Fact::Applied, Fact::Partial, Fact::Cancelled, Fact::Lagging],
        ..wide(
            "wide-queued",
            "a queued one, withdrawn here and there or called off, with others behind it",
            vec![
                Entry::queued("t1:/a=1 t2:/a=1").asynchronous(),
                Entry::queued("t1:/a=2").asynchronous(),
            ],
        )
    }
}

fn rollback() -> Scenario {
    Scenario {
        instant: false,
        fragile: [target("t1")].into(),
        faults: Faults { refusals: 2, ..Faults::default() },
        reaches: vec![Fact::RolledBack, Fact::RollbackReverted, Fact::WithdrawnUnderRollback],
        ..wide(
            "wide-rollback",
            "the rollback of one by another, refused, or with its change withdrawn under it",
            vec![
                Entry::queued("t1:/a=1 t2:/a=1").asynchronous(),
                Entry::rollback(1, Rule::Target).asynchronous(),
                Entry::queued("t1:/b=2").asynchronous(),
            ],
        )
    }
}

fn disturbed() -> Scenario {
    Scenario {
        instant: false,
        fragile: [target("t1")].into(),
        slow_yang: true,
        needs: true,
        faults: Faults { refusals: 1, ..Faults::default() },
        reaches: vec![Fact::Applied, Fact::Rejected, Fact::Disturbed],
        ..wide(
            "wide-disturbed",
            "what it was prepared on is withdrawn before it is decided",
            vec![
                Entry::queued("t1:/a=1").asynchronous(),
                Entry::atomic("t1:/b=1 t2:/a=1").asynchronous(),
            ],
        )
    }
}

fn behind() -> Scenario {
    Scenario {
        instant: false,
        fragile: [target("t2")].into(),
        faults: Faults { refusals: 2, ..Faults::default() },
        reaches: vec![Fact::Applied, Fact::Reverted],
        ..wide(
            "wide-behind",
            "one target is free and the other held by an earlier transaction",
            vec![
                Entry::atomic("t2:/a=1").asynchronous(),
                Entry::atomic("t1:/a=2 t2:/a=2").asynchronous(),
                Entry::atomic("t1:/a=3 t2:/a=3").asynchronous(),
            ],
        )
    }
}

fn stale() -> Scenario {
    Scenario {
        nodes: 2,
        fragile: [target("t1")].into(),
        faults: Faults { lags: 1, cancels: 1, refusals: 1, ..Faults::default() },
        reaches: vec![Fact::Applied, Fact::Reverted],
        ..wide(
            "wide-stale",
            "a node that has not heard of the decision or the turn writes on an old view",
            vec![
                Entry::queued("t1:/a=1").asynchronous(),
                Entry::atomic("t1:/b=1 t2:/b=1").asynchronous(),
            ],
        )
    }
}
