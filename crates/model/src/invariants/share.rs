//! When nothing is under way any more, every target is with the node whose turn it is, and nobody is connected
//! to it but that node and the one that stands by. A device of which its master knows that somebody else
//! changed it is not handed over.

use lockstep_protocol::node::Turn;
use lockstep_types::Target;

use super::Step;
use super::in_step::is_left_alone;
use crate::system::{Commit, System};

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let system = step.after;
    if !system.scenario.spread {
        return true;
    }
    if !system.commits.iter().all(|commit| is_handed_over_well(system, commit)) {
        return false;
    }
    if !system.is_quiet() {
        return true;
    }
    let store = &system.store;
    let mut at_rest = system.scenario.targets.iter().filter(|target| {
        system.devices[*target].on
            && store.is_synchronised(target)
            && store.is_settled(target)
            && !is_left_alone(system, target)
    });
    at_rest.all(|target| turn(system, target).is_none_or(|turn| is_kept(system, target, turn)))
}

fn is_handed_over_well(system: &System, commit: &Commit) -> bool {
    // A write that is under way when somebody changes the device may still land.
    let mut targets = system.scenario.targets.iter().filter(|_| system.scenario.instant);
    targets.all(|target| {
        let old = commit.before.master(target).and_then(|master| master.session.as_ref());
        let new = commit.after.mastership(target).and_then(|m| m.session.as_ref());
        let cores = system.nodes.iter().filter_map(|running| running.core.as_ref());
        let mut masters =
            cores.filter(|core| Some(core.session()) == old && new.is_some() && old != new);
        !masters.any(|core| core.desk().link(target).is_some_and(|link| link.up && link.drifted))
    })
}

/// Every node comes to the same.
fn turn<'a>(system: &'a System, target: &Target) -> Option<&'a Turn> {
    let cores = system.nodes.iter().filter_map(|running| running.core.as_ref());
    let mut cores = cores.filter(|core| system.store.is_alive(core.session()));
    cores.next()?.desk().turn(target)
}

fn is_kept(system: &System, target: &Target, turn: &Turn) -> bool {
    let cores = system.nodes.iter().filter_map(|running| running.core.as_ref());
    let mut whose = cores.filter(|core| *core.session() == turn.master);
    if whose.any(|core| core.desk().is_unfit(target)) {
        // It could not hold it, and leaves it to others for a while.
        return true;
    }
    let master = system.store.master(target).and_then(|master| master.session.as_ref());
    let alive = |node: &usize| {
        let core = system.nodes[*node].core.as_ref();
        core.filter(|core| system.store.is_alive(core.session())).is_some()
    };
    let nodes = (0..system.nodes.len()).filter(alive);
    let mut connected = nodes.filter(|node| system.connection(*node, target).is_some());
    let named = |node: usize| {
        let session = system.nodes[node].core.as_ref().map(|core| core.session());
        session == Some(&turn.master) || session == turn.standby.as_ref()
    };
    master == Some(&turn.master) && connected.all(named)
}
