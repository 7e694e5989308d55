//! Configurations over HTTP.

use lockstep_gnmi::json;
use lockstep_gnmi::proto::lockstep::v1::admin_server::Admin;
use lockstep_gnmi::proto::lockstep::v1::{
    Configuration, DiffRequest, GetConfigurationRequest, WatchConfigurationsRequest,
    WatchConfigurationsResponse,
};
use serde_json::json;
use tonic::Status;

use super::answer::Answer;
use super::asked::Asked;
use crate::admin::Service;

pub(super) async fn get(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let request = GetConfigurationRequest {
        of: Some(named(&asked)?),
        path: asked.texts("path"),
        defaults: asked.flag("defaults")?,
    };
    let found = admin.get_configuration(asked.request(request)).await?.into_inner();
    Ok(Answer::Json(json::configuration(&found)))
}

/// The configuration that the path and the query name.
fn named(asked: &Asked) -> Result<Configuration, Status> {
    Ok(Configuration {
        target: asked.at("name"),
        side: asked.text("side"),
        index: asked.number("index")?,
        time: asked.time("time")?,
    })
}

/// The other side is that of the same target, unless it is named.
pub(super) async fn diff(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let from = named(&asked)?;
    let to = Configuration {
        target: Some(asked.text("to"))
            .filter(|to| !to.is_empty())
            .unwrap_or_else(|| asked.at("name")),
        side: asked.text("to_side"),
        index: asked.number("to_index")?,
        time: asked.time("to_time")?,
    };
    let request = DiffRequest { from: Some(from), to: Some(to), path: asked.texts("path") };
    let found = admin.diff(asked.request(request)).await?.into_inner();
    Ok(Answer::Json(json::diff(&found)))
}

pub(super) async fn watch(admin: Service, asked: Asked) -> Result<Answer, Status> {
    let request =
        WatchConfigurationsRequest { target: asked.texts("target"), path: asked.texts("path") };
    let told = admin.watch_configurations(asked.request(request)).await?.into_inner();
    Ok(Answer::events(told, |message: WatchConfigurationsResponse| match &message.changes {
        None => ("synced", json!({})),
        Some(told) => {
            let index = Some(message.index).filter(|index| *index > 0);
            let time = message.time.map(|time| time.to_string());
            let changes = json::changes(&told.changes);
            (
                "changes",
                json!({ "target": told.target, "index": index, "time": time, "changes": changes }),
            )
        }
    }))
}
