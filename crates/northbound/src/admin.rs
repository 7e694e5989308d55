//! The admin service of `lockstep.v1`.

mod changes;
mod compact;
mod configuration;
mod dry_run;
mod export;
mod log;
mod models;
mod nodes;
mod operate;
mod restore;
mod rollback;
mod show;
mod standing;
mod targets;
mod watch;

use std::collections::BTreeSet;
use std::sync::Arc;

use lockstep_gnmi::proto::lockstep::v1;
use lockstep_gnmi::proto::lockstep::v1::admin_server::{Admin, AdminServer};
use lockstep_gnmi::proto::lockstep::v1::{
    AddTargetRequest, AddTargetResponse, CancelRequest, CancelResponse, CompactRequest,
    CompactResponse, ConfirmRequest, ConfirmResponse, DiffRequest, DiffResponse, DryRunRequest,
    DryRunResponse, ExportRequest, GetConfigurationRequest, GetConfigurationResponse,
    GetSummaryRequest, GetSummaryResponse, GetTargetRequest, GetTargetResponse,
    GetTransactionRequest, GetTransactionResponse, ListModelsRequest, ListModelsResponse,
    ListNodesRequest, ListNodesResponse, ListTargetsRequest, ListTargetsResponse,
    ListTransactionsRequest, ListTransactionsResponse, OperateTargetRequest, OperateTargetResponse,
    ReloadModelsRequest, ReloadModelsResponse, RemoveTargetRequest, RemoveTargetResponse,
    RestoreRequest, RestoreResponse, RollbackRequest, RollbackResponse, SetTargetRequest,
    SetTargetResponse, WatchConfigurationsRequest, WatchConfigurationsResponse,
    WatchTargetsRequest, WatchTargetsResponse, WatchTransactionsRequest, WatchTransactionsResponse,
    WhoAmIRequest, WhoAmIResponse,
};
use lockstep_gnmi::words;
use lockstep_node::{Busy, Handle};
use lockstep_protocol::record::Kind;
use lockstep_protocol::{Body, Refusal, Reply, Request as Submission, View};
use lockstep_store::Records;
use lockstep_types::{Index, Target};
use tonic::{Request, Response, Status};

pub(crate) use targets::structure;

use crate::access::Right;
use crate::directory::Directory;
use crate::fresh::Fresh;
use crate::gnmi::Told;
use crate::guard::Call;
use crate::ids::Ids;
use crate::serve::Options;
use crate::teller::Teller;
use crate::{gnmi, outcome, refusal};

/// What operators ask.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    /// What both services share, and what becomes of a change.
    pub(crate) gnmi: gnmi::Service,
    node: Handle,
    records: Records,
    directory: Arc<dyn Directory>,
    fresh: Fresh,
    ids: Arc<Ids>,
}

impl Service {
    pub(crate) fn new(gnmi: gnmi::Service, options: &Options) -> Self {
        let (records, directory) = (options.records.clone(), Arc::clone(&options.directory));
        let (node, fresh, ids) = (gnmi.node.clone(), gnmi.fresh.clone(), Arc::clone(&gnmi.ids));
        Self { gnmi, node, records, directory, fresh, ids }
    }

    pub(crate) fn server(self) -> AdminServer<Self> {
        let message = self.gnmi.message;
        AdminServer::new(self).max_decoding_message_size(message).max_encoding_message_size(message)
    }
}

impl Service {
    /// Submits a transaction, and shows what became of it if it came to what was asked.
    async fn carried_out(
        &self,
        call: &Call,
        submission: Submission,
        refused: impl Fn(&Refusal) -> Status,
    ) -> Result<Option<v1::Transaction>, Status> {
        call.somewhere(Right::Operate)?;
        let concerned = self.concerned(call, &submission, &refused).await?;
        call.operates(&self.node, concerned.iter(), &submission.body.only)?;
        let submission = self.pinned(submission, concerned);
        let until = submission.until;
        let submission = Submission { author: call.author(), ..submission };
        let reply = self.node.submit(submission).await;
        match reply.map_err(|busy| outcome::busy(&self.node, call, busy))? {
            Reply::Done => Ok(None),
            Reply::Refused(refusal) => {
                let view = self.node.view();
                Err(refused(&Teller::own(&self.node, call, &view).refusal(refusal)))
            }
            Reply::Transaction { index, status } => {
                gnmi::judge(&self.node, call, index, status, until)?;
                Ok(self.shown(call, index))
            }
        }
    }
}

impl Service {
    /// What became of a transaction that was confirmed or called off.
    fn closed(
        &self,
        call: &Call,
        reply: Result<Reply, Busy>,
    ) -> Result<Option<v1::Transaction>, Status> {
        match reply.map_err(|busy| outcome::busy(&self.node, call, busy))? {
            Reply::Done => Ok(None),
            Reply::Refused(refused) => Err(refusal::told(&self.node, call, refused)),
            Reply::Transaction { index, .. } => Ok(self.shown(call, index)),
        }
    }

    /// A transaction, to whoever had something done with it.
    pub(crate) fn shown(&self, call: &Call, index: Index) -> Option<v1::Transaction> {
        let view = self.node.view();
        let found = view.transaction(index)?;
        call.note_transaction(found);
        Some(show::transaction(&Teller::own(&self.node, call, &view), found))
    }

    /// The same, on the targets that were looked at alone: until it is in the log, a Restore of whatever was
    /// changed since could come to concern others, which nobody asked about.
    fn pinned(&self, mut submission: Submission, concerned: BTreeSet<Target>) -> Submission {
        let Body { kind, only, .. } = &mut submission.body;
        if matches!(kind, Kind::Restore { .. }) && only.is_empty() {
            // Sent again, it is what it was the first time.
            let view = self.node.view();
            let before = view.named(&submission.id).filter(|before| before.kind == *kind);
            *only = before.map_or(concerned, |before| before.only.clone());
        }
        submission
    }

    /// The targets that a request concerns, of which there is one at least: nobody could say whether it is
    /// allowed on those that it concerns later.
    async fn concerned(
        &self,
        call: &Call,
        submission: &Submission,
        refused: impl Fn(&Refusal) -> Status,
    ) -> Result<BTreeSet<Target>, Status> {
        let view = self.fresh.view(call).await?;
        let concerned = view.asked_of(&submission.body);
        if !concerned.is_empty() {
            return Ok(concerned);
        }
        // Sent again, it may have been done on targets that went away since.
        if let Some(before) = view.named(&submission.id) {
            return Ok(before.targets.keys().cloned().collect());
        }
        Err(match submission.body.kind {
            Kind::Rollback { of, .. } if view.transaction(of).is_none() => {
                refused(&unknown(&view, of))
            }
            Kind::Restore { to }
                if to > view.head().index || to < view.horizon() || to == Index::ZERO =>
            {
                refused(&unknown(&view, to))
            }
            _ => Status::failed_precondition(
                "this concerns no target: none of them is left, or nothing was changed since; \
                 name the targets to have it done there all the same",
            ),
        })
    }

    /// Whether a transaction is for this caller to confirm or call off.
    async fn may_end(&self, call: &Call, index: Index) -> Result<(), Status> {
        if let Some(found) = self.node.view().transaction(index) {
            return call.may_end(&self.node, found);
        }
        if !call.has(Right::Change) {
            call.somewhere(Right::Operate)?;
        }
        // Another node may have been asked for it, a moment ago.
        let view = self.fresh.view(call).await?;
        match view.transaction(index) {
            Some(found) => call.may_end(&self.node, found),
            None => {
                call.somewhere(Right::Operate)?;
                Err(refusal::refused(&unknown(&view, index)))
            }
        }
    }
}

/// Why there is no such transaction: it never was, or is not any more.
fn unknown(view: &View, index: Index) -> Refusal {
    let horizon = view.horizon();
    if index == Index::ZERO || index > horizon {
        Refusal::UnknownTransaction(index)
    } else {
        Refusal::BeyondRetention { index, horizon }
    }
}

fn target_names(names: &[String]) -> Result<BTreeSet<Target>, Status> {
    names.iter().map(|name| target_name(name)).collect()
}

fn target_name(name: &str) -> Result<Target, Status> {
    Target::new(name).map_err(|error| Status::invalid_argument(error.to_string()))
}

#[tonic::async_trait]
impl Admin for Service {
    async fn list_transactions(
        &self,
        request: Request<ListTransactionsRequest>,
    ) -> Result<Response<ListTransactionsResponse>, Status> {
        let call = Call::of(&request)?;
        self.listed(&call, request.get_ref()).map(Response::new)
    }

    async fn get_transaction(
        &self,
        request: Request<GetTransactionRequest>,
    ) -> Result<Response<GetTransactionResponse>, Status> {
        let call = Call::of(&request)?;
        self.found_with(&call, request.get_ref()).map(Response::new)
    }

    type WatchTransactionsStream = Told<WatchTransactionsResponse>;

    async fn watch_transactions(
        &self,
        request: Request<WatchTransactionsRequest>,
    ) -> Result<Response<Self::WatchTransactionsStream>, Status> {
        let call = Call::of(&request)?;
        self.watched(call, request.into_inner()).await.map(Response::new)
    }

    async fn dry_run(
        &self,
        request: Request<DryRunRequest>,
    ) -> Result<Response<DryRunResponse>, Status> {
        let call = Call::of(&request)?;
        self.tried(&call, request.into_inner()).await.map(Response::new)
    }

    async fn get_configuration(
        &self,
        request: Request<GetConfigurationRequest>,
    ) -> Result<Response<GetConfigurationResponse>, Status> {
        let call = Call::of(&request)?;
        self.got(&call, request.into_inner()).await.map(Response::new)
    }

    async fn diff(&self, request: Request<DiffRequest>) -> Result<Response<DiffResponse>, Status> {
        let call = Call::of(&request)?;
        self.differing(&call, request.into_inner()).await.map(Response::new)
    }

    type WatchConfigurationsStream = Told<WatchConfigurationsResponse>;

    async fn watch_configurations(
        &self,
        request: Request<WatchConfigurationsRequest>,
    ) -> Result<Response<Self::WatchConfigurationsStream>, Status> {
        let call = Call::of(&request)?;
        self.configurations_watched(call, request.get_ref()).map(Response::new)
    }

    async fn list_targets(
        &self,
        request: Request<ListTargetsRequest>,
    ) -> Result<Response<ListTargetsResponse>, Status> {
        let call = Call::of(&request)?;
        call.somewhere(Right::Read)?;
        let ListTargetsRequest { state, tag } = request.get_ref();
        log::known("state", state, &words::STATES)?;
        let mut targets = self.standing(&call, &BTreeSet::new());
        targets.retain(|target| {
            (state.is_empty() || state.contains(&target.state))
                && (tag.is_empty() || target.tags.iter().any(|one| tag.contains(one)))
        });
        Ok(Response::new(ListTargetsResponse { targets }))
    }

    type WatchTargetsStream = Told<WatchTargetsResponse>;

    async fn watch_targets(
        &self,
        request: Request<WatchTargetsRequest>,
    ) -> Result<Response<Self::WatchTargetsStream>, Status> {
        let call = Call::of(&request)?;
        self.targets_watched(call, request.get_ref()).map(Response::new)
    }

    async fn get_target(
        &self,
        request: Request<GetTargetRequest>,
    ) -> Result<Response<GetTargetResponse>, Status> {
        let call = Call::of(&request)?;
        let name = target_name(&request.get_ref().name)?;
        call.target(Right::Read, &self.node, &name)?;
        let status = self.node.status(&name);
        let status =
            status.ok_or_else(|| Status::not_found(format!("there is no target {name}")))?;
        let view = self.node.view();
        let target = show::target(&Teller::any(&self.node, &call, &view), status);
        Ok(Response::new(GetTargetResponse { target: Some(target) }))
    }

    async fn add_target(
        &self,
        request: Request<AddTargetRequest>,
    ) -> Result<Response<AddTargetResponse>, Status> {
        let call = Call::of(&request)?;
        self.added(&call, request).await.map(Response::new)
    }

    async fn set_target(
        &self,
        request: Request<SetTargetRequest>,
    ) -> Result<Response<SetTargetResponse>, Status> {
        let call = Call::of(&request)?;
        self.bound_anew(&call, request).await.map(Response::new)
    }

    async fn remove_target(
        &self,
        request: Request<RemoveTargetRequest>,
    ) -> Result<Response<RemoveTargetResponse>, Status> {
        let call = Call::of(&request)?;
        self.removed(&call, request).await.map(Response::new)
    }

    async fn list_models(
        &self,
        request: Request<ListModelsRequest>,
    ) -> Result<Response<ListModelsResponse>, Status> {
        let call = Call::of(&request)?;
        call.somewhere(Right::Read)?;
        let models = self.models(&call, &std::collections::BTreeMap::new());
        Ok(Response::new(ListModelsResponse { models }))
    }

    async fn reload_models(
        &self,
        request: Request<ReloadModelsRequest>,
    ) -> Result<Response<ReloadModelsResponse>, Status> {
        let call = Call::of(&request)?;
        call.everywhere(Right::Operate)?;
        let models = self.reloaded(&call).await?;
        Ok(Response::new(ReloadModelsResponse { models }))
    }

    async fn operate_target(
        &self,
        request: Request<OperateTargetRequest>,
    ) -> Result<Response<OperateTargetResponse>, Status> {
        let call = Call::of(&request)?;
        self.operated(&call, request.get_ref()).await.map(Response::new)
    }

    async fn rollback(
        &self,
        request: Request<RollbackRequest>,
    ) -> Result<Response<RollbackResponse>, Status> {
        let call = Call::of(&request)?;
        call.note_detail(&format!("of {}", request.get_ref().index));
        let submission = self.rollback_of(request.metadata(), request.get_ref())?;
        let transaction = self.carried_out(&call, submission, refusal::not_rolled_back).await?;
        Ok(Response::new(RollbackResponse { transaction }))
    }

    async fn restore(
        &self,
        request: Request<RestoreRequest>,
    ) -> Result<Response<RestoreResponse>, Status> {
        let call = Call::of(&request)?;
        call.note_detail(&format!("to {}", request.get_ref().index));
        let submission = self.restore_to(request.metadata(), request.get_ref())?;
        let transaction = self.carried_out(&call, submission, refusal::refused).await?;
        Ok(Response::new(RestoreResponse { transaction }))
    }

    async fn confirm(
        &self,
        request: Request<ConfirmRequest>,
    ) -> Result<Response<ConfirmResponse>, Status> {
        let (call, index) = (Call::of(&request)?, Index::new(request.get_ref().index));
        self.may_end(&call, index).await?;
        let transaction = self.closed(&call, self.node.confirm(index, call.answer_by()).await)?;
        Ok(Response::new(ConfirmResponse { transaction }))
    }

    async fn cancel(
        &self,
        request: Request<CancelRequest>,
    ) -> Result<Response<CancelResponse>, Status> {
        let (call, index) = (Call::of(&request)?, Index::new(request.get_ref().index));
        self.may_end(&call, index).await?;
        let reply = self.node.cancel(index, call.author(), call.answer_by()).await;
        let transaction = self.closed(&call, reply)?;
        Ok(Response::new(CancelResponse { transaction }))
    }

    type ExportStream = export::Stream;

    async fn export(
        &self,
        request: Request<ExportRequest>,
    ) -> Result<Response<Self::ExportStream>, Status> {
        let call = Call::of(&request)?;
        call.everywhere(Right::Operate)?;
        call.everywhere(Right::Read)?;
        // Masked, it could not be imported; so it is whole, or not at all.
        if call.has_secrets() {
            call.everywhere(Right::ReadSecrets)?;
        }
        Ok(Response::new(export::start(self.records.clone())))
    }

    async fn compact(
        &self,
        request: Request<CompactRequest>,
    ) -> Result<Response<CompactResponse>, Status> {
        let call = Call::of(&request)?;
        self.compacted(&call, request.get_ref()).await.map(Response::new)
    }

    async fn list_nodes(
        &self,
        request: Request<ListNodesRequest>,
    ) -> Result<Response<ListNodesResponse>, Status> {
        let nodes = self.nodes(&Call::of(&request)?)?;
        Ok(Response::new(ListNodesResponse { nodes }))
    }

    async fn get_summary(
        &self,
        request: Request<GetSummaryRequest>,
    ) -> Result<Response<GetSummaryResponse>, Status> {
        self.summary(&Call::of(&request)?, request.get_ref().brief).map(Response::new)
    }

    async fn who_am_i(
        &self,
        request: Request<WhoAmIRequest>,
    ) -> Result<Response<WhoAmIResponse>, Status> {
        Ok(Response::new(nodes::who(&Call::of(&request)?)))
    }
}
