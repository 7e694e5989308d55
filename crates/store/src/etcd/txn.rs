//! A transaction in etcd's words.

use std::sync::Arc;

use etcd_client::{
    Compare as Theirs, CompareOp, PutOptions, Txn as Request, TxnOp, TxnOpResponse, TxnResponse,
};
use lockstep_protocol::Written;
use lockstep_types::Revision;

use super::fault::{Fault, Unexpected};
use super::keys::Keys;
use super::members::Member;
use super::{Inner, number, revision};
use crate::Error;
use crate::kv::{Compare, Lease, Limits, Op, Txn};

/// How many operations, and how many compares, etcd takes unless it is told otherwise.
pub(super) const OPERATIONS: usize = 128;
/// How large a request it takes.
const REQUEST: usize = 1536 << 10;
/// What a request, and each operation and compare in it, are larger than their keys and values.
const OVERHEAD: (usize, usize) = (1 << 10, 48);

/// What one transaction may hold, so that etcd takes it with everything around it.
pub(super) fn limits(keys: &Keys) -> Limits {
    Limits { operations: OPERATIONS, bytes: room() - 2 * OPERATIONS * each(keys) }
}

/// How many bytes a request may be, all told.
pub(super) const fn room() -> usize {
    REQUEST - OVERHEAD.0
}

/// What an operation or a compare is larger than its key and its value.
pub(super) fn each(keys: &Keys) -> usize {
    keys.extra() + OVERHEAD.1
}

/// Writes one transaction by itself.
pub(super) async fn write(inner: &Inner, txn: &Txn) -> Result<Written, Error> {
    let answer = match send(inner, request(&inner.keys, txn)).await {
        Ok(answer) => answer,
        Err(fault) => {
            return Err(match (fault, lease(txn)) {
                (Fault::LeaseGone, Some(lease)) => Error::LeaseGone(lease),
                (fault, _) => fault.write(),
            });
        }
    };
    let at = revision(answer.header()).map_err(Fault::write)?;
    inner.tide.made(at, changed(&answer));
    Ok(written(&answer, at))
}

/// Writes several in one request: what became of each, in order.
pub(super) async fn together<'a>(
    inner: &Inner,
    txns: impl Iterator<Item = &'a Txn>,
) -> Result<Vec<Written>, Fault> {
    let members: Vec<TxnOp> = txns.map(|txn| TxnOp::txn(request(&inner.keys, txn))).collect();
    let count = members.len();
    let answer = send(inner, Request::new().and_then(members)).await?;
    let at = revision(answer.header())?;
    let members = answer.op_responses().into_iter().filter_map(|member| match member {
        TxnOpResponse::Txn(answer) => Some(answer),
        TxnOpResponse::Put(_) | TxnOpResponse::Get(_) | TxnOpResponse::Delete(_) => None,
    });
    let members: Vec<TxnResponse> = members.collect();
    if members.len() != count {
        let answers = format!("{} answers to {count} transactions", members.len());
        return Err(Fault::Unknown(Arc::new(Unexpected(answers))));
    }
    inner.tide.made(at, members.iter().any(changed));
    Ok(members.iter().map(|answer| written(answer, at)).collect())
}

async fn send(inner: &Inner, request: Request) -> Result<TxnResponse, Fault> {
    let send = |member: Arc<Member>| {
        let request = request.clone();
        async move { member.kv().txn(request).await }
    };
    inner.members.write(send).await
}

fn written(answer: &TxnResponse, at: Revision) -> Written {
    if answer.succeeded() { Written::Done(at) } else { Written::Stale(at) }
}

/// Whether it made a revision: one that only removes may have found nothing to remove.
fn changed(answer: &TxnResponse) -> bool {
    answer.op_responses().iter().any(|answer| match answer {
        TxnOpResponse::Put(_) => true,
        TxnOpResponse::Delete(deleted) => deleted.deleted() > 0,
        TxnOpResponse::Get(_) | TxnOpResponse::Txn(_) => false,
    })
}

/// The lease that it puts keys under; nobody uses two at once.
fn lease(txn: &Txn) -> Option<Lease> {
    txn.ops.iter().find_map(|op| match op {
        Op::Put { lease, .. } => *lease,
        Op::Delete(_) => None,
    })
}

fn request(keys: &Keys, txn: &Txn) -> Request {
    let compares: Vec<Theirs> = txn.compares.iter().map(|one| compare(keys, one)).collect();
    let request = Request::new().when(compares);
    if txn.ops.is_empty() {
        // Without an operation etcd answers from what the member happens to know. A read makes it ask
        // the cluster first.
        let read = || vec![TxnOp::get(keys.mark(), None)];
        return request.and_then(read()).or_else(read());
    }
    request.and_then(txn.ops.iter().map(|one| op(keys, one)).collect::<Vec<_>>())
}

fn compare(keys: &Keys, compare: &Compare) -> Theirs {
    let key = keys.theirs(compare.key());
    match compare {
        Compare::Unchanged(_, at) => Theirs::mod_revision(key, CompareOp::Equal, number(*at)),
        Compare::Exists(_) => Theirs::mod_revision(key, CompareOp::Greater, 0),
        Compare::Absent(_) => Theirs::mod_revision(key, CompareOp::Equal, 0),
    }
}

fn op(keys: &Keys, op: &Op) -> TxnOp {
    match op {
        Op::Put { key, value, lease } => {
            let options = lease.map(|lease| PutOptions::new().with_lease(lease.0.cast_signed()));
            TxnOp::put(keys.theirs(key), &**value, options)
        }
        Op::Delete(key) => TxnOp::delete(keys.theirs(key), None),
    }
}
