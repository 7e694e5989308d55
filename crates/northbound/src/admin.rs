//! The admin service of `lockstep.v1`.

mod export;
mod models;
mod operate;
mod restore;
mod show;
mod targets;

use std::collections::BTreeSet;
use std::sync::Arc;

use lockstep_gnmi::proto::lockstep::v1;
use lockstep_gnmi::proto::lockstep::v1::admin_server::{Admin, AdminServer};
use lockstep_gnmi::proto::lockstep::v1::{
    AddTargetRequest, AddTargetResponse, CancelRequest, CancelResponse, ConfirmRequest,
    ConfirmResponse, ExportRequest, GetTargetRequest, GetTargetResponse, GetTransactionRequest,
    GetTransactionResponse, ListModelsRequest, ListModelsResponse, ListTargetsRequest,
    ListTargetsResponse, ListTransactionsRequest, ListTransactionsResponse, OperateTargetRequest,
    OperateTargetResponse, ReloadModelsRequest, ReloadModelsResponse, RemoveTargetRequest,
    RemoveTargetResponse, RestoreRequest, RestoreResponse, RollbackRequest, RollbackResponse,
    RollbackRule, SetTargetRequest, SetTargetResponse,
};
use lockstep_node::{Busy, Handle};
use lockstep_protocol::record::{self, Kind, Mode, Rule, Transaction};
use lockstep_protocol::{Body, Refusal, Reply, Request as Submission, Until, View};
use lockstep_store::Records;
use lockstep_types::{Index, Target};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use crate::access::Right;
use crate::deadline::times;
use crate::directory::Directory;
use crate::fresh::Fresh;
use crate::guard::Call;
use crate::ids::Ids;
use crate::serve::Options;
use crate::teller::Teller;
use crate::{gnmi, outcome, refusal};

/// How many transactions are listed at once when nobody says.
const PAGE: usize = 100;
/// How many at the most.
const LARGEST_PAGE: usize = 10_000;

/// What operators ask.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    node: Handle,
    records: Records,
    directory: Arc<dyn Directory>,
    fresh: Fresh,
    ids: Arc<Ids>,
}

impl Service {
    pub(crate) fn server(node: Handle, ids: Arc<Ids>, options: &Options) -> AdminServer<Self> {
        let (records, directory) = (options.records.clone(), Arc::clone(&options.directory));
        let fresh = Fresh::new(node.clone(), records.clone());
        AdminServer::new(Self { node, records, directory, fresh, ids })
            .max_decoding_message_size(options.limits.message)
            .max_encoding_message_size(options.limits.message)
    }

    fn rollback_of(
        &self,
        metadata: &MetadataMap,
        asked: &RollbackRequest,
    ) -> Result<Submission, Status> {
        let rule = match asked.rule() {
            RollbackRule::Target => Rule::Target,
            RollbackRule::Path => Rule::Path,
        };
        let only = target_names(&asked.targets)?;
        let wait = refusal::duration(asked.deadline.as_ref())?;
        let times = times(self.node.now(), wait, metadata, Mode::Atomic);
        Ok(Submission {
            id: self.ids.of(&asked.id)?,
            body: Body {
                kind: Kind::Rollback { of: Index::new(asked.index), rule },
                mode: Mode::Atomic,
                edits: std::collections::BTreeMap::new(),
                only,
                window: None,
                binding: None,
            },
            until: if asked.r#async { Until::Decision } else { Until::Outcome },
            deadline: times.deadline,
            answer_by: Some(times.answer_by),
            author: String::new(),
            comment: asked.comment.clone(),
        })
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
        let concerned = self.node.view().asked_of(&submission.body);
        call.operates(&self.node, concerned.iter(), &submission.body.only)?;
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
    fn shown(&self, call: &Call, index: Index) -> Option<v1::Transaction> {
        let view = self.node.view();
        let found = view.transaction(index)?;
        call.note_transaction(found);
        Some(show::transaction(&Teller::own(&self.node, call, &view), found))
    }

    /// Whether a transaction is for this caller to confirm or call off.
    fn may_end(&self, call: &Call, index: Index) -> Result<(), Status> {
        match self.node.view().transaction(index) {
            Some(found) => call.may_end(&self.node, found),
            None => call.somewhere(Right::Operate),
        }
    }
}

fn target_names(names: &[String]) -> Result<BTreeSet<Target>, Status> {
    names.iter().map(|name| target_name(name)).collect()
}

fn target_name(name: &str) -> Result<Target, Status> {
    Target::new(name).map_err(|error| Status::invalid_argument(error.to_string()))
}

fn no_transaction(view: &View, index: u64) -> Status {
    match view.horizon().get() {
        horizon if (1..=horizon).contains(&index) => Status::out_of_range(format!(
            "transaction {index} is beyond retention: the log is kept from {horizon} on"
        )),
        _ => Status::not_found(format!("there is no transaction {index}")),
    }
}

/// A word that no status has would find nothing, and look like an answer.
fn known_statuses(asked: &[String]) -> Result<(), Status> {
    let known = record::Status::ALL.map(record::Status::name);
    match asked.iter().find(|word| !known.contains(&word.as_str())) {
        None => Ok(()),
        Some(word) => Err(Status::invalid_argument(format!(
            "there is no status {word:?}; there are {}",
            known.join(", ")
        ))),
    }
}

/// Whether a transaction is among those asked for.
fn is_asked(asked: &ListTransactionsRequest, transaction: &Transaction) -> bool {
    let before = asked.before_index == 0 || transaction.index.get() < asked.before_index;
    let word = transaction.status.name();
    let status = asked.status.is_empty() || asked.status.iter().any(|status| status == word);
    let concerns = |name: &String| transaction.targets.contains_key(name.as_str());
    before && status && (asked.target.is_empty() || asked.target.iter().any(concerns))
}

#[tonic::async_trait]
impl Admin for Service {
    async fn list_transactions(
        &self,
        request: Request<ListTransactionsRequest>,
    ) -> Result<Response<ListTransactionsResponse>, Status> {
        let call = Call::of(&request)?;
        call.somewhere(Right::Read)?;
        let asked = request.get_ref();
        known_statuses(&asked.status)?;
        let limit = usize::try_from(asked.limit).unwrap_or(LARGEST_PAGE).min(LARGEST_PAGE);
        let limit = if limit == 0 { PAGE } else { limit };
        let view = self.node.view();
        let teller = Teller::any(&self.node, &call, &view);
        let found = view.transactions_backwards().filter(|t| is_asked(asked, t));
        let found = found.filter(|t| teller.sees_any(t)).take(limit);
        let transactions = found.map(|t| show::transaction(&teller, t)).collect();
        Ok(Response::new(ListTransactionsResponse { transactions }))
    }

    async fn get_transaction(
        &self,
        request: Request<GetTransactionRequest>,
    ) -> Result<Response<GetTransactionResponse>, Status> {
        let call = Call::of(&request)?;
        call.somewhere(Right::Read)?;
        let index = request.get_ref().index;
        let view = self.node.view();
        let teller = Teller::any(&self.node, &call, &view);
        let found = view.transaction(Index::new(index)).filter(|found| teller.sees_any(found));
        let found = found.ok_or_else(|| no_transaction(&view, index))?;
        let transaction = Some(show::transaction(&teller, found));
        Ok(Response::new(GetTransactionResponse { transaction }))
    }

    async fn list_targets(
        &self,
        request: Request<ListTargetsRequest>,
    ) -> Result<Response<ListTargetsResponse>, Status> {
        let call = Call::of(&request)?;
        call.somewhere(Right::Read)?;
        let view = self.node.view();
        let teller = Teller::any(&self.node, &call, &view);
        let seen = self.node.statuses().into_iter().filter(|status| teller.sees(&status.name));
        let targets = seen.map(|status| show::target(&teller, status)).collect();
        Ok(Response::new(ListTargetsResponse { targets }))
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
        Call::of(&request)?.somewhere(Right::Read)?;
        let models = self.models(&std::collections::BTreeMap::new());
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
        self.may_end(&call, index)?;
        let transaction = self.closed(&call, self.node.confirm(index).await)?;
        Ok(Response::new(ConfirmResponse { transaction }))
    }

    async fn cancel(
        &self,
        request: Request<CancelRequest>,
    ) -> Result<Response<CancelResponse>, Status> {
        let (call, index) = (Call::of(&request)?, Index::new(request.get_ref().index));
        self.may_end(&call, index)?;
        let transaction = self.closed(&call, self.node.cancel(index).await)?;
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
}
