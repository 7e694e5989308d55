//! Get: the visible configuration, and the device's own word on its state.

mod found;

use std::sync::Arc;

use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::{Encoding, GetRequest, GetResponse, Notification, Path};
use lockstep_gnmi::proto::gnmi_ext::Extension;
use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
use lockstep_gnmi::{extension, path as paths};
use lockstep_node::{Handle, TargetSpec};
use lockstep_protocol::View;
use lockstep_types::Path as Place;
use lockstep_yang::{Form, Show};
use tonic::{Code, Status};

use super::{Service, place};
use crate::refusal;
use crate::workers::Workers;
use found::Found;

/// What is asked of every path alike.
struct Question {
    node: Handle,
    workers: Workers,
    view: Arc<View>,
    prefix: Option<Path>,
    show: Show,
    kind: DataType,
}

pub(super) async fn get(service: &Service, request: GetRequest) -> Result<GetResponse, Status> {
    let (form, kind) = (form(request.encoding)?, kind(request.r#type)?);
    let modules = request.use_models.iter().map(|model| model.name.clone()).collect();
    let show = Show { form, depth: depth(&request.extension), modules, defaults: true };
    extension::refuse_foreign(&request.extension).map_err(|e| refusal::extension(&e))?;
    // No path at all asks for everything of the prefix.
    let whole = [Path::default()];
    let asked = if request.path.is_empty() { &whole } else { request.path.as_slice() };
    let question = Arc::new(Question {
        node: service.node.clone(),
        workers: service.workers.clone(),
        view: service.node.view(),
        prefix: request.prefix,
        show,
        kind,
    });
    let mut notification = Vec::new();
    for path in asked {
        notification.extend(question.answer(path).await?);
    }
    Ok(GetResponse { notification, ..GetResponse::default() })
}

/// How many levels are asked for; 0: all.
fn depth(extensions: &[Extension]) -> usize {
    let level = extensions.iter().find_map(|extension| match &extension.ext {
        Some(Ext::Depth(depth)) => Some(depth.level),
        _ => None,
    });
    level.map_or(0, |level| usize::try_from(level).unwrap_or(usize::MAX))
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
    let unknown = |_| Status::invalid_argument(format!("there is no data type {kind}"));
    DataType::try_from(kind).map_err(unknown)
}

impl Question {
    async fn answer(self: &Arc<Self>, path: &Path) -> Result<Vec<Notification>, Status> {
        let prefix = self.prefix.as_ref();
        let name = paths::target(prefix, path).map_err(|error| refusal::path(&error))?;
        let name = name.ok_or_else(place::no_target)?;
        let place = paths::read(prefix, path).map_err(|error| refusal::path(&error))?;
        let origin = paths::origin(prefix, path).map_err(|error| refusal::path(&error))?;
        if name.as_str() == "*" {
            return self.of_every_target(&place, origin.as_deref(), path).await;
        }
        let spec = place::target(&self.node, &name)?;
        place::origin(spec, origin.as_deref())?;
        let found = self.find(spec, &place).await?;
        if found.is_empty() {
            return Err(Status::not_found(format!("target {name} has no data at {place}")));
        }
        Ok(vec![self.notification(spec, path, found).await?])
    }

    /// One answer for each target that has something there, and a refusal only if none has.
    async fn of_every_target(
        self: &Arc<Self>,
        place: &Place,
        origin: Option<&str>,
        path: &Path,
    ) -> Result<Vec<Notification>, Status> {
        let mut notifications = Vec::new();
        let mut known = false;
        for spec in self.node.targets().values() {
            if place::origin(spec, origin).is_err() {
                continue;
            }
            match self.find(spec, place).await {
                Ok(found) if found.is_empty() => known = true,
                Ok(found) => notifications.push(self.notification(spec, path, found).await?),
                // A path that one target's models lack may well be in another's.
                Err(status) if status.code() == Code::InvalidArgument => {}
                Err(status) => return Err(status),
            }
        }
        match (notifications.is_empty(), known) {
            (false, _) => Ok(notifications),
            (true, true) => Err(Status::not_found(format!("no target has data at {place}"))),
            (true, false) => Err(Status::invalid_argument(format!(
                "{place} is in the models of no target, or not under that origin"
            ))),
        }
    }

    async fn find(self: &Arc<Self>, spec: &TargetSpec, place: &Place) -> Result<Found, Status> {
        let (question, there, at) = (Arc::clone(self), spec.clone(), place.clone());
        let (found, has_state) = self.workers.run(move || question.wanted(&there, &at)).await?;
        if self.kind == DataType::Config || !has_state {
            return Ok(found);
        }
        if self.show.depth > 0 || !self.show.modules.is_empty() {
            return Err(Status::unimplemented(
                "state cannot be limited by depth or use_models yet; ask for type CONFIG",
            ));
        }
        found.with_state(self, spec, place).await
    }

    /// What is wanted of a target at a place, and whether its device can add to that.
    fn wanted(&self, spec: &TargetSpec, place: &Place) -> Result<(Found, bool), Status> {
        let node = spec.models.check(place).map_err(|error| refusal::get_path(&error))?;
        self.check_modules(spec)?;
        let mut found = Found::default();
        if matches!(self.kind, DataType::Config | DataType::All) {
            let visible = self.view.visible(&spec.name);
            let values = spec.models.get(&visible, place, self.show.clone());
            found = Found::new(values.map_err(|error| refusal::get_path(&error))?);
        }
        Ok((found, node.state_below))
    }

    /// Only modules that the target has can limit an answer.
    fn check_modules(&self, spec: &TargetSpec) -> Result<(), Status> {
        let lacks =
            |name: &&String| !spec.models.modules().iter().any(|module| module.name == **name);
        match self.show.modules.iter().find(lacks) {
            None => Ok(()),
            Some(name) => Err(Status::invalid_argument(format!(
                "use_models: target {} has no module {name}; Capabilities lists those there are",
                spec.name
            ))),
        }
    }

    /// The prefix is given back with the concrete target, where the request had one.
    async fn notification(
        self: &Arc<Self>,
        spec: &TargetSpec,
        path: &Path,
        found: Found,
    ) -> Result<Notification, Status> {
        let (question, path, target) = (Arc::clone(self), path.clone(), spec.name.to_string());
        let timestamp = i64::try_from(self.node.now().get()).unwrap_or(i64::MAX);
        let work = move || {
            let (prefix, ietf) = (question.prefix.as_ref(), question.show.form == Form::Ietf);
            let values = found.into_values();
            let told = lockstep_gnmi::get::notification(prefix, &path, values, ietf, timestamp);
            let mut told = told.map_err(|error| refusal::path(&error))?;
            told.prefix.get_or_insert_default().target = target;
            Ok(told)
        };
        self.workers.run(work).await
    }
}
