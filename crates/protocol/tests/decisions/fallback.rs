//! What may come to stand without a new decision: what other models have to find valid.

use lockstep_types::Configuration as Tree;

use crate::support::{N1, World, asynchronous, change, patch, present, queued, set, target};

fn stands<const N: usize>(units: [(&str, &str, u64); N]) -> Tree {
    Tree::new().patched(&patch(units.map(|(at, value, by)| (at, present(value, by)))))
}

#[test]
fn nothing_stands_on_a_new_target() {
    let world = World::ready(["t1"]);
    assert!(world.node(N1).view().may_stand(&target("t1")).is_empty());
}

#[test]
fn what_is_recorded_stands() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, change("a", [("t1", set([("/a", "1")]))]));
    assert_eq!(world.node(N1).view().may_stand(&target("t1")), [stands([("/a", "1", 1)])]);
}

#[test]
fn each_entry_that_is_not_recorded_may_go() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, change("a", [("t1", set([("/a", "1")]))]));
    for (name, at) in [("b", "/b"), ("c", "/c")] {
        world.commit(N1, 1, asynchronous(queued(change(name, [("t1", set([(at, name)]))]))));
    }
    let trees = [
        stands([("/a", "1", 1), ("/b", "b", 2), ("/c", "c", 3)]),
        stands([("/a", "1", 1), ("/b", "b", 2)]),
        stands([("/a", "1", 1)]),
    ];
    assert_eq!(world.node(N1).view().may_stand(&target("t1")), trees);
}

#[test]
fn an_open_atomic_change_may_go_though_it_is_recorded_here() {
    let mut world = World::ready(["t1", "t2"]);
    world.submit_and_drive(N1, 1, change("a", [("t1", set([("/a", "1")]))]));
    let both = change("b", [("t1", set([("/b", "2")])), ("t2", set([("/b", "2")]))]);
    world.commit(N1, 2, both);
    let trees = [stands([("/a", "1", 1), ("/b", "2", 2)]), stands([("/a", "1", 1)])];
    assert_eq!(world.node(N1).view().may_stand(&target("t1")), trees);
    assert_eq!(world.node(N1).view().may_stand(&target("t2")), [stands([("/b", "2", 2)])]);
}
