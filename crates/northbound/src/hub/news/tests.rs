//! Which transaction a change is told at, and its time, where a revision holds the writes of several.

use lockstep_protocol::record::{Binding, Mode, Part, PartStatus, Status};
use lockstep_protocol::{Changes, Op};
use lockstep_types::{ModelDigest, SessionId, TransactionId};

use super::*;

fn leaf1() -> Target {
    Target::new("leaf1").unwrap()
}

/// One that arrived and is to be decided, at ten times its index.
fn arrived(index: u64, mode: Mode) -> Transaction {
    Transaction {
        index: Index::new(index),
        id: TransactionId::new(format!("t{index}")).unwrap(),
        kind: Kind::Change,
        mode,
        origin: SessionId::new("s1").unwrap(),
        author: String::new(),
        comment: String::new(),
        only: BTreeSet::new(),
        window: None,
        binding: None,
        submitted: Timestamp::new(10 * index),
        deadline: Timestamp::new(1000),
        decided: None,
        finished: None,
        status: Status::Pending,
        reason: None,
        wide: false,
        called_off: false,
        trial: false,
        disturbed: 0,
        targets: [(leaf1(), Part::default())].into_iter().collect(),
    }
}

fn decided(index: u64, mode: Mode) -> Transaction {
    let decided = Some(Timestamp::new(10 * index + 1));
    Transaction { decided, status: Status::Committed, ..arrived(index, mode) }
}

fn finished(index: u64, mode: Mode, part: PartStatus, status: Status) -> Transaction {
    let part = Part { status: part, ..Part::default() };
    Transaction {
        finished: Some(Timestamp::new(10 * index + 2)),
        status,
        targets: [(leaf1(), part)].into_iter().collect(),
        ..decided(index, mode)
    }
}

/// The transaction that is found to have changed something with the last of these revisions, and when that was seen.
fn told<const N: usize>(revisions: [Vec<Transaction>; N]) -> Option<(u64, Option<u64>)> {
    let (mut before, mut view, mut transactions) = (View::new(), View::new(), Vec::new());
    for moved in revisions {
        before = view.clone();
        transactions = moved.iter().map(|one| one.index).collect();
        let ops = moved.into_iter().map(Op::Transaction).collect();
        view.absorb(&Changes { revision: view.revision().next(), ops });
    }
    let (written, bound) = Default::default();
    let step = Step { view: Arc::new(view), written, transactions, bound };
    let cause = cause(&before, &step, &leaf1())?;
    Some((cause.index.get(), seen_at(cause, &leaf1()).map(Timestamp::get)))
}

// rule: subscribe-nodes
#[test]
fn an_outcome_is_told_as_its_own_where_the_next_one_arrives_with_it() {
    let atomic = Mode::Atomic;
    let done = || finished(1, atomic, PartStatus::Applied, Status::Applied);
    let open = || vec![decided(1, atomic)];
    assert_eq!(told([open(), vec![done()]]), Some((1, Some(12))));
    assert_eq!(told([open(), vec![done(), arrived(2, atomic)]]), Some((1, Some(12))));
    assert_eq!(told([open(), vec![done(), arrived(2, Mode::Queued)]]), Some((1, Some(12))));
    // What only arrives, or is decided and still open, changed nothing.
    assert_eq!(told([vec![done()], vec![arrived(2, atomic)]]), None);
    assert_eq!(told([vec![done(), arrived(2, atomic)], vec![decided(2, atomic)]]), None);
}

// rule: subscribe-nodes
#[test]
fn a_queued_one_is_told_at_its_decision_and_again_where_it_is_withdrawn() {
    let queued = Mode::Queued;
    let gone = || finished(1, queued, PartStatus::Withdrawn, Status::Partial);
    let before = || vec![decided(1, queued)];
    assert_eq!(told([vec![decided(1, queued), arrived(2, queued)]]), Some((1, Some(11))));
    assert_eq!(told([before(), vec![gone(), arrived(2, queued)]]), Some((1, Some(12))));
    let done = finished(1, queued, PartStatus::Applied, Status::Applied);
    assert_eq!(told([before(), vec![done, decided(2, queued)]]), Some((2, Some(21))));
}

#[test]
fn many_paths_and_targets_that_go_are_worked_out_aside() {
    let at =
        |number| format!("/interfaces/interface[name=eth{number}]/mtu").parse::<Path>().unwrap();
    let paths = |count| (0..count).map(at).collect::<BTreeSet<_>>();
    let mut bound = View::new();
    let binding = Binding::of(ModelDigest::new("lab").unwrap());
    let ops = vec![Op::Binding { target: leaf1(), binding }];
    bound.absorb(&Changes { revision: bound.revision().next(), ops });
    let is_little = |view: &View, count, came: bool| {
        let written = [(leaf1(), paths(count))].into();
        let bound = came.then(leaf1).into_iter().collect();
        let step = Step { view: Arc::new(view.clone()), written, transactions: vec![], bound };
        is_little(view, &step)
    };
    assert!(is_little(&bound, FEW - 1, false) && !is_little(&bound, FEW, false));
    assert!(!is_little(&bound, 1, true));
    assert!(!is_little(&View::new(), 1, false), "all of one that went is told");
}
