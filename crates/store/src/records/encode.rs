//! A write of `protocol` as a write of the store.

use lockstep_protocol as protocol;
use lockstep_protocol::record::{Header, Key};
use lockstep_types::{Revision, Target};
use serde::Serialize;

use super::key::Name;
use super::value::{self, Changed};
use crate::Error;
use crate::kv::{Compare, Op, Txn};

/// A write of the store, and what it adds to the deltas of each configuration.
#[derive(Debug)]
pub(super) struct Encoded {
    pub(super) txn: Txn,
    pub(super) deltas: Vec<Added>,
}

/// A delta of a configuration.
#[derive(Debug)]
pub(super) struct Added {
    pub(super) target: Target,
    pub(super) bytes: usize,
    /// Whatever stood is gone with it.
    pub(super) clears: bool,
}

pub(super) fn txn(txn: &protocol::Txn) -> Result<Encoded, Error> {
    let compares = txn.compares.iter().map(compare).collect();
    let mut encoded = Encoded { txn: Txn { compares, ops: Vec::new() }, deltas: Vec::new() };
    for op in &txn.ops {
        encoded.op(op, txn)?;
    }
    Ok(encoded)
}

fn compare(compare: &protocol::Compare) -> Compare {
    let bytes = |key: &Key| Name::Record(key.clone()).bytes();
    match compare {
        protocol::Compare::Unchanged(key, revision) => Compare::Unchanged(bytes(key), *revision),
        protocol::Compare::Exists(key) => Compare::Exists(bytes(key)),
        protocol::Compare::Absent(key) => Compare::Absent(bytes(key)),
    }
}

impl Encoded {
    fn op(&mut self, op: &protocol::Op, txn: &protocol::Txn) -> Result<(), Error> {
        use protocol::Op as Record;
        let name = Name::Record(op.key());
        match op {
            Record::Head(head) => self.put(&name, head),
            Record::Horizon(index) => self.put(&name, index),
            Record::Id { index, .. } => self.put(&name, index),
            Record::Transaction(transaction) => self.put(&name, transaction),
            Record::Proposal { proposal, .. } => self.put(&name, proposal),
            Record::Part { part, .. } => self.put(&name, part),
            Record::Configuration { target, header, committed, applied, cleared } => {
                let delta = Changed { committed, applied, cleared: *cleared };
                self.configuration(target, base(txn, target)?, header, delta)
            }
            Record::Marks { marks, .. } => self.put(&name, marks),
            Record::Drifted { drifted, .. } => self.put(&name, drifted),
            Record::Mastership { mastership, .. } => self.put(&name, mastership),
            Record::Binding { binding, .. } => self.put(&name, binding),
            Record::Session { .. } => Err(Error::UnleasedSession),
            Record::EndSession(_) | Record::Forget(_) => {
                self.txn.ops.push(Op::Delete(name.bytes()));
                Ok(())
            }
        }
    }

    fn configuration(
        &mut self,
        target: &Target,
        base: Revision,
        header: &Header,
        delta: Changed<'_>,
    ) -> Result<(), Error> {
        self.put(&Name::Record(Key::Configuration(target.clone())), header)?;
        if !delta.is_empty() {
            self.put(&Name::Delta(target.clone(), base), &delta)?;
            let bytes = self.txn.ops.last().map_or(0, Op::bytes);
            self.deltas.push(Added { target: target.clone(), bytes, clears: delta.cleared });
        }
        Ok(())
    }

    fn put<T: Serialize>(&mut self, name: &Name, record: &T) -> Result<(), Error> {
        self.txn.ops.push(Op::put(name.bytes(), value::write(name, record)?));
        Ok(())
    }
}

/// The revision of the header that a change of a configuration was decided on. Since it is compared,
/// no two writes that happen share it, and their deltas are in order.
fn base(txn: &protocol::Txn, target: &Target) -> Result<Revision, Error> {
    let base = txn.compares.iter().find_map(|compare| match compare {
        protocol::Compare::Unchanged(Key::Configuration(on), base) if on == target => Some(*base),
        protocol::Compare::Absent(Key::Configuration(on)) if on == target => Some(Revision::ZERO),
        _ => None,
    });
    base.ok_or_else(|| Error::Uncompared(target.clone()))
}
