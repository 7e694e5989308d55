//! The core's own cost of a one-leaf change, from Submit to the write, as the configuration and the
//! log grow.
use lockstep_protocol::record::{Binding, Kind, Mastership, Mode};
use lockstep_protocol::{
    Body, Changes, Client, Command, Event, Node, Op, Request, Settings, Until, Verdict, View,
};
use lockstep_types::{
    Connection, Content, Edit, Index, ModelDigest, NodeName, Patch, Revision, SessionId, Target,
    Term, Timestamp, TransactionId, Unit,
};

use crate::measure::{Row, sizes};
use crate::trees;

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
                header: lockstep_protocol::record::Header::NEW,
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
    let ops = (0..targets).flat_map(beside).collect();
    view.absorb(&Changes { revision: view.revision().next(), ops });
    Node::new(session, Settings::default(), view)
}

/// The same with so many transactions in its log, all of them applied.
#[cfg(test)]
pub(crate) fn node_with_past(entries: u64) -> Result<Node, crate::Failed> {
    use crate::store::workload::{Change, head};
    use lockstep_protocol::record::{Header, Mark, PartStatus, Status};

    let (target, session, ..) = names();
    let mut ops = vec![head(entries)];
    for index in 1..=entries {
        let change = Change { index: Index::new(index), target: target.clone(), leaf: 5 };
        ops.push(Op::Id { id: change.id()?, index: Index::new(index) });
        ops.push(change.transaction(Status::Applied, PartStatus::Applied)?);
        ops.push(change.proposal());
    }
    let mark = Mark { index: Index::new(entries), revision: Index::new(entries) };
    let header = Header { committed: mark, applied: mark, ..Header::NEW };
    let (committed, applied) = (Patch::new(), Patch::new());
    ops.push(Op::Configuration { target, header, committed, applied, cleared: false });
    let mut view = node(10).view().clone();
    view.absorb(&Changes { revision: view.revision().next(), ops });
    Ok(Node::new(session, Settings::default(), view))
}

#[cfg(test)]
fn beside(number: usize) -> [Op; 3] {
    let (_, session, _, models) = names();
    let target = Target::new(format!("beside{number}")).expect("a name");
    let connection = Connection::new(2 + number as u64);
    let mastership =
        Mastership { session: Some(session), term: Term::new(1), connection, next: None };
    let unit = |content: &Content| Unit::present(content.clone(), Index::new(1));
    let committed: Patch =
        trees::tree(10).iter().map(|(path, content)| (path.clone(), unit(content))).collect();
    let header = lockstep_protocol::record::Header::NEW;
    [
        Op::Binding { target: target.clone(), binding: Binding::of(models) },
        Op::Mastership { target: target.clone(), mastership },
        Op::Configuration { target, header, applied: committed.clone(), committed, cleared: false },
    ]
}

/// A node whose log has so many entries, all of them decided.
pub(crate) fn node_with_log(entries: usize) -> Node {
    let mut node = node(10);
    for entry in 0..entries {
        if let Some(changes) = submit(&mut node, entry) {
            node.handle(Event::Watch(changes));
        }
    }
    node
}

#[expect(clippy::expect_used, reason = "an id made here")]
fn request(number: usize) -> Request {
    let set = trees::one_leaf()
        .iter()
        .filter_map(|(path, content)| Some((path.clone(), content.clone()?)))
        .collect();
    let (target, ..) = names();
    Request {
        id: TransactionId::new(format!("tx{number}")).expect("an id"),
        body: Body {
            kind: Kind::Change,
            mode: Mode::Queued,
            edits: [(target, Edit { set, ..Edit::default() })].into(),
            only: [].into(),
            window: None,
            binding: None,
        },
        until: Until::Decision,
        deadline: Timestamp::new(u64::MAX),
        answer_by: None,
        author: String::new(),
        comment: String::new(),
    }
}

/// One change through the core: submitted, found valid, and written.
pub(crate) fn submit(node: &mut Node, number: usize) -> Option<Changes> {
    let client = Client(number as u64);
    let commands = node.handle(Event::Submit { client, request: request(number) });
    let Some(Command::Validate { subject, checks }) = commands.into_iter().next() else {
        return None;
    };
    let bases = checks.into_iter().map(|(target, check)| (target, check.base)).collect();
    let verdict = Verdict { bases, violations: Vec::new() };
    let commands = node.handle(Event::Verdict { subject, verdict });
    let Some(Command::Write { wake, txn }) = commands.into_iter().next() else { return None };
    let revision = node.view().revision().next();
    node.handle(Event::Written { wake, result: lockstep_protocol::Written::Done(revision) });
    Some(Changes { revision, ops: txn.ops })
}

pub(crate) fn rows() -> Vec<Row> {
    let change =
        |node: &Node| submit(&mut node.clone(), usize::MAX).map(|changes| changes.ops.len());
    let mut rows =
        sizes("one-leaf change, by leaves of the target", &[10, 1_000, 100_000], node, change);
    rows.extend(sizes(
        "one-leaf change, by entries of the log",
        &[10, 1_000, 20_000],
        node_with_log,
        change,
    ));
    rows
}
