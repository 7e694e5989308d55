//! The world the decisions are tested in, and builders for what goes in and what is expected.

mod build;
mod expect;
mod requests;
mod rules;
mod world;

pub(crate) use build::{
    absent, connection, delta, failure, id, index, mark, patch, path, present, session, target,
    term, time, tree, undo, unit, violation,
};
pub(crate) use expect::{
    answer, claim, close, entry, parts, read, refused_answer, send, set_on, sets, waited, write,
};
pub(crate) use requests::{
    answered_by, asynchronous, change, clear, confirmed_within, due, queued, restore, rollback,
    rollback_by_path, rollback_on, set,
};
pub(crate) use world::{World, bound};

/// The nodes of a world, by place.
pub(crate) const N1: usize = 0;
/// The second node.
pub(crate) const N2: usize = 1;
pub(crate) const N3: usize = 2;

/// What every node's clock says to begin with.
pub(crate) const NOW: u64 = 1_000;
/// When a request is to be given up unless it says otherwise.
pub(crate) const DEADLINE: u64 = 2_000;
/// The first moment past it.
pub(crate) const LATE: u64 = DEADLINE + 1;
/// The end of every lease.
pub(crate) const LEASE: u64 = 1_000_000_000_000;
