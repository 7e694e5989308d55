//! What is counted: something there, of some size, and what is done with it.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::{Mutex, OnceLock, PoisonError};

use lockstep_protocol::record::Status;
use lockstep_protocol::{Event, Node};
use lockstep_types::{Configuration, Content, Target};
use lockstep_yang::Form;

use crate::core::{
    atomic, named_beside, node, node_among, node_with_past, submit, submit_to_be_judged,
};
use crate::whole::{connect, transact};
use crate::yang;

/// What is done. What it is done with outlives it, so that letting go of it is not counted.
pub(super) type Work = Box<dyn FnMut()>;

pub(super) struct Subject {
    pub(super) what: &'static str,
    /// What must cost about the same.
    pub(super) sizes: [usize; 2],
    /// What is there at a size, and what is done with it.
    pub(super) make: fn(usize) -> Work,
    /// Of how many things that is the sum, at a size.
    pub(super) each: fn(usize) -> usize,
    /// How many allocations it took at the small size when this was written.
    pub(super) allocations: usize,
}

const ONE: fn(usize) -> usize = |_| 1;

/// What nothing else may be like.
pub(super) const WALK: Subject = Subject {
    what: "a walk over all leaves",
    sizes: [10, 10_000],
    make: |leaves| {
        let node = with_leaves(leaves);
        let tree = node.view().committed(&Target::new("leaf1").unwrap());
        let leaf = Content::leaf(7_u64);
        Box::new(move || {
            black_box(tree.iter().filter(|(_, content)| **content == leaf).count());
        })
    },
    each: ONE,
    allocations: 0,
};

pub(super) fn subjects() -> Vec<Subject> {
    let core =
        |what, sizes, make, allocations| Subject { what, sizes, make, each: ONE, allocations };
    let leaves = |what, make, allocations| core(what, [10, 10_000], make, allocations);
    let entries = |what, make, allocations| core(what, [10, 4_000], make, allocations);
    vec![
        leaves("a change, by leaves of its target", |n| change(with_leaves(n)), 141),
        leaves(
            "a change yang is asked about, by leaves of its target",
            |n| asked(with_leaves(n)),
            152,
        ),
        leaves(
            "a change up to its outcome, by leaves of its target",
            |n| whole(with_leaves(n)),
            144,
        ),
        entries("a change, by entries of the log", |n| change(with_past(n)), 145),
        entries("a change up to its outcome, by entries of the log", |n| whole(with_past(n)), 151),
        core("a change, by targets beside it", [2, 500], |n| change(among(n)), 141),
        Subject {
            what: "a target of a transaction, by how many it has",
            sizes: [10, 100],
            make: |n| outcome(network(n), all(n)),
            each: |n| n,
            allocations: 106,
        },
        core("a verdict, by interfaces", [10, 300], verdict, 81),
        core("a Get of one interface, by interfaces", [10, 300], get, 185),
    ]
}

/// What takes far longer to make than what is done with it is made once; copies share everything.
type Kept<T> = Mutex<BTreeMap<usize, T>>;

fn kept<T: Clone>(made: &Kept<T>, size: usize, make: impl Fn(usize) -> T) -> T {
    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry(size).or_insert_with(|| make(size)).clone()
}

fn with_leaves(leaves: usize) -> Node {
    static MADE: Kept<Node> = Mutex::new(BTreeMap::new());
    kept(&MADE, leaves, node)
}

fn with_past(entries: usize) -> Node {
    static MADE: Kept<Node> = Mutex::new(BTreeMap::new());
    kept(&MADE, entries, |entries| node_with_past(entries as u64).unwrap())
}

fn among(targets: usize) -> Node {
    static MADE: Kept<Node> = Mutex::new(BTreeMap::new());
    kept(&MADE, targets, node_among)
}

/// A node that is in line with so many devices.
pub(super) fn network(targets: usize) -> Node {
    static MADE: Kept<Node> = Mutex::new(BTreeMap::new());
    kept(&MADE, targets, |targets| {
        let mut node = node_among(targets);
        connect(&mut node, all(targets));
        node
    })
}

pub(super) fn all(targets: usize) -> Vec<Target> {
    (0..targets).map(named_beside).collect()
}

fn models() -> &'static yang::Subject {
    static LOADED: OnceLock<yang::Subject> = OnceLock::new();
    LOADED.get_or_init(yang::load)
}

fn with_interfaces(interfaces: usize) -> Configuration {
    static MADE: Kept<Configuration> = Mutex::new(BTreeMap::new());
    kept(&MADE, interfaces, |interfaces| models().tree(interfaces))
}

/// One change, and the view that readers get after it.
fn change(mut node: Node) -> Work {
    Box::new(move || {
        let changes = submit(&mut node, usize::MAX).unwrap();
        node.handle(Event::Watch(changes));
        black_box(node.view().clone());
    })
}

fn asked(mut node: Node) -> Work {
    Box::new(move || {
        let changes = submit_to_be_judged(&mut node, usize::MAX).unwrap();
        node.handle(Event::Watch(changes));
        black_box(node.view().clone());
    })
}

/// One atomic change of one leaf, decided, sent, answered and recorded.
fn whole(mut node: Node) -> Work {
    let target = Target::new("leaf1").unwrap();
    connect(&mut node, [target.clone()]);
    outcome(node, vec![target])
}

fn outcome(mut node: Node, targets: Vec<Target>) -> Work {
    let mut request = Some(atomic(usize::MAX, targets));
    Box::new(move || {
        let done = transact(&mut node, request.take().unwrap());
        assert_eq!(done.told, [Status::Applied]);
    })
}

fn verdict(interfaces: usize) -> Work {
    let leaf = models().one_leaf(Some(Content::leaf(1450_u64)));
    let tree = with_interfaces(interfaces);
    Box::new(move || assert!(models().models.validate_change(&tree, &leaf).is_empty()))
}

fn get(interfaces: usize) -> Work {
    let at = yang::path("/interfaces/interface[name=eth5]");
    let tree = with_interfaces(interfaces);
    Box::new(move || drop(models().models.get(&tree, &at, Form::Ietf).unwrap()))
}
