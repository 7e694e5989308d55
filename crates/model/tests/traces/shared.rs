//! Several writes that a store took in as one, a store as it was found, and lines that were cut off.

use lockstep_model::trace::line::{Header, Journal, Line, Nodes, Saw, begin};
use lockstep_model::trace::{Reason, Report, check};
use lockstep_protocol::record::{Binding, Drifted, Horizon};
use lockstep_protocol::{Changes, Command, Event, Node, Op, Settings, View, Wake, Written};
use lockstep_types::{
    Connection, Index, ModelDigest, NodeName, Revision, SessionId, Target, Timestamp,
};

use crate::support::{found, run, text};

fn target(name: &str) -> Target {
    Target::new(name).expect("a name")
}

/// The trace of a node that loaded a store with two targets and its own session, at revision 7.
struct Recorded {
    node: Node,
    journal: Journal,
    lines: Vec<Line>,
}

fn recorded() -> Recorded {
    recorded_on(Vec::new())
}

/// The same, where the store holds something more.
fn recorded_on(more: Vec<Op>) -> Recorded {
    let session = SessionId::new("s").expect("a name");
    let name = NodeName::new("n").expect("a name");
    let models = ModelDigest::new("m").expect("a name");
    let bound = |name| Op::Binding { target: target(name), binding: Binding::of(models.clone()) };
    let began = Op::Session { session: session.clone(), node: name.clone() };
    let ops = [more, vec![bound("t1"), bound("t2"), began]].concat();
    let content = vec![Changes { revision: Revision::new(7), ops }];
    let mut view = View::new();
    content.iter().for_each(|changes| view.absorb(changes));
    let settings = Settings::default();
    let lines = vec![
        Line::Header(Header::new(Nodes::All, content)),
        begin(name, session.clone(), &settings, &view),
    ];
    let node = Node::new(session, settings, view);
    let mut recorded = Recorded { node, journal: Journal::default(), lines };
    recorded.step(Saw::Start);
    recorded.step(Saw::Event(Event::Lease(Timestamp::new(u64::MAX))));
    recorded
}

impl Recorded {
    fn step(&mut self, saw: Saw) -> Vec<Command> {
        let (did, line) = self.journal.step(&mut self.node, saw);
        self.lines.push(line);
        did
    }

    /// It connects, and writes that it takes the target.
    fn takes(&mut self, name: &str) -> Vec<Op> {
        let connected = Event::Connected { target: target(name), connection: Connection::new(1) };
        match &self.step(Saw::Event(connected))[..] {
            [Command::Write { txn, .. }] => txn.ops.clone(),
            other => panic!("{other:?}"),
        }
    }

    fn watches(&mut self, revision: u64, ops: Vec<Op>) {
        let revision = Revision::new(revision);
        self.step(Saw::Event(Event::Watch(Changes { revision, ops })));
    }

    fn is_told(&mut self, name: &str, revision: u64) {
        let result = Written::Done(Revision::new(revision));
        self.step(Saw::Event(Event::Written { wake: Wake::Target(target(name)), result }));
    }

    fn good(&self) -> usize {
        self.report().revisions
    }

    fn report(&self) -> Report {
        check(text(&self.lines).as_bytes()).unwrap_or_else(|error| panic!("{error}"))
    }

    fn reason(&self) -> Reason {
        found(&text(&self.lines)).reason
    }
}

fn drifted() -> Op {
    Op::Drifted { target: target("t1"), drifted: Drifted::default() }
}

#[test]
fn two_writes_of_a_node_are_one_revision() {
    let mut node = recorded();
    let (first, second) = (node.takes("t1"), node.takes("t2"));
    node.is_told("t2", 8);
    node.watches(8, [second, vec![drifted()], first].concat());
    node.is_told("t1", 8);
    assert_eq!(node.good(), 1);
}

#[test]
fn where_the_log_does_not_go_back_to_its_beginning_nothing_is_held_against_the_guarantees() {
    let forgotten = Op::Horizon(Horizon { index: Index::new(3), ..Horizon::default() });
    for (store, held) in [(vec![], 1), (vec![forgotten], 0)] {
        let mut node = recorded_on(store);
        let taken = node.takes("t1");
        node.watches(8, taken);
        let report = node.report();
        assert_eq!((report.revisions, report.held), (1, held));
    }
}

#[test]
fn a_write_is_in_one_revision_only() {
    let mut node = recorded();
    let (first, second) = (node.takes("t1"), node.takes("t2"));
    node.watches(8, [first.clone(), second].concat());
    node.watches(9, first);
    assert_eq!(node.reason(), Reason::Nobody { revision: Revision::new(9) });
}

#[test]
fn a_write_that_is_said_to_be_in_a_revision_is_in_it() {
    let mut node = recorded();
    let (first, _) = (node.takes("t1"), node.takes("t2"));
    node.is_told("t2", 8);
    node.watches(8, first);
    assert!(matches!(node.reason(), Reason::OtherContent { .. }));
}

#[test]
fn what_nobody_wrote_does_not_hide_among_what_somebody_did() {
    let mut node = recorded();
    let (first, second) = (node.takes("t1"), recorded().takes("t2"));
    node.watches(8, [first, second].concat());
    assert_eq!(node.reason(), Reason::Nobody { revision: Revision::new(8) });
}

#[test]
fn a_store_goes_on_from_how_it_was_found() {
    let mut node = recorded();
    let taken = node.takes("t1");
    node.watches(8, taken.clone());
    // Killed; another start of it finds what it had written, and that its own session is over.
    let mut view = node.node.view().clone();
    let (session, name) =
        (SessionId::new("s2").expect("a name"), NodeName::new("n").expect("a name"));
    let over = Op::EndSession(SessionId::new("s").expect("a name"));
    let ops = vec![over, Op::Session { session: session.clone(), node: name.clone() }];
    view.absorb(&Changes { revision: Revision::new(11), ops: ops.clone() });
    let Line::Header(header) = &node.lines[0] else { panic!("a header") };
    let mut content = header.store.clone();
    content[0].ops.pop();
    content.push(Changes { revision: Revision::new(8), ops: taken });
    content.push(Changes { revision: Revision::new(11), ops: vec![ops[1].clone()] });
    node.lines.push(Line::Store(content));
    node.lines.push(begin(name, session.clone(), &Settings::default(), &view));
    let again = Node::new(session, Settings::default(), view.as_read());
    let mut node = Recorded { node: again, journal: Journal::default(), lines: node.lines };
    node.step(Saw::Start);
    node.step(Saw::Event(Event::Lease(Timestamp::new(u64::MAX))));
    let ops = node.takes("t1");
    node.watches(12, ops);
    assert_eq!(node.good(), 2);

    let Some(Line::Store(content)) =
        node.lines.iter_mut().find(|line| matches!(line, Line::Store(_)))
    else {
        panic!("it is there")
    };
    content.retain(|changes| changes.revision < Revision::new(8));
    assert!(matches!(node.reason(), Reason::Content(_)));
}

/// Another node begins while this one is about to write, and finds no more than this one has told.
#[test]
fn what_is_on_its_way_may_happen_after_somebody_found_the_store() {
    let mut node = recorded();
    let taken = node.takes("t1");
    let Line::Header(header) = &node.lines[0] else { panic!("a header") };
    let content = header.store.clone();
    node.lines.push(Line::Store(content));
    node.watches(8, taken);
    assert_eq!(node.good(), 1);
}

#[test]
fn a_line_that_was_cut_off_does_not_take_the_next_with_it() {
    let lines = run("crash", 3);
    let whole = text(&lines);
    let ends = whole.rfind("\n{").expect("two lines");
    // The next node begins its line with the end of this one.
    let cut = format!(
        "{}\n{}\n\n{}",
        &whole[..ends],
        r#"{"step":{"session":"n0.1","num"#,
        &whole[ends..]
    );
    let report = check(cut.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    assert!(report.notes.iter().any(|note| note.to_string().contains("cut off")));
}
