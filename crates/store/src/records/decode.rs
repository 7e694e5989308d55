//! What stands under a key, read back.

use lockstep_protocol::Op;
use lockstep_protocol::record::{Header, Key};
use lockstep_types::{Revision, Target};

use super::key::Name;
use super::value::{self, Announced, Chunk, Delta, Snapshot};
use crate::Error;

/// What stands under a key.
#[derive(Debug)]
pub(super) enum Stored {
    /// A record.
    Record(Op),
    /// The header of a configuration, which is a record only with its trees.
    Header(Target, Header),
    /// A piece of a configuration.
    Delta(Target, Revision, Delta),
    /// A piece of a configuration.
    Snapshot(Target, Snapshot),
    /// A piece of a configuration.
    Chunk(Target, (Revision, u64), Chunk),
    /// No part of any record.
    Note,
}

pub(super) fn stored(key: &[u8], value: &[u8]) -> Result<Stored, Error> {
    named(Name::parse(key)?, key, value)
}

/// The target that a key holds a piece of the trees of, if that is what it holds.
pub(super) fn piece_of(key: &[u8]) -> Result<Option<Target>, Error> {
    Ok(match Name::parse(key)? {
        Name::Delta(target, _) | Name::Snapshot(target) | Name::Chunk(target, ..) => Some(target),
        _ => None,
    })
}

/// What was written under a key, for those who read records: of a snapshot, which changes nothing, not
/// even the value is read.
pub(super) fn written(key: &[u8], value: &[u8]) -> Result<Stored, Error> {
    match Name::parse(key)? {
        Name::Snapshot(_) | Name::Chunk(..) => Ok(Stored::Note),
        name => named(name, key, value),
    }
}

fn named(name: Name, key: &[u8], value: &[u8]) -> Result<Stored, Error> {
    Ok(match name {
        Name::Format | Name::Epoch | Name::Begun | Name::Import | Name::Body(..) => Stored::Note,
        Name::Record(Key::Configuration(target)) => {
            Stored::Header(target, value::read(key, value)?)
        }
        Name::Record(name) => Stored::Record(record(name, key, value)?),
        Name::Delta(target, base) => Stored::Delta(target, base, value::read(key, value)?),
        Name::Snapshot(target) => Stored::Snapshot(target, value::read(key, value)?),
        Name::Chunk(target, from, number) => {
            Stored::Chunk(target, (from, number), value::read(key, value)?)
        }
    })
}

fn record(name: Key, key: &[u8], value: &[u8]) -> Result<Op, Error> {
    Ok(match name {
        Key::Head => Op::Head(value::read(key, value)?),
        Key::Horizon => Op::Horizon(value::read(key, value)?),
        Key::Id(id) => Op::Id { id, index: value::read(key, value)? },
        Key::Transaction(_) => Op::Transaction(value::read(key, value)?),
        Key::Proposal(index, target) => {
            Op::Proposal { index, target, proposal: value::read(key, value)? }
        }
        Key::Part(index, target) => Op::Part { index, target, part: value::read(key, value)? },
        Key::Drifted(target) => Op::Drifted { target, drifted: value::read(key, value)? },
        Key::Marks(target) => Op::Marks { target, marks: value::read(key, value)? },
        Key::Mastership(target) => Op::Mastership { target, mastership: value::read(key, value)? },
        Key::Binding(target) => Op::Binding { target, binding: value::read(key, value)? },
        Key::Session(session) => {
            let Announced { node, .. } = value::read(key, value)?;
            Op::Session { session, node }
        }
        Key::Configuration(_) => return Err(Error::unreadable(key, "it is a header")),
    })
}

/// What the removal of a key means; none: nothing to those who read records.
pub(super) fn removed(key: &[u8]) -> Result<Option<Op>, Error> {
    match Name::parse(key)? {
        Name::Record(Key::Session(session)) => Ok(Some(Op::EndSession(session))),
        // What lies beyond the horizon is let go of, and a target that was removed.
        Name::Record(
            key @ (Key::Id(_)
            | Key::Transaction(_)
            | Key::Proposal(..)
            | Key::Part(..)
            | Key::Drifted(_)
            | Key::Binding(_)),
        ) => Ok(Some(Op::Forget(key))),
        Name::Delta(..) | Name::Chunk(..) | Name::Body(..) | Name::Import => Ok(None),
        Name::Format | Name::Epoch | Name::Begun | Name::Snapshot(_) | Name::Record(_) => {
            Err(Error::unreadable(key, "it was removed, which never happens to it"))
        }
    }
}
