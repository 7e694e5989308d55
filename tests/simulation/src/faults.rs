//! What goes wrong in a run, one thing after the other.

use std::time::Duration;

use crate::chance::Chance;
use crate::device::{Fault, Site};
use crate::nodes::Node;

/// What can go wrong, to nodes first. All of it comes to pass in a run of many seeds.
pub const ALL: [&str; 16] = [
    "a node killed",
    "a node stopped",
    "a node without the store",
    "a store that fails a node",
    "a watch that is late",
    "a watch that breaks",
    "a store that lets go of the past",
    "a device cut off from a node",
    "a clock set",
    "a device restarted",
    "a device that lost all",
    "a device that refuses",
    "a device without time",
    "a device that does it late",
    "a device that hangs up after it",
    "a device changed by somebody else",
];

/// What it is called where the node does not run that it was to be done to.
pub const NOBODY: &str = "a fault that met nobody";

/// So many of them, the first, are done to a node that runs.
const TO_NODES: usize = 7;

/// What is to be undone later: when, and what.
#[derive(Debug)]
pub enum Later {
    /// A node is started.
    Start(usize),
    /// The store answers a node again, and well.
    Calm(usize),
    /// The store lets go of what a node was not told yet, and answers it well again.
    Compact(usize),
    /// A node reaches a device again.
    Mend(usize, usize),
}

/// Does the next thing wrong. Says what, and what is to be undone after how long.
pub async fn next(
    nodes: &mut [Node],
    sites: &[Site],
    chance: &Chance,
) -> (&'static str, Option<(Duration, Later)>) {
    let (at, on) = (chance.below(nodes.len()), chance.below(sites.len()));
    let (node, site) = (&mut nodes[at], &sites[on]);
    let soon = chance.time(200, 15_000);
    // It is drawn, and undone, the same whoever it meets, so that a seed stays the run that it was.
    let runs = node.handle().is_some();
    let (name, later) = begin((at, node), (on, site), soon, chance).await;
    (if runs || !ALL[..TO_NODES].contains(&name) { name } else { NOBODY }, later)
}

/// Does one thing wrong to a node, or a device.
async fn begin(
    (at, node): (usize, &mut Node),
    (on, site): (usize, &Site),
    soon: Duration,
    chance: &Chance,
) -> (&'static str, Option<(Duration, Later)>) {
    match chance.below(16) {
        0 => {
            node.kill().await;
            ("a node killed", Some((soon, Later::Start(at))))
        }
        1 => {
            node.stop().await;
            ("a node stopped", Some((soon, Later::Start(at))))
        }
        2 => {
            node.weather(|state| state.stalled = true);
            ("a node without the store", Some((soon, Later::Calm(at))))
        }
        3 => {
            node.weather(|state| state.failing = 30);
            ("a store that fails a node", Some((soon, Later::Calm(at))))
        }
        4 => {
            node.weather(|state| state.late = 2_000);
            ("a watch that is late", Some((soon, Later::Calm(at))))
        }
        5 | 6 => {
            site.cut(node.name(), true);
            ("a device cut off from a node", Some((soon, Later::Mend(at, on))))
        }
        7 => {
            let by = chance.below(20_000) as i64 - 10_000;
            node.skew(by);
            ("a clock set", None)
        }
        8 => {
            let keep = chance.percent(50);
            site.restart(keep);
            (if keep { "a device restarted" } else { "a device that lost all" }, None)
        }
        9 => {
            site.fault(Fault::Refuse, chance.below(3) + 1);
            ("a device that refuses", None)
        }
        10 => {
            site.fault(Fault::Busy, chance.below(3) + 1);
            ("a device without time", None)
        }
        11 => {
            site.fault(Fault::Late(chance.time(500, 30_000)), 1);
            ("a device that does it late", None)
        }
        12 => {
            site.fault(Fault::Drop, chance.below(2) + 1);
            ("a device that hangs up after it", None)
        }
        13 => {
            node.weather(|state| state.broken = true);
            ("a watch that breaks", None)
        }
        14 => {
            node.weather(|state| state.late = 2_000);
            ("a store that lets go of the past", Some((soon, Later::Compact(at))))
        }
        _ => {
            let path = "/system/motd".parse().expect("a path");
            site.tamper(path, "somebody else");
            ("a device changed by somebody else", None)
        }
    }
}
