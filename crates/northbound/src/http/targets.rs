//! Targets over HTTP.

use lockstep_gnmi::json;
use lockstep_gnmi::proto::lockstep::v1::admin_server::Admin;
use lockstep_gnmi::proto::lockstep::v1::{
    AddTargetRequest, GetTargetRequest, ListTargetsRequest, OperateTargetRequest,
    RemoveTargetRequest, SetTargetRequest, Target, Transaction, WatchTargetsRequest,
    WatchTargetsResponse,
};
use serde_json::{Value, json};
use tonic::Status;

use super::answer::Answer;
use super::asked::Asked;
use crate::admin::{Service, structure};

pub(super) async fn list(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let request = ListTargetsRequest { state: asked.texts("state"), tag: asked.texts("tag") };
    let found = admin.list_targets(asked.request(request)).await?.into_inner().targets;
    Ok(Answer::Json(found.iter().map(json::target).collect()))
}

pub(super) async fn get(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let request = asked.request(GetTargetRequest { name: asked.at("name") });
    Ok(shown(admin.get_target(request).await?.into_inner().target))
}

fn shown(target: Option<Target>) -> Answer {
    Answer::Json(target.as_ref().map_or(Value::Null, json::target))
}

pub(super) async fn watch(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let request = asked.request(WatchTargetsRequest { name: asked.texts("name") });
    let told = admin.watch_targets(request).await?.into_inner();
    Ok(Answer::events(told, |message: WatchTargetsResponse| {
        let targets: Value = message.targets.iter().map(json::target).collect();
        ("targets", json!({ "targets": targets, "gone": message.gone }))
    }))
}

/// What became of a target, and the transaction that did it.
fn done(transaction: Option<Transaction>, target: Option<Target>) -> Answer {
    let transaction = transaction.as_ref().map(json::transaction);
    let target = target.as_ref().map(json::target);
    Answer::Json(json!({ "transaction": transaction, "target": target }))
}

pub(super) async fn add(admin: Service, mut asked: Asked) -> Result<Answer, Status> {
    let request = AddTargetRequest {
        options: Some(structure(asked.object().await?)),
        name: asked.at("name"),
        comment: asked.text("comment"),
        id: asked.text("id"),
        deadline: asked.seconds("deadline")?,
        dry_run: asked.flag("dry_run")?,
    };
    let answer = admin.add_target(asked.request(request)).await?.into_inner();
    Ok(done(answer.transaction, answer.target))
}

pub(super) async fn set(admin: Service, mut asked: Asked) -> Result<Answer, Status> {
    let request = SetTargetRequest {
        options: Some(structure(asked.object().await?)),
        name: asked.at("name"),
        comment: asked.text("comment"),
        id: asked.text("id"),
        deadline: asked.seconds("deadline")?,
    };
    let answer = admin.set_target(asked.request(request)).await?.into_inner();
    Ok(done(answer.transaction, answer.target))
}

pub(super) async fn remove(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let request = RemoveTargetRequest {
        name: asked.at("name"),
        comment: asked.text("comment"),
        id: asked.text("id"),
        deadline: asked.seconds("deadline")?,
    };
    let answer = admin.remove_target(asked.request(request)).await?.into_inner();
    Ok(done(answer.transaction, None))
}

pub(super) async fn operate(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let request = OperateTargetRequest { name: asked.at("name"), order: asked.at("order") };
    Ok(shown(admin.operate_target(asked.request(request)).await?.into_inner().target))
}
