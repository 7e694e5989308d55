//! The core's own cost of a one-leaf change, from Submit to the write, as the configuration and the
//! log grow.
use std::collections::BTreeMap;

use lockstep_protocol::record::{
    Binding, Header, Kind, Mark, Mastership, Mode, PartStatus, Status,
};
use lockstep_protocol::{
    Body, Changes, Check, Client, Command, Event, Node, Op, Request, Settings, Until, Verdict,
    View, Written,
};
use lockstep_types::{
    Connection, Content, Edit, Index, Map, ModelDigest, NodeName, Patch, Revision, SessionId,
    Target, Term, Timestamp, TransactionId, Unit,
};

use crate::Failed;
use crate::measure::{Row, sizes};
use crate::store::workload::{Change, head};
use crate::trees;

/// Of a target whose device was looked at when it came.
fn met() -> Header {
    Header { met: true, ..Header::NEW }
}

#[expect(clippy::expect_used, reason = "names made here")]
fn names() -> (Target, SessionId, NodeName, ModelDigest) {
    (
        Target::new("leaf1").expect("a name"),
        SessionId::new("n1.1").expect("a name"),
        NodeName::new("n1").expect("a name"),
        ModelDigest::new("models").expect("a name"),
    )
}

/// A node that is the master of one target with so many leaves.
pub(crate) fn node(leaves: usize) -> Node {
    let (target, session, name, models) = names();
    let unit = |content: &Content| Unit::present(content.clone(), Index::new(1));
    let patch: Patch =
        trees::tree(leaves).iter().map(|(path, content)| (path.clone(), unit(content))).collect();
    let mut view = View::new();
    view.absorb(&Changes {
        revision: Revision::new(1),
        ops: vec![
            Op::Session { session: session.clone(), node: name },
            Op::Binding { target: target.clone(), binding: Binding::of(models) },
            Op::Mastership {
                target: target.clone(),
                mastership: Mastership {
                    session: Some(session.clone()),
                    term: Term::new(1),
                    connection: Connection::new(1),
                    next: None,
                },
            },
            Op::Configuration {
                target,
                header: met(),
                committed: patch.clone(),
                applied: patch,
                cleared: false,
            },
        ],
    });
    Node::new(session, Settings::default(), view)
}

/// The same with so many targets beside it, each with ten leaves.
#[cfg(test)]
pub(crate) fn node_among(targets: usize) -> Node {
    let (_, session, ..) = names();
    let mut view = node(10).view().clone();
    let unit = |content: &Content| Unit::present(content.clone(), Index::new(1));
    let values: Patch =
        trees::tree(10).iter().map(|(path, content)| (path.clone(), unit(content))).collect();
    let ops = (0..targets).flat_map(|number| beside(number, &values)).collect();
    view.absorb(&Changes { revision: view.revision().next(), ops });
    Node::new(session, Settings::default(), view)
}

/// The same with so many transactions in its log, all of them applied.
pub(crate) fn node_with_past(entries: u64) -> Result<Node, Failed> {
    let (target, session, ..) = names();
    let mut ops = vec![head(entries)];
    for index in 1..=entries {
        let change = Change { index: Index::new(index), target: target.clone(), leaf: 5 };
        ops.push(Op::Id { id: change.id()?, index: Index::new(index) });
        ops.push(change.transaction(Status::Applied, PartStatus::Applied)?);
        ops.push(change.proposal());
    }
    let mark = Mark { index: Index::new(entries), revision: Index::new(entries) };
    let header = Header { committed: mark, applied: mark, ..met() };
    let (committed, applied) = (Patch::new(), Patch::new());
    ops.push(Op::Configuration { target, header, committed, applied, cleared: false });
    let mut view = node(10).view().clone();
    view.absorb(&Changes { revision: view.revision().next(), ops });
    Ok(Node::new(session, Settings::default(), view))
}

#[cfg(test)]
pub(crate) fn named_beside(number: usize) -> Target {
    Target::new(format!("beside{number}")).expect("a name")
}

#[cfg(test)]
fn beside(number: usize, values: &Patch) -> [Op; 3] {
    let (_, session, _, models) = names();
    let target = named_beside(number);
    let connection = Connection::new(2 + number as u64);
    let mastership =
        Mastership { session: Some(session), term: Term::new(1), connection, next: None };
    let (committed, applied) = (values.clone(), values.clone());
    [
        Op::Binding { target: target.clone(), binding: Binding::of(models) },
        Op::Mastership { target: target.clone(), mastership },
        Op::Configuration { target, header: met(), committed, applied, cleared: false },
    ]
}

/// One leaf of one target, queued and async.
fn request(number: usize) -> Request {
    let (target, ..) = names();
    let mut request = atomic(number, [target]);
    (request.body.mode, request.until) = (Mode::Queued, Until::Decision);
    request
}

/// One leaf of each target, on all of them or none, answered with the outcome.
#[expect(clippy::expect_used, reason = "an id made here")]
pub(crate) fn atomic(number: usize, targets: impl IntoIterator<Item = Target>) -> Request {
    let set: Map<_, _> = trees::one_leaf()
        .iter()
        .filter_map(|(path, content)| Some((path.clone(), content.clone()?)))
        .collect();
    let edit = |target| (target, Edit { set: set.clone(), ..Edit::default() });
    Request {
        id: TransactionId::new(format!("tx{number}")).expect("an id"),
        body: Body {
            kind: Kind::Change,
            mode: Mode::Atomic,
            edits: targets.into_iter().map(edit).collect(),
            only: [].into(),
            window: None,
            binding: None,
        },
        until: Until::Outcome,
        deadline: Timestamp::new(u64::MAX),
        answer_by: None,
        author: String::new(),
        comment: String::new(),
    }
}

/// One change through the core, as a node gets it: with yang's verdict, which whoever brings it has reached on what
/// stands. None: it is not written at once, as valid.
pub(crate) fn submit(node: &mut Node, number: usize) -> Option<Changes> {
    let (client, request) = (Client(number as u64), request(number));
    let verdict = Some(valid(node.view().checks(&request.body)?));
    let commands = node.handle(Event::Submit { client, request, verdict });
    written(node, commands)
}

/// The same without a verdict, as with a large one: it is asked for.
#[cfg(test)]
pub(crate) fn submit_to_be_judged(node: &mut Node, number: usize) -> Option<Changes> {
    let (client, request) = (Client(number as u64), request(number));
    let commands = node.handle(Event::Submit { client, request, verdict: None });
    let Some(Command::Validate { subject, checks }) = commands.into_iter().next() else {
        return None;
    };
    let commands = node.handle(Event::Verdict { subject, verdict: valid(checks) });
    written(node, commands)
}

pub(crate) fn valid(checks: BTreeMap<Target, Check>) -> Verdict {
    let bases = checks.into_iter().map(|(target, check)| (target, check.base)).collect();
    Verdict { bases, violations: Vec::new() }
}

/// What is written of it. What is refused, or only taken in, costs less and would look like a gain.
fn written(node: &mut Node, commands: Vec<Command>) -> Option<Changes> {
    let Some(Command::Write { wake, txn }) = commands.into_iter().next() else { return None };
    let decided = |op: &Op| matches!(op, Op::Transaction(one) if one.status == Status::Committed);
    if !txn.ops.iter().any(decided) {
        return None;
    }
    let revision = node.view().revision().next();
    node.handle(Event::Written { wake, result: Written::Done(revision) });
    Some(Changes { revision, ops: txn.ops })
}

#[expect(
    clippy::expect_used,
    reason = "entries made here; and what is refused is not to be measured"
)]
pub(crate) fn rows() -> Vec<Row> {
    let past = |entries| node_with_past(entries as u64).expect("a log");
    let change = |node: &Node| {
        let changes = submit(&mut node.clone(), usize::MAX).expect("it is committed");
        changes.ops.len()
    };
    let mut rows =
        sizes("one-leaf change, by leaves of the target", &[10, 1_000, 100_000], node, change);
    let entries = [10, 1_000, 20_000];
    rows.extend(sizes("one-leaf change, by entries of the log", &entries, past, change));
    rows
}
