//! Set: one transaction, on as many targets as its paths name.

mod asked;
mod commit;
mod edits;
mod permit;
mod preview;

use std::collections::BTreeMap;
use std::sync::Arc;

use lockstep_gnmi::extension::{self, onos};
use lockstep_gnmi::proto::gnmi::{SetRequest, SetResponse};
use lockstep_gnmi::proto::lockstep::v1::{Outcome, SetOptions};
use lockstep_gnmi::set;
use lockstep_node::Handle;
use lockstep_protocol::record::{Kind, Mode, Status as Stage};
use lockstep_protocol::{Body, Reply, Request, Until};
use lockstep_types::{Edit, Index, Target};
use tonic::Status;
use tonic::metadata::MetadataMap;

use super::masters::{self, Scope};
use super::{Service, place};
use crate::deadline::times;
use crate::guard::Call;
use crate::ids::Ids;
use crate::teller::Teller;
use crate::{comment, outcome, refusal};

pub(crate) use asked::asked;

pub(super) async fn set(
    service: &Service,
    call: &Call,
    metadata: &MetadataMap,
    request: SetRequest,
) -> Result<SetResponse, Status> {
    let Service { node, ids, masters, .. } = service;
    permit::any(call, &request)?;
    let (mut options, claim) = (options(&request)?, masters::claim(&request.extension)?);
    if options.dry_run {
        call.note_detail("dry run");
    }
    if let Some(commit) = commit::of(&request)? {
        if let Some(end) = commit::end(node, call, &commit, &request)? {
            if let Some(claim) = &claim {
                let scope = Scope::Targets(end.targets());
                masters.heed(claim, &call.author(), &scope, options.dry_run)?;
            }
            let index = if options.dry_run { None } else { end.carry_out(node, call).await? };
            return Ok(response(node, call, &request, index));
        }
        options = commit::begin(&commit, options)?;
    }
    let request = Arc::new(request);
    let edits = asked::edits(service, call, &request).await?;
    // Who claims to be the only one to write is one who may, and does.
    if let Some(claim) = &claim {
        let scope = match &edits {
            Some(edits) => Scope::Targets(edits.keys().cloned().collect()),
            None => permit::claimed(node, call, &request)?,
        };
        masters.heed(claim, &call.author(), &scope, options.dry_run)?;
    }
    let Some(edits) = edits else { return Ok(response(node, call, &request, None)) };
    if options.dry_run {
        return preview::preview(service, call, &request, edits).await;
    }
    let submission =
        Request { author: call.author(), ..submission(node, ids, metadata, &options, edits)? };
    let until = submission.until;
    match node.submit(submission).await.map_err(|busy| outcome::busy(node, call, busy))? {
        Reply::Done => Err(Status::internal("a Set was answered as an order")),
        Reply::Refused(refused) => Err(refusal::told(node, call, refused)),
        Reply::Transaction { index, status } => {
            judge(node, call, index, status, until)?;
            Ok(response(node, call, &request, Some(index)))
        }
    }
}

/// What goes with the request beside its operations.
fn options(request: &SetRequest) -> Result<SetOptions, Status> {
    place::no_depth(&request.extension)?;
    extension::refuse_history(&request.extension).map_err(|e| refusal::extension(&e))?;
    let options = extension::options(&request.extension).map_err(|e| refusal::extension(&e))?;
    let strategy = onos::asynchronous(&request.extension).map_err(|e| refusal::extension(&e))?;
    match (options, strategy) {
        (Some(_), Some(_)) => Err(refusal::extension(&extension::Error::TwoStrategies)),
        (Some(options), None) => {
            comment::checked(&options.comment)?;
            Ok(options)
        }
        (None, strategy) => {
            let later = strategy.unwrap_or(false);
            Ok(SetOptions { queued: later, r#async: later, ..SetOptions::default() })
        }
    }
}

fn submission(
    node: &Handle,
    ids: &Ids,
    metadata: &MetadataMap,
    options: &SetOptions,
    edits: BTreeMap<Target, Edit>,
) -> Result<Request, Status> {
    let asked = refusal::duration(options.deadline.as_ref())?;
    let mode = if options.queued { Mode::Queued } else { Mode::Atomic };
    let times = times(node.now(), asked, metadata, mode);
    Ok(Request {
        id: ids.of(&options.id)?,
        body: Body {
            kind: Kind::Change,
            mode,
            edits,
            only: std::collections::BTreeSet::new(),
            window: refusal::window(options.confirm.as_ref())?,
            binding: None,
        },
        until: if options.r#async { Until::Decision } else { Until::Outcome },
        deadline: times.deadline,
        answer_by: Some(times.answer_by),
        author: String::new(),
        comment: options.comment.clone(),
    })
}

/// Whether a transaction came to what was asked of it: applied, or with an async answer decided.
pub(crate) fn judge(
    node: &Handle,
    call: &Call,
    index: Index,
    stage: Stage,
    until: Until,
) -> Result<(), Status> {
    let view = node.view();
    let transaction = view.transaction(index);
    if let Some(transaction) = transaction {
        call.note_transaction(transaction);
    }
    let went_well = match stage {
        Stage::Applied => true,
        Stage::Committed => until == Until::Decision,
        _ => false,
    };
    if went_well {
        return Ok(());
    }
    Err(transaction.map_or_else(
        || Status::internal(format!("transaction {index} is not in the log any more")),
        |transaction| outcome::error(&Teller::own(node, call, &view), transaction),
    ))
}

/// The answer, with what became of the transaction: its index above all, by which to find it again.
fn response(node: &Handle, call: &Call, request: &SetRequest, index: Option<Index>) -> SetResponse {
    let view = node.view();
    let transaction = index.and_then(|index| view.transaction(index));
    // That of the notifications which tell of it, as far as there are any by now.
    let time = transaction.map_or_else(
        || node.now(),
        |one| one.targets.keys().find_map(|t| one.visible_since(t)).unwrap_or(one.submitted),
    );
    let teller = Teller::own(node, call, &view);
    let outcome = transaction.map(|transaction| outcome::outcome(&teller, transaction));
    let told = |outcome: &Outcome| {
        [extension::with_outcome(outcome), onos::info(&outcome.id, outcome.index)]
    };
    SetResponse {
        extension: outcome.iter().flat_map(told).collect(),
        ..set::response(request, i64::try_from(time.get()).unwrap_or(i64::MAX))
    }
}
