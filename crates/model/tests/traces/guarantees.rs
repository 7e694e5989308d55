//! Somebody whose steps are not in the trace writes what breaks a guarantee, at the end of a run.

use lockstep_model::trace::Reason;
use lockstep_model::trace::line::{Line, Nodes};
use lockstep_protocol::record::Key;
use lockstep_protocol::{Changes, Event, Op, View};
use lockstep_types::{Content, Index, Path, SessionId, Target, Unit};

use crate::support::{event, found_at, good, run_with};

/// A run of which the end is known, in which a change stands.
struct Run {
    lines: Vec<Line>,
    store: View,
    target: Target,
    change: Index,
}

/// The store at the end.
fn store(lines: &[Line]) -> View {
    let mut store = View::new();
    for line in lines {
        match (line, event(line)) {
            (Line::Outside(changes), _) | (_, Some(Event::Watch(changes))) => store.absorb(changes),
            _ => {}
        }
    }
    store
}

/// A change with something in it that stands, and nothing is open.
fn standing(lines: &[Line]) -> Option<(View, Target, Index)> {
    let store = store(lines);
    let target = store.targets().next().filter(|_| store.open_count() == 0)?.clone();
    let change = store.live(&target).next()?;
    let told = store.proposal(change, &target).filter(|p| !p.delta.is_empty())?;
    told.delta.sets().next()?;
    Some((store.clone(), target, change))
}

fn run() -> Run {
    let (mut lines, (store, target, change)) = run_with("restore", standing);
    let Line::Header(header) = &mut lines[0] else { panic!("a header") };
    header.nodes = Nodes::Some;
    good(&lines);
    Run { lines, store, target, change }
}

impl Run {
    /// What is found when this is written next.
    fn found(mut self, op: Op) -> &'static str {
        let revision = self.store.revision().next();
        self.lines.push(Line::Outside(Changes { revision, ops: vec![op] }));
        match found_at(&self.lines, self.lines.len() - 1) {
            Reason::Broken { guarantee, .. } => guarantee,
            other => panic!("{other}"),
        }
    }

    fn path(&self) -> Path {
        let proposal = self.store.proposal(self.change, &self.target).expect("a proposal");
        proposal.delta.sets().next().expect("something set").0.clone()
    }

    fn other(&self) -> Unit {
        Unit { content: Some(Content::leaf("other")), writer: self.change }
    }

    fn configuration(&self, committed: &[(Path, Unit)], applied: &[(Path, Unit)]) -> Op {
        let header = self.store.header(&self.target).clone();
        let [committed, applied] =
            [committed, applied].map(|units| units.iter().cloned().collect());
        let target = self.target.clone();
        Op::Configuration { target, header, committed, applied, cleared: false }
    }
}

#[test]
fn a_committed_value_that_nobody_asked_for() {
    let run = run();
    let op = run.configuration(&[(run.path(), run.other())], &[]);
    assert_eq!(run.found(op), "Isolation");
}

#[test]
fn an_applied_value_that_nobody_asked_for() {
    let run = run();
    let op = run.configuration(&[], &[(run.path(), run.other())]);
    assert_eq!(run.found(op), "Fold");
}

#[test]
fn an_undo_that_gives_back_what_never_stood() {
    let run = run();
    let mut proposal = run.store.proposal(run.change, &run.target).expect("a proposal").clone();
    let other = Unit { content: Some(Content::leaf("never")), writer: Index::ZERO };
    proposal.undo.units.insert(run.path(), other);
    let (index, target) = (run.change, run.target.clone());
    assert_eq!(run.found(Op::Proposal { index, target, proposal }), "History");
}

#[test]
fn an_undo_of_what_was_not_changed() {
    let run = run();
    let mut proposal = run.store.proposal(run.change, &run.target).expect("a proposal").clone();
    proposal.undo.units.insert("/elsewhere".parse().expect("a path"), Unit::NEVER);
    let (index, target) = (run.change, run.target.clone());
    assert_eq!(run.found(Op::Proposal { index, target, proposal }), "Undo");
}

#[test]
fn another_master_in_the_same_term() {
    let run = run();
    let mut mastership = run.store.mastership(&run.target).expect("a master").clone();
    mastership.session = Some(SessionId::new("somebody").expect("a name"));
    let target = run.target.clone();
    assert_eq!(run.found(Op::Mastership { target, mastership }), "OneMaster");
}

#[test]
fn a_target_that_goes_while_something_stands() {
    let run = run();
    let op = Op::Forget(Key::Binding(run.target.clone()));
    assert_eq!(run.found(op), "Gone");
}
