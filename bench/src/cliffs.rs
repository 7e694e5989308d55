//! Costs that must not grow with what a change does not touch: allocations and bytes are counted, which a busy machine does
//! not disturb. What is caught is a cliff, such as a walk over all leaves or a copy of the log; times are for `make bench`.

use std::alloc::System;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lockstep_protocol::record::Key;
use lockstep_protocol::{Compare, Event, Node, Txn};
use lockstep_store::Records;
use lockstep_store::kv::Op as Put;
use lockstep_types::{Content, Target};
use lockstep_yang::Form;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

use crate::core::{node, node_among, node_with_past, submit};
use crate::store::overheard::Overheard;
use crate::yang;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// One at a time: what is allocated is counted for the whole process.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often something is allocated, and how many bytes in all. The least of several times: the test runner allocates, too.
fn cost<T>(make: impl Fn() -> T, work: impl Fn(&mut T)) -> (usize, usize) {
    let once = || {
        let mut subject = make();
        let region = Region::new(ALLOCATOR);
        work(&mut subject);
        let change = region.change();
        (change.allocations + change.reallocations, change.bytes_allocated)
    };
    (0..3).map(|_| once()).min().unwrap_or_default()
}

/// The deeper a tree, the longer the way to a leaf: that much is allowed. A hundred times as much of anything is not.
const FLAT: usize = 3;

fn assert_flat(what: &str, small: (usize, usize), large: (usize, usize)) {
    let grows = |small: usize, large: usize| large > FLAT * small.max(1);
    assert!(
        !grows(small.0, large.0) && !grows(small.1, large.1),
        "{what}: {small:?} allocations and bytes at the small size, {large:?} at the large one"
    );
}

/// One change through the core, and the view that readers get after it.
fn change(node: &mut Node) {
    let changes = submit(node, usize::MAX).unwrap();
    node.handle(Event::Watch(changes));
    std::hint::black_box(node.view().clone());
}

fn of_core(large: &Node, small: &Node, what: &str) {
    let of = |node: &Node| cost(|| node.clone(), change);
    assert_flat(what, of(small), of(large));
}

#[test]
fn a_change_costs_the_same_on_a_target_with_many_leaves() {
    let _alone = alone();
    of_core(&node(20_000), &node(100), "leaves of the target");
}

#[test]
fn a_change_costs_the_same_among_many_targets() {
    let _alone = alone();
    of_core(&node_among(2_000), &node_among(10), "targets beside it");
}

#[test]
fn a_change_costs_the_same_with_a_long_log() {
    let _alone = alone();
    let past = |entries| node_with_past(entries).unwrap();
    of_core(&past(10_000), &past(100), "entries of the log");
}

#[test]
fn a_verdict_costs_the_same_on_a_target_with_many_interfaces() {
    let _alone = alone();
    let subject = yang::load();
    let leaf = subject.one_leaf(Some(Content::leaf(1450_u64)));
    let of = |interfaces| {
        let tree = subject.tree(interfaces);
        cost(|| (), |()| assert!(subject.models.validate_change(&tree, &leaf).is_empty()))
    };
    assert_flat("interfaces, of a verdict", of(20), of(2_000));
}

#[test]
fn a_get_of_one_interface_costs_the_same_among_many() {
    let _alone = alone();
    let subject = yang::load();
    let at = yang::path("/interfaces/interface[name=eth5]");
    let of = |interfaces| {
        let tree = subject.tree(interfaces);
        cost(|| (), |()| drop(subject.models.get(&tree, &at, Form::Ietf).unwrap()))
    };
    assert_flat("interfaces, of a Get", of(20), of(2_000));
}

#[test]
fn a_change_writes_the_same_bytes_whatever_stands() {
    let _alone = alone();
    let of = |node: Node| {
        let bytes = written(node);
        (1, bytes)
    };
    let small = of(node(100));
    assert_flat("leaves of the target, of what is written", small, of(node(20_000)));
    assert_flat(
        "entries of the log, of what is written",
        small,
        of(node_with_past(10_000).unwrap()),
    );
    // A few hundred bytes of records, whose names come on top.
    assert!(small.1 < 2_000, "{} bytes", small.1);
}

/// How many bytes of keys and values one change puts into the store.
fn written(mut node: Node) -> usize {
    let heard: Arc<Mutex<usize>> = Arc::default();
    let bytes = Arc::clone(&heard);
    let store = Overheard::new(move |txn| {
        let each = txn.ops.iter().map(|op| match op {
            Put::Put { key, value, .. } => key.len() + value.len(),
            Put::Delete(key) => key.len(),
        });
        *bytes.lock().unwrap() += each.sum::<usize>();
    });
    let ops = submit(&mut node, usize::MAX).unwrap().ops;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let records = Records::open(Arc::new(store)).await.unwrap();
        *heard.lock().unwrap() = 0;
        // On a store without a past: what is put is the same.
        let target = Target::new("leaf1").unwrap();
        let compares = vec![Compare::Absent(Key::Configuration(target))];
        records.write(&Txn { compares, ops }).await.unwrap();
    });
    *heard.lock().unwrap()
}
