//! Builders for the commands and records that are expected.

use lockstep_protocol::record::{Kind, Mode, Part, PartStatus, Parts, Reason, Status, Transaction};
use lockstep_protocol::view::Wait;
use lockstep_protocol::{Ask, Client, Command, Refusal, Reply, Txn, Wake};
use lockstep_types::{Delta, Sequence};

use super::build::{connection, id, index, session, target, term, time};
use super::{DEADLINE, NOW};

pub(crate) fn write(wake: Wake, txn: Txn) -> Command {
    Command::Write { wake, txn }
}

/// A request on connection 1 in term 1, where every test begins.
pub(crate) fn send(on: &str, sequence: u64, ask: Ask) -> Command {
    set_on(on, (1, sequence, 1), ask)
}

/// A request on a connection, with its number, in a term.
pub(crate) fn set_on(on: &str, (link, sequence, in_term): (u64, u64, u64), ask: Ask) -> Command {
    Command::Send {
        target: target(on),
        connection: connection(link),
        sequence: Sequence::new(sequence),
        term: term(in_term),
        ask,
    }
}

pub(crate) fn claim(on: &str, at: (u64, u64, u64)) -> Command {
    set_on(on, at, Ask::Claim)
}

pub(crate) fn read(on: &str, at: (u64, u64, u64)) -> Command {
    set_on(on, at, Ask::Read)
}

pub(crate) fn close(on: &str, link: u64) -> Command {
    Command::Close { target: target(on), connection: connection(link) }
}

pub(crate) fn answer(client: u64, at: u64, status: Status) -> Command {
    let reply = Reply::Transaction { index: index(at), status };
    Command::Answer { client: Client(client), reply }
}

pub(crate) fn refused_answer(client: u64, refusal: Refusal) -> Command {
    Command::Answer { client: Client(client), reply: Reply::Refused(refusal) }
}

/// The deltas sent, in order.
pub(crate) fn sets(commands: &[Command]) -> Vec<&Delta> {
    let sets = commands.iter().filter_map(|command| match command {
        Command::Send { ask: Ask::Set(delta), .. } => Some(delta),
        _ => None,
    });
    sets.collect()
}

/// The entry of an atomic change that node 1 took in and that waits to be decided.
pub(crate) fn entry<const N: usize>(at: u64, name: &str, targets: [&str; N]) -> Transaction {
    Transaction {
        index: index(at),
        id: id(name),
        kind: Kind::Change,
        mode: Mode::Atomic,
        origin: session("s1"),
        author: String::new(),
        comment: String::new(),
        only: [].into(),
        window: None,
        binding: None,
        submitted: time(NOW + at - 1),
        deadline: time(DEADLINE),
        decided: None,
        finished: None,
        status: Status::Pending,
        reason: None,
        wide: false,
        called_off: false,
        trial: false,
        disturbed: 0,
        targets: parts(targets.map(|on| (on, PartStatus::Pending))),
    }
}

pub(crate) fn parts<const N: usize>(parts: [(&str, PartStatus); N]) -> Parts {
    let part = |status| Part { status, ..Part::default() };
    parts.into_iter().map(|(on, status)| (target(on), part(status))).collect()
}

/// The part of a transaction whose deadline passed while this was waited for.
pub(crate) fn waited(status: PartStatus, wait: Wait) -> Part {
    Part { status, reason: Some(Reason::Waited(wait)), ..Part::default() }
}
