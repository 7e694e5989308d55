//! Transactions over HTTP.

use lockstep_gnmi::proto::gnmi::g_nmi_server::GNmi;
use lockstep_gnmi::proto::lockstep::v1::admin_server::Admin;
use lockstep_gnmi::proto::lockstep::v1::dry_run_request::Of;
use lockstep_gnmi::proto::lockstep::v1::{
    CancelRequest, ConfirmRequest, DryRunRequest, GetTransactionRequest, ListTransactionsRequest,
    RestoreRequest, RollbackRequest, RollbackRule, SetOptions, Transaction,
    WatchTransactionsRequest, WatchTransactionsResponse,
};
use lockstep_gnmi::{change, extension, json};
use serde_json::{Value, json};
use tonic::{Request, Status};

use super::answer::Answer;
use super::asked::Asked;
use crate::admin::Service;

fn one(transaction: Option<Transaction>) -> Answer {
    Answer::Json(transaction.as_ref().map_or(Value::Null, json::transaction))
}

pub(super) async fn list(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let request = ListTransactionsRequest {
        limit: asked.number("limit")?,
        before_index: asked.number("before")?,
        after_index: asked.number("after")?,
        status: asked.texts("status"),
        target: asked.texts("target"),
        kind: asked.texts("kind"),
        author: asked.texts("author"),
        since: asked.time("since")?,
        until: asked.time("until")?,
        comment: asked.text("comment"),
        id: asked.text("id"),
        brief: asked.flag("brief")?,
    };
    let found = admin.list_transactions(asked.request(request)).await?.into_inner();
    let next = Some(found.next_before_index).filter(|next| *next > 0);
    Ok(Answer::Json(json!({
        "transactions": found.transactions.iter().map(json::transaction).collect::<Value>(),
        "next_before": next,
        "head": found.head,
        "horizon": found.horizon,
    })))
}

pub(super) async fn get(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let request = GetTransactionRequest {
        index: asked.index()?,
        brief: asked.flag("brief")?,
        ..GetTransactionRequest::default()
    };
    let found = admin.get_transaction(asked.request(request)).await?.into_inner();
    Ok(one(found.transaction))
}

pub(super) async fn changes(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let request = GetTransactionRequest {
        index: asked.index()?,
        brief: true,
        changes: true,
        target: asked.texts("target"),
    };
    let found = admin.get_transaction(asked.request(request)).await?.into_inner();
    Ok(Answer::Json(json::targets_changes(&found.changes)))
}

pub(super) async fn watch(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let request = WatchTransactionsRequest {
        index: asked.number("index")?,
        target: asked.texts("target"),
        kind: asked.texts("kind"),
        author: asked.texts("author"),
        latest: asked.number("latest")?,
        after_index: asked.number("after")?,
        brief: asked.flag("brief")?,
    };
    let told = admin.watch_transactions(asked.request(request)).await?.into_inner();
    Ok(Answer::events(told, |message: WatchTransactionsResponse| match &message.transaction {
        Some(transaction) => ("transaction", json::transaction(transaction)),
        None => ("synced", json!({})),
    }))
}

pub(super) async fn submit(admin: Service, mut asked: Asked) -> Result<Answer, Status> {
    let body = asked.body().await?;
    let mut request =
        change::read(body).map_err(|error| Status::invalid_argument(error.to_string()))?;
    if request.update.is_empty() && request.replace.is_empty() && request.delete.is_empty() {
        return Err(Status::invalid_argument("the change file asks for nothing"));
    }
    if asked.flag("dry_run")? {
        let of = Some(Of::Set(request));
        return tried(&admin, asked.request(DryRunRequest { of })).await;
    }
    let options = SetOptions {
        queued: asked.flag("queued")?,
        r#async: asked.flag("async")?,
        dry_run: false,
        comment: asked.text("comment"),
        deadline: asked.seconds("deadline")?,
        id: asked.text("id"),
        confirm: asked.seconds("confirm")?,
    };
    request.extension.push(extension::with_options(&options));
    let answer = GNmi::set(&admin.gnmi, asked.request(request)).await?.into_inner();
    let index = extension::outcome(&answer.extension).map(|outcome| outcome.index);
    let index = index.ok_or_else(|| Status::internal("a Set without an outcome"))?;
    Ok(one(admin.shown(&asked.call, lockstep_types::Index::new(index))))
}

async fn tried(admin: &Service, request: Request<DryRunRequest>) -> Result<Answer, Status> {
    Ok(Answer::Json(json::dry_run(admin.dry_run(request).await?.get_ref())))
}

pub(super) async fn rollback(admin: Service, mut asked: Asked) -> Result<Answer, Status> {
    let rule = match asked.text("rule").as_str() {
        "path" => RollbackRule::Path,
        _ => RollbackRule::Target,
    };
    let request = RollbackRequest {
        index: asked.index()?,
        rule: rule.into(),
        targets: asked.targets().await?,
        comment: asked.text("comment"),
        id: asked.text("id"),
        deadline: asked.seconds("deadline")?,
        r#async: asked.flag("async")?,
    };
    if asked.flag("dry_run")? {
        let of = Some(Of::Rollback(request));
        return tried(&admin, asked.request(DryRunRequest { of })).await;
    }
    Ok(one(Admin::rollback(&admin, asked.request(request)).await?.into_inner().transaction))
}

pub(super) async fn restore(admin: Service, mut asked: Asked) -> Result<Answer, Status> {
    let request = RestoreRequest {
        index: asked.index()?,
        targets: asked.targets().await?,
        queued: asked.flag("queued")?,
        r#async: asked.flag("async")?,
        comment: asked.text("comment"),
        deadline: asked.seconds("deadline")?,
        id: asked.text("id"),
        confirm: asked.seconds("confirm")?,
    };
    if asked.flag("dry_run")? {
        let of = Some(Of::Restore(request));
        return tried(&admin, asked.request(DryRunRequest { of })).await;
    }
    Ok(one(Admin::restore(&admin, asked.request(request)).await?.into_inner().transaction))
}

pub(super) async fn confirm(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let request = asked.request(ConfirmRequest { index: asked.index()? });
    Ok(one(Admin::confirm(&admin, request).await?.into_inner().transaction))
}

pub(super) async fn cancel(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let request = asked.request(CancelRequest { index: asked.index()? });
    Ok(one(Admin::cancel(&admin, request).await?.into_inner().transaction))
}
