//! Short names for ids, values and trees.

use lockstep_protocol::record::{Failure, Mark, Violation};
use lockstep_types::{
    Configuration as Tree, Connection, Content, Delta, Index, Patch, Path, SessionId, Target, Term,
    Timestamp, TransactionId, Undo, Unit,
};

pub(crate) fn target(name: &str) -> Target {
    Target::new(name).expect("a target name")
}

pub(crate) fn session(name: &str) -> SessionId {
    SessionId::new(name).expect("a session id")
}

pub(crate) fn id(name: &str) -> TransactionId {
    TransactionId::new(name).expect("a transaction id")
}

pub(crate) fn path(text: &str) -> Path {
    text.parse().expect("a path")
}

pub(crate) const fn index(number: u64) -> Index {
    Index::new(number)
}

pub(crate) const fn term(number: u64) -> Term {
    Term::new(number)
}

pub(crate) const fn connection(number: u64) -> Connection {
    Connection::new(number)
}

pub(crate) const fn time(number: u64) -> Timestamp {
    Timestamp::new(number)
}

pub(crate) const fn mark(at: u64, revision: u64) -> Mark {
    Mark { index: index(at), revision: index(revision) }
}

pub(crate) fn present(value: &str, writer: u64) -> Unit {
    Unit::present(Content::leaf(value), index(writer))
}

pub(crate) const fn absent(writer: u64) -> Unit {
    Unit::absent(index(writer))
}

pub(crate) fn unit(tree: &Tree, at: &str) -> Unit {
    tree.unit(&path(at))
}

pub(crate) fn patch<const N: usize>(units: [(&str, Unit); N]) -> Patch {
    units.into_iter().map(|(at, unit)| (path(at), unit)).collect()
}

pub(crate) fn undo<const N: usize>(units: [(&str, Unit); N]) -> Undo {
    Undo { units: units.into_iter().map(|(at, unit)| (path(at), unit)).collect() }
}

/// Units to set; none: absent.
pub(crate) fn delta<const N: usize>(units: [(&str, Option<&str>); N]) -> Delta {
    units.into_iter().map(|(at, value)| (path(at), value.map(Content::leaf))).collect()
}

/// What a device shows.
pub(crate) fn tree<const N: usize>(units: [(&str, &str); N]) -> Tree {
    units.into_iter().map(|(at, value)| (path(at), Content::leaf(value))).collect()
}

pub(crate) fn failure() -> Failure {
    Failure { code: "InvalidArgument".into(), message: "out of range".into() }
}

pub(crate) fn violation(on: &str) -> Violation {
    Violation { target: target(on), path: path("/a"), message: "must be even".into() }
}
