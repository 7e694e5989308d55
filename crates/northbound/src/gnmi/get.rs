//! Get: the visible configuration.

use std::sync::Arc;

use lockstep_gnmi::path as paths;
use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::{Encoding, GetRequest, GetResponse, Notification, Path, Update};
use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
use lockstep_gnmi::value;
use lockstep_node::{Handle, TargetSpec};
use lockstep_protocol::View;
use lockstep_types::Path as Place;
use lockstep_yang::Form;
use tonic::Status;

use super::place;
use crate::refusal;

/// What is asked of every path alike.
struct Question<'a> {
    node: &'a Handle,
    view: Arc<View>,
    prefix: Option<&'a Path>,
    form: Form,
    kind: DataType,
}

pub(super) fn get(node: &Handle, request: &GetRequest) -> Result<GetResponse, Status> {
    let question = Question {
        node,
        view: node.view(),
        prefix: request.prefix.as_ref(),
        form: form(request.encoding)?,
        kind: kind(request.r#type)?,
    };
    if !request.use_models.is_empty() {
        return Err(Status::unimplemented("use_models is not implemented yet"));
    }
    if request.extension.iter().any(|e| matches!(e.ext, Some(Ext::Depth(_)))) {
        return Err(Status::unimplemented("the depth extension is not implemented yet"));
    }
    // No path at all asks for everything of the prefix.
    let whole = [Path::default()];
    let asked = if request.path.is_empty() { &whole } else { request.path.as_slice() };
    let mut notification = Vec::new();
    for path in asked {
        notification.extend(question.answer(path)?);
    }
    Ok(GetResponse { notification, ..GetResponse::default() })
}

fn form(encoding: i32) -> Result<Form, Status> {
    match Encoding::try_from(encoding) {
        Ok(Encoding::Json) => Ok(Form::Json),
        Ok(Encoding::JsonIetf) => Ok(Form::Ietf),
        Ok(other) => Err(Status::unimplemented(format!(
            "encoding {} is not supported; ask for JSON or JSON_IETF",
            other.as_str_name()
        ))),
        Err(_) => Err(Status::invalid_argument(format!("there is no encoding {encoding}"))),
    }
}

fn kind(kind: i32) -> Result<DataType, Status> {
    match DataType::try_from(kind) {
        Ok(kind @ (DataType::Config | DataType::All)) => Ok(kind),
        Ok(DataType::State | DataType::Operational) => Err(Status::unimplemented(
            "state is not passed through from devices yet; ask for type CONFIG",
        )),
        Err(_) => Err(Status::invalid_argument(format!("there is no data type {kind}"))),
    }
}

impl Question<'_> {
    fn answer(&self, path: &Path) -> Result<Vec<Notification>, Status> {
        let name = paths::target(self.prefix, path).map_err(refusal::path)?;
        let name = name.ok_or_else(place::no_target)?;
        let place = paths::read(self.prefix, path).map_err(refusal::path)?;
        let origin = paths::origin(self.prefix, path).map_err(refusal::path)?;
        if name.as_str() == "*" {
            return self.of_every_target(&place, origin.as_deref(), path);
        }
        let spec = place::target(self.node, &name)?;
        place::origin(spec, origin.as_deref())?;
        let found = self.find(spec, &place)?;
        if found.is_empty() {
            return Err(Status::not_found(format!("target {name} has no data at {place}")));
        }
        Ok(vec![self.notification(spec, path, found)])
    }

    /// One answer for each target that has something there, and a refusal only if none has.
    fn of_every_target(
        &self,
        place: &Place,
        origin: Option<&str>,
        path: &Path,
    ) -> Result<Vec<Notification>, Status> {
        let mut notifications = Vec::new();
        for spec in self.node.targets().values() {
            if place::origin(spec, origin).is_err() {
                continue;
            }
            match self.find(spec, place) {
                Ok(found) if !found.is_empty() => {
                    notifications.push(self.notification(spec, path, found));
                }
                Ok(_) => {}
                // A path that one target's models lack may well be in another's.
                Err(status) if status.code() == tonic::Code::InvalidArgument => {}
                Err(status) => return Err(status),
            }
        }
        if notifications.is_empty() {
            return Err(Status::not_found(format!("no target has data at {place}")));
        }
        Ok(notifications)
    }

    fn find(&self, spec: &TargetSpec, place: &Place) -> Result<Vec<Update>, Status> {
        let node = spec.models.check(place).map_err(|error| refusal::get_path(&error))?;
        if self.kind == DataType::All && node.state_below {
            return Err(Status::unimplemented(format!(
                "{place} can hold state, which is not passed through from devices yet; ask for type CONFIG"
            )));
        }
        let visible = self.view.visible(&spec.name);
        let found = spec.models.get(&visible, place, self.form);
        let found = found.map_err(|error| refusal::get_path(&error))?;
        let ietf = self.form == Form::Ietf;
        Ok(found.into_iter().map(|(at, json)| self.update(&at, value::json(&json, ietf))).collect())
    }

    /// The path of an update continues the prefix.
    fn update(&self, at: &Place, value: lockstep_gnmi::proto::gnmi::TypedValue) -> Update {
        let above = self.prefix.map_or(0, |prefix| prefix.elem.len());
        let below = at.elements().iter().skip(above).cloned().collect();
        Update { path: Some(paths::write(&below)), val: Some(value), ..Update::default() }
    }

    /// The prefix is given back with the concrete target, where the request had one.
    fn notification(&self, spec: &TargetSpec, path: &Path, update: Vec<Update>) -> Notification {
        let timestamp = i64::try_from(self.node.now().get()).unwrap_or(i64::MAX);
        let mut prefix = self.prefix.cloned().unwrap_or_default();
        if !prefix.target.is_empty() || !path.target.is_empty() {
            prefix.target = spec.name.to_string();
        }
        Notification { timestamp, prefix: Some(prefix), update, ..Notification::default() }
    }
}
