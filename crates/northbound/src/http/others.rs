//! Everything else over HTTP: models, nodes, how it all stands, who asks, the store.

use lockstep_gnmi::json;
use lockstep_gnmi::proto::lockstep::v1::admin_server::Admin;
use lockstep_gnmi::proto::lockstep::v1::{
    CompactRequest, ExportRequest, GetSummaryRequest, ListModelsRequest, ListNodesRequest, Model,
    ReloadModelsRequest, WhoAmIRequest,
};
use serde_json::json;
use tonic::Status;

use super::answer::Answer;
use super::asked::Asked;
use super::openapi;
use crate::admin::Service;

pub(super) async fn summary(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let request = GetSummaryRequest { brief: asked.flag("brief")? };
    let answer = admin.get_summary(asked.request(request)).await?;
    Ok(Answer::Json(json::summary(answer.get_ref())))
}

pub(super) async fn who(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let answer = admin.who_am_i(asked.request(WhoAmIRequest {})).await?;
    Ok(Answer::Json(json::who(answer.get_ref())))
}

pub(super) async fn nodes(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let found = admin.list_nodes(asked.request(ListNodesRequest {})).await?.into_inner().nodes;
    Ok(Answer::Json(found.iter().map(json::node).collect()))
}

fn all(models: &[Model]) -> Answer {
    Answer::Json(models.iter().map(json::model).collect())
}

pub(super) async fn models(admin: Service, asked: Asked) -> Result<Answer, Status> {
    Ok(all(&admin.list_models(asked.request(ListModelsRequest {})).await?.into_inner().models))
}

pub(super) async fn reload(admin: Service, asked: Asked) -> Result<Answer, Status> {
    Ok(all(&admin.reload_models(asked.request(ReloadModelsRequest {})).await?.into_inner().models))
}

pub(super) async fn export(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let parts = Admin::export(&admin, asked.request(ExportRequest {})).await?.into_inner();
    Ok(Answer::File { name: "lockstep.export", parts: Box::pin(parts) })
}

pub(super) async fn compact(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let request = CompactRequest { keep: asked.number("keep")? };
    let done = Admin::compact(&admin, asked.request(request)).await?.into_inner();
    Ok(Answer::Json(json!({ "horizon": done.horizon, "revision": done.revision })))
}

pub(super) async fn describe(_: Service, asked: Asked) -> Result<Answer, Status> {
    // It says nothing that is not in the documentation.
    asked.call.anything()?;
    Ok(Answer::Json(openapi::document()))
}
