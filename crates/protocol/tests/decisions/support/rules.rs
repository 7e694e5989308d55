//! What holds for every write of every test, whatever its subject.

use std::collections::BTreeSet;

use lockstep_protocol::record::{Header, PartStatus, Status, Transaction};
use lockstep_protocol::{Op, View};
use lockstep_types::Target;

/// Panics if a write does what no write may.
pub(crate) fn check(store: &View, ops: &[Op]) {
    let keys: BTreeSet<_> = ops.iter().map(Op::key).collect();
    assert_eq!(keys.len(), ops.len(), "a record is written twice: {ops:?}");
    for op in ops {
        match op {
            Op::Transaction(transaction) => check_transaction(store, transaction),
            Op::Part { index, target, part } => {
                let before = store.transaction(*index).expect("a part of an entry of the log");
                assert!(before.wide, "only wide ones have parts of their own: {op:?}");
                check_part(Some(before), target, part.status);
            }
            Op::Configuration { target, header, .. } => {
                check_header(store.header(target), header);
            }
            _ => {}
        }
    }
}

/// A status is followed by one of its successors; an entry is Pending before it is in the log.
fn check_transaction(store: &View, after: &Transaction) {
    let before = store.transaction(after.index);
    let status = before.map_or(Status::Pending, |before| before.status);
    assert!(
        status == after.status || status.successors().contains(&after.status),
        "transaction {}: {status:?} is followed by {:?}",
        after.index,
        after.status,
    );
    for (target, part) in after.targets.iter().filter(|_| !after.wide) {
        check_part(before, target, part.status);
    }
}

fn check_part(before: Option<&Transaction>, target: &Target, after: PartStatus) {
    let old = before.map_or(PartStatus::Pending, |before| before.part(target));
    let index = before.map(|before| before.index);
    assert!(
        old == after || old.successors().contains(&after),
        "transaction {index:?} on {target}: {old:?} is followed by {after:?}",
    );
}

/// Order: indexes never go back, and applied never passes committed.
fn check_header(before: &Header, after: &Header) {
    assert!(before.committed.index <= after.committed.index, "{before:?} to {after:?}");
    assert!(before.applied.index <= after.applied.index, "{before:?} to {after:?}");
    assert!(after.applied.index <= after.committed.index, "{after:?}");
}
