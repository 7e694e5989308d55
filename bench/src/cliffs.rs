//! Costs that must not grow with what a change does not touch: allocations, bytes and instructions are counted, which a busy
//! machine does not disturb. What is caught is a cliff, such as a walk over all leaves or a copy of the log; times are for
//! `make bench`.

mod instructions;
mod subjects;

use std::alloc::System;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lockstep_protocol::record::Key;
use lockstep_protocol::{Compare, Node, Txn};
use lockstep_store::Records;
use lockstep_store::kv::Op as Put;
use lockstep_types::Target;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

use crate::core::{atomic, node, node_with_past, submit};
use crate::store::overheard::Overheard;
use crate::whole::transact;
use subjects::{Subject, WALK, network, subjects};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The deeper a tree, the longer the way to a leaf: so many times as much is allowed. A thousand times as much of anything
/// is not.
const FLAT: usize = 3;

/// One test at a time, each of them: what is allocated is counted for the whole process.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often something is allocated, and how many bytes in all. The least of several times: the test runner allocates, too.
fn allocated(subject: &Subject, size: usize) -> (usize, usize) {
    let once = || {
        let mut work = (subject.make)(size);
        let region = Region::new(ALLOCATOR);
        work();
        let change = region.change();
        (change.allocations + change.reallocations, change.bytes_allocated)
    };
    let (count, bytes) = (0..3).map(|_| once()).min().unwrap_or_default();
    (count / (subject.each)(size), bytes / (subject.each)(size))
}

/// Whether it is much more at the large size than at the small one.
fn grows([small, large]: [usize; 2]) -> bool {
    large > FLAT * small.max(1)
}

#[test]
fn nothing_is_allocated_for_what_a_change_does_not_touch() {
    let _alone = alone();
    let mut faults = Vec::new();
    for subject in subjects() {
        let [small, large] = subject.sizes.map(|size| allocated(&subject, size));
        let at = format!("{} at {:?}", subject.what, subject.sizes);
        if grows([small.0, large.0]) || grows([small.1, large.1]) {
            faults.push(format!("{at}: {small:?} allocations and bytes, then {large:?}"));
        }
        if small.0 > subject.allocations + subject.allocations / 2 {
            let known = subject.allocations;
            faults.push(format!("{at}: {} allocations, where it took {known}", small.0));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// What instructions are counted for besides.
#[test]
fn a_walk_allocates_nothing() {
    let _alone = alone();
    let [small, large] = WALK.sizes.map(|size| allocated(&WALK, size));
    assert!(!grows([small.0, large.0]), "{small:?}, then {large:?}");
}

#[test]
fn a_transaction_takes_as_few_writes_as_it_can() {
    let _alone = alone();
    let writes = |targets| {
        let mut node = network(targets);
        transact(&mut node, atomic(1, subjects::all(targets))).writes
    };
    // The answers of a wide one are recorded target by target.
    for (targets, most) in [(1, 2), (10, 5), (100, 120)] {
        let taken = writes(targets);
        assert!(taken <= most, "{taken} writes for {targets} targets");
    }
}

#[test]
fn a_change_writes_the_same_bytes_whatever_stands() {
    let _alone = alone();
    let small = written(node(100));
    for (what, bytes) in
        [("leaves", written(node(20_000))), ("log", written(node_with_past(10_000).unwrap()))]
    {
        assert!(!grows([small, bytes]), "{what}: {small} bytes, then {bytes}");
    }
    // A few hundred bytes of records, whose names come on top.
    assert!(small < 2_000, "{small} bytes");
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
        records.write(Txn { compares, ops }).await.unwrap();
    });
    *heard.lock().unwrap()
}
