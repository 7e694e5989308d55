//! A node recorded as the product does it: into a writer, step by step.

use lockstep_model::trace::line::{Header, Journal, Line, Nodes, Saw, begin};
use lockstep_model::trace::writer::Writer;
use lockstep_model::trace::{Reason, check};
use lockstep_protocol::record::Binding;
use lockstep_protocol::{Changes, Command, Event, Node, Op, Settings, Txn, View, Wake, Written};
use lockstep_types::{Connection, ModelDigest, NodeName, Revision, SessionId, Target, Timestamp};

use crate::support::found;

struct Recorded {
    node: Node,
    journal: Journal,
    writer: Writer<Vec<u8>>,
}

fn target() -> Target {
    Target::new("t1").expect("a name")
}

/// A node that loaded a store with one target and its own session at revision 7.
fn recorded() -> Recorded {
    let session = SessionId::new("s").expect("a name");
    let name = NodeName::new("n").expect("a name");
    let models = ModelDigest::new("m").expect("a name");
    let content = vec![
        Changes {
            revision: Revision::new(4),
            ops: vec![Op::Binding { target: target(), binding: Binding::of(models) }],
        },
        Changes {
            revision: Revision::new(7),
            ops: vec![Op::Session { session: session.clone(), node: name.clone() }],
        },
    ];
    let mut view = View::new();
    content.iter().for_each(|changes| view.absorb(changes));
    let mut writer = Writer::new(Vec::new());
    writer.write(&Line::Header(Header::new(Nodes::Some, content))).expect("memory");
    let settings = Settings::default();
    writer.write(&begin(name, session.clone(), &settings, &view)).expect("memory");
    let node = Node::new(session, settings, view);
    let mut recorded = Recorded { node, journal: Journal::default(), writer };
    recorded.steps(Saw::Start);
    recorded.sees(Event::Lease(Timestamp::new(u64::MAX)));
    recorded
}

impl Recorded {
    fn sees(&mut self, event: Event) -> Vec<Command> {
        self.steps(Saw::Event(event))
    }

    fn steps(&mut self, saw: Saw) -> Vec<Command> {
        let (did, line) = self.journal.step(&mut self.node, saw);
        self.writer.write(&line).expect("memory");
        did
    }

    /// It connects, and writes that it takes the target.
    fn takes(&mut self) -> Txn {
        let connection = Connection::new(1);
        match &self.sees(Event::Connected { target: target(), connection })[..] {
            [Command::Write { txn, .. }] => txn.clone(),
            other => panic!("{other:?}"),
        }
    }

    fn written(&mut self, revision: u64) {
        let result = Written::Done(Revision::new(revision));
        self.sees(Event::Written { wake: Wake::Target(target()), result });
    }

    fn watches(&mut self, revision: u64, ops: &[Op]) {
        let revision = Revision::new(revision);
        self.sees(Event::Watch(Changes { revision, ops: ops.to_vec() }));
    }

    fn text(self) -> String {
        String::from_utf8(self.writer.finish().expect("memory")).expect("text")
    }
}

fn other_session() -> Op {
    let session = SessionId::new("other").expect("a name");
    Op::Session { session, node: NodeName::new("o").expect("a name") }
}

#[test]
fn the_answer_to_a_write_may_come_before_the_watch() {
    let mut node = recorded();
    let txn = node.takes();
    node.written(8);
    node.watches(8, &txn.ops);
    let report = check(node.text().as_bytes()).expect("good");
    assert_eq!((report.revisions, report.steps, report.requests), (1, 5, 1));
}

#[test]
fn the_answer_to_a_write_may_come_before_what_was_written_earlier() {
    let mut node = recorded();
    let txn = node.takes();
    node.written(9);
    node.watches(8, &[other_session()]);
    node.watches(9, &txn.ops);
    let report = check(node.text().as_bytes()).expect("good");
    assert_eq!(report.revisions, 2);
}

#[test]
fn what_the_watch_brings_must_be_what_was_written() {
    let mut node = recorded();
    node.takes();
    node.written(8);
    node.watches(8, &[other_session()]);
    let finding = found(&node.text());
    assert!(matches!(finding.reason, Reason::OtherContent { .. }), "{finding}");
    assert_eq!(finding.line, 7);
}

#[test]
fn a_node_on_an_older_store_than_it_says() {
    let mut node = recorded();
    let others = Changes { revision: Revision::new(8), ops: vec![other_session()] };
    node.writer.write(&Line::Outside(others)).expect("memory");
    node.watches(10, &[]);
    let finding = found(&node.text());
    let (expected, given) = (Revision::new(8), Revision::new(10));
    assert_eq!(finding.reason, Reason::Gap { expected, found: given });
    assert_eq!(finding.to_string().split(':').next(), Some("line 6, node n, session s, step 3"));
}

#[test]
fn a_store_may_pass_over_revisions_that_hold_nothing_of_ours() {
    let mut node = recorded();
    node.watches(10, &[other_session()]);
    let text = node.text();
    assert_eq!(check(text.as_bytes()).expect("good").revisions, 1);

    let over = Op::EndSession(SessionId::new("other").expect("a name"));
    let passed = Line::Outside(Changes { revision: Revision::new(9), ops: vec![over] });
    let passed = text + &serde_json::to_string(&passed).expect("a line") + "\n";
    assert!(matches!(found(&passed).reason, Reason::Gap { .. }));
}
