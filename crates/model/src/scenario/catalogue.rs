//! The scenarios that are explored, each aimed at something.

mod adoption;
mod lifecycle;
mod nodes;
mod one_target;
mod operated;
mod restores;
mod retention;
mod rollbacks;
mod timing;
mod together;
mod trials;
mod two_targets;
mod wide;
mod windows;

use std::collections::BTreeSet;
use std::sync::Arc;

use lockstep_protocol::record::{Drift, Trials};
use lockstep_types::Target;

use super::script::target;
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
        small: false,
        instant: true,
        slow_yang: false,
        ahead: false,
        crowd: false,
        buried: false,
        honest: false,
        late_delivery: false,
        trials: Trials::Never,
        wary: false,
        unfenced: false,
        fragile: [target("t1")].into(),
        gone: BTreeSet::new(),
        spread: false,
        own: None,
        set_back: false,
        drift: Drift::Report,
        saved: None,
        insists: None,
        keeps: None,
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
    all.extend(one_target::scenarios());
    all.extend(two_targets::scenarios());
    all.extend(operated::scenarios());
    all.extend(adoption::scenarios());
    all.extend(together::scenarios());
    all.extend(trials::scenarios());
    all.extend(lifecycle::scenarios());
    all.extend(wide::scenarios());
    all.extend(rollbacks::scenarios());
    all.extend(restores::scenarios());
    all.extend(windows::scenarios());
    all.extend(retention::scenarios());
    all.extend(nodes::scenarios());
    all.extend(timing::scenarios());
    all.into_iter().map(Arc::new).collect()
}
