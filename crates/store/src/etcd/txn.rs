//! A transaction in etcd's words.

use std::sync::Arc;

use etcd_client::{
    Compare as Theirs, CompareOp, PutOptions, Txn as Request, TxnOp, TxnOpResponse, TxnResponse,
};
use lockstep_protocol::Written;

use super::fault::Fault;
use super::keys::Keys;
use super::members::Member;
use super::{Inner, number, revision};
use crate::Error;
use crate::kv::{Compare, Lease, Limits, Op, Txn};

/// How many operations, and how many compares, etcd takes unless it is told otherwise.
const OPERATIONS: usize = 128;
/// How large a request it takes.
const REQUEST: usize = 1536 << 10;
/// What a request, and each operation and compare in it, are larger than their keys and values.
const OVERHEAD: (usize, usize) = (1 << 10, 48);

/// What one transaction may hold, so that etcd takes it with everything around it.
pub(super) fn limits(keys: &Keys) -> Limits {
    let each = keys.extra() + OVERHEAD.1;
    Limits { operations: OPERATIONS, bytes: REQUEST - OVERHEAD.0 - 2 * OPERATIONS * each }
}

pub(super) async fn write(inner: &Inner, txn: Txn) -> Result<Written, Error> {
    txn.check(inner.limits)?;
    let request = request(&inner.keys, &txn);
    let send = |member: Arc<Member>| {
        let request = request.clone();
        async move { member.kv().txn(request).await }
    };
    let answer = match inner.members.write(send).await {
        Ok(answer) => answer,
        Err(fault) => {
            return Err(match (fault, lease(&txn)) {
                (Fault::LeaseGone, Some(lease)) => Error::LeaseGone(lease),
                (fault, _) => fault.write(),
            });
        }
    };
    let at = revision(answer.header()).map_err(Fault::write)?;
    if !answer.succeeded() {
        inner.tide.told(at);
        return Ok(Written::Stale(at));
    }
    if changed(&answer) {
        inner.tide.ours(at);
    } else {
        inner.tide.told(at);
    }
    Ok(Written::Done(at))
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
