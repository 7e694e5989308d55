//! What a one-leaf Set costs as the target and the log grow: counted, and amortised over snapshots.

use lockstep_protocol::record::{Head, Header, Key, Kind, Mark, Mode, Part, PartStatus, Proposal};
use lockstep_protocol::record::{Status, Transaction};
use lockstep_protocol::{Compare, Op};
use lockstep_store::Records;
use lockstep_types::{
    Content, Edit, Index, Patch, Path, SessionId, Timestamp, TransactionId, Undo, Unit,
};

use crate::counting::{Counting, Sum};
use crate::one_set::{Shell, leaf};
use crate::support::{bound, path, records, target, write};

/// How many Sets are counted. With few leaves it takes some hundred for the deltas to outgrow their
/// snapshot.
const SETS: u64 = 1_000;

/// A delta, with its key, is at most so long here.
const DELTA: f64 = 200.0;

/// The same length for every index, so that sizes can be compared.
fn id(index: u64) -> TransactionId {
    TransactionId::new(format!("earlier-{index:08}")).unwrap()
}

fn transaction(index: u64) -> Transaction {
    let part = Part { status: PartStatus::Applied, ..Part::default() };
    Transaction {
        index: Index::new(index),
        id: id(index),
        kind: Kind::Change,
        mode: Mode::Atomic,
        origin: SessionId::new("n1-1-100000001").unwrap(),
        author: "operator".into(),
        comment: String::new(),
        only: [].into(),
        window: None,
        binding: None,
        submitted: Timestamp::new(1),
        deadline: Timestamp::new(100),
        decided: Some(Timestamp::new(1)),
        finished: Some(Timestamp::new(2)),
        status: Status::Applied,
        reason: None,
        wide: false,
        called_off: false,
        trial: false,
        disturbed: 0,
        targets: [(target("leaf1"), part)].into(),
    }
}

fn proposal(index: u64) -> Proposal {
    let (path, content) = (leaf(index % 10), Content::leaf("to begin with"));
    Proposal {
        edit: Edit { set: [(path.clone(), content.clone())].into(), ..Edit::default() },
        delta: [(path, Some(content))].into_iter().collect(),
        undo: Undo::default(),
    }
}

/// Ten leaves that are set, and any number of others, with short paths that are soon compared.
fn place(number: u64) -> Path {
    if number < 10 { leaf(number) } else { path(&format!("/other-{number:012}-with-a-long-name")) }
}

/// A log of so many entries, and a target with so many leaves.
async fn fill(records: &Records, leaves: u64, log: u64) {
    let index = Index::new(log);
    let unit = || Unit::present(Content::leaf("to begin with"), index);
    let patch: Patch = (0..leaves).map(|n| (place(n), unit())).collect();
    let mark = Mark { index, revision: index };
    let header = Header { committed: mark, applied: mark, met: true, ..Header::NEW };
    let on = target("leaf1");
    let (committed, applied) = (patch.clone(), patch);
    let ops = vec![
        bound(&on),
        Op::Configuration { target: on.clone(), header, committed, applied, cleared: false },
        Op::Head(Head { index, timestamp: Timestamp::new(1) }),
    ];
    write(records, vec![Compare::Absent(Key::Configuration(on.clone()))], ops).await;
    for first in (1..=log).step_by(500) {
        let entries = first..=log.min(first + 499);
        let ops = entries.flat_map(|index| {
            let (on, proposal) = (on.clone(), proposal(index));
            let index_ = Index::new(index);
            [
                Op::Id { id: id(index), index: index_ },
                Op::Transaction(transaction(index)),
                Op::Proposal { index: index_, target: on, proposal },
            ]
        });
        write(records, vec![], ops.collect()).await;
    }
    // For the fold, if it has become due.
    tokio::task::yield_now().await;
}

/// What one Set costs, in transactions, operations and bytes, including its part of the snapshots.
async fn cost(leaves: u64, log: u64, sets: u64) -> [f64; 3] {
    let store = Counting::default();
    let records = records(store.store.clone()).await;
    fill(&records, leaves, log).await;
    let mut shell = Shell::on(records.clone()).await;
    let began = store.sum();
    for number in 0..sets {
        let value = Content::leaf(format!("value {number:010}"));
        shell.set([(leaf(number % 10), value)].into_iter()).await;
        // For the fold, if it has become due.
        tokio::task::yield_now().await;
    }
    let Sum { transactions, operations, bytes } = store.sum();
    assert_eq!(shell.view().head().index.get(), log + sets, "all of them were decided");
    let each = |now: u64, then: u64| (now - then) as f64 / sets as f64;
    let cost = [
        each(transactions, began.transactions),
        each(operations, began.operations),
        each(bytes, began.bytes),
    ];
    println!("{leaves} leaves, log of {log}: {sets} Sets, {cost:?}");
    cost
}

/// Where a snapshot is too large to come due in a test, its part is reckoned from what it costs and
/// from how long the deltas may grow until then.
async fn reckoned(leaves: u64, sets: u64) -> [f64; 3] {
    let [transactions, operations, bytes] = cost(leaves, 10, sets).await;
    let deltas = 2.0 * DELTA;
    // One operation to remove each delta; the bytes of the snapshot, half of those of the deltas.
    [transactions, operations + 2.0, bytes + deltas / 2.0 + deltas / 3.0]
}

fn flat(what: &str, costs: &[(u64, [f64; 3])]) {
    println!("{what:>10}  transactions  operations     bytes");
    for (size, [transactions, operations, bytes]) in costs {
        println!("{size:>10} {transactions:>13.2} {operations:>11.2} {bytes:>9.0}");
    }
    for at in 0..3 {
        let all = costs.iter().map(|(_, cost)| cost[at]);
        let (least, most) = all.fold((f64::MAX, 0.0), |(l, m), c| (c.min(l), c.max(m)));
        assert!(most <= least * 1.2, "{what}: {costs:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_set_costs_the_same_on_a_target_of_any_size() {
    let mut costs = Vec::new();
    for leaves in [10, 1_000] {
        costs.push((leaves, cost(leaves, 10, SETS).await));
    }
    costs.push((10_000, reckoned(10_000, 10).await));
    flat("leaves", &costs);
}

#[tokio::test(start_paused = true)]
#[ignore = "a hundred thousand leaves take a minute to be put there; `make crash` runs it"]
async fn a_set_costs_the_same_on_a_target_of_a_hundred_thousand_leaves() {
    let costs = [(10, cost(10, 10, SETS).await), (100_000, reckoned(100_000, 10).await)];
    flat("leaves", &costs);
}

#[tokio::test(start_paused = true)]
async fn a_set_costs_the_same_on_a_log_of_any_length() {
    let mut costs = Vec::new();
    for log in [10, 10_000] {
        costs.push((log, cost(10, log, SETS).await));
    }
    flat("log", &costs);
}

#[tokio::test(start_paused = true)]
#[ignore = "a million entries take minutes; `make crash` runs it"]
async fn a_set_costs_the_same_on_a_log_of_a_million() {
    let mut costs = Vec::new();
    for log in [10, 1_000_000] {
        costs.push((log, cost(10, log, SETS).await));
    }
    flat("log", &costs);
}
