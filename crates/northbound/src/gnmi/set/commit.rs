//! Commit-confirmed: a Set that is taken back unless its client confirms it in time.
//!
//! The commit of a client is a transaction of that id with a window. Unlike on a device several may be
//! active, on targets that have nothing to do with each other.

use std::collections::BTreeSet;

use lockstep_gnmi::proto::gnmi::SetRequest;
use lockstep_gnmi::proto::gnmi_ext::Commit;
use lockstep_gnmi::proto::gnmi_ext::commit::Action;
use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
use lockstep_gnmi::proto::lockstep::v1::SetOptions;
use lockstep_node::Handle;
use lockstep_protocol::Reply;
use lockstep_protocol::record::Transaction;
use lockstep_types::{Index, Target, TransactionId};
use prost_types::Duration;
use tonic::Status;

use crate::guard::Call;
use crate::{outcome, refusal};

/// How long there is to confirm where the client does not say: ten minutes.
const USUAL: Duration = Duration { seconds: 600, nanos: 0 };

/// The commit that a request is about, if it is.
pub(super) fn of(request: &SetRequest) -> Result<Option<Commit>, Status> {
    let mut commits = request.extension.iter().filter_map(|one| match &one.ext {
        Some(Ext::Commit(commit)) => Some(commit.clone()),
        _ => None,
    });
    let first = commits.next();
    if commits.next().is_some() {
        return Err(Status::invalid_argument("the extension commit is there more than once"));
    }
    match &first {
        Some(commit) if commit.id.is_empty() => {
            Err(Status::invalid_argument("the extension commit has no id"))
        }
        _ => Ok(first),
    }
}

/// The options of a Set that is a commit.
pub(super) fn begin(commit: &Commit, options: SetOptions) -> Result<SetOptions, Status> {
    let Some(Action::Commit(asked)) = &commit.action else { return Ok(options) };
    let confirm = Some(asked.rollback_duration.unwrap_or(USUAL));
    if !options.id.is_empty() && options.id != commit.id || options.confirm.is_some() {
        return Err(Status::invalid_argument(
            "the extension commit and lockstep.v1.SetOptions say the same in two ways; send one of them",
        ));
    }
    Ok(SetOptions { id: commit.id.clone(), confirm, ..options })
}

/// What a request asks to become of a commit that is active.
pub(super) struct End {
    transaction: Transaction,
    action: Ending,
}

enum Ending {
    Confirm,
    Cancel,
    Extend(u64),
}

/// How a request ends what is active, or gives it another time, if it is for this caller to do so. None: the
/// request begins a commit.
pub(super) fn end(
    node: &Handle,
    call: &Call,
    commit: &Commit,
    request: &SetRequest,
) -> Result<Option<End>, Status> {
    let is_empty =
        request.delete.is_empty() && request.replace.is_empty() && request.update.is_empty();
    let action = match &commit.action {
        Some(Action::Commit(_)) => return Ok(None),
        Some(_) if !is_empty => {
            return Err(Status::invalid_argument(
                "a Set about a commit that is active has no operations of its own",
            ));
        }
        Some(Action::Confirm(_)) => Ending::Confirm,
        Some(Action::Cancel(_)) => Ending::Cancel,
        Some(Action::SetRollbackDuration(asked)) => {
            let length = refusal::window(asked.rollback_duration.as_ref())?;
            Ending::Extend(length.ok_or_else(|| {
                Status::invalid_argument("set_rollback_duration has no rollback_duration")
            })?)
        }
        None => return Err(Status::invalid_argument("the extension commit has no action")),
    };
    Ok(Some(End { transaction: active(node, call, &commit.id)?, action }))
}

impl End {
    /// The targets of the commit.
    pub(super) fn targets(&self) -> BTreeSet<Target> {
        self.transaction.targets.keys().cloned().collect()
    }

    /// Does it; the transaction that the answer is about, if it is about one.
    pub(super) async fn carry_out(
        &self,
        node: &Handle,
        call: &Call,
    ) -> Result<Option<Index>, Status> {
        let index = self.transaction.index;
        let by = call.answer_by();
        let reply = match self.action {
            Ending::Confirm => node.confirm(index, by).await,
            Ending::Cancel => node.cancel(index, call.author(), by).await,
            Ending::Extend(length) => node.extend(index, length, by).await,
        };
        match reply.map_err(|busy| outcome::busy(node, call, busy))? {
            Reply::Done => Ok(None),
            Reply::Refused(refused) => Err(refusal::told(node, call, refused)),
            Reply::Transaction { index, .. } => Ok(Some(index)),
        }
    }
}

/// The active commit of this id, if it is for this caller to end.
fn active(node: &Handle, call: &Call, id: &str) -> Result<Transaction, Status> {
    let view = node.view();
    let named = TransactionId::new(id).ok().and_then(|id| view.named(&id));
    let open = named.filter(|transaction| transaction.open_until().is_some());
    match open {
        Some(transaction) => {
            call.may_end(node, transaction)?;
            call.note_transaction(transaction);
            Ok(transaction.clone())
        }
        None if view.windows().next().is_none() => {
            Err(Status::failed_precondition("no commit is to be confirmed"))
        }
        None => Err(Status::invalid_argument(format!("no commit {id} is to be confirmed"))),
    }
}
