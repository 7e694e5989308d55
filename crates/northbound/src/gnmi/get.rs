//! Get: the visible configuration, and the device's own word on its state.

mod found;

use std::sync::Arc;

use futures_util::future::join_all;
use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::{GetRequest, GetResponse, Notification, Path};
use lockstep_gnmi::{extension, path as paths};
use lockstep_node::{Handle, LookError, TargetSpec};
use lockstep_protocol::View;
use lockstep_types::{Configuration, Path as Place, Target};
use lockstep_yang::Show;
use tonic::{Code, Status};

use super::encoding::Encoding;
use super::{Service, place};
use crate::access::Right;
use crate::guard::Call;
use crate::veil::Veil;
use crate::workers::{FEW, Workers};
use crate::{answers, refusal};
use found::Found;

/// A few units are little as long as a condition that decides on a default among them has no more than so many to look at,
const SMALL: usize = 4096;
/// and no more than so many paths are asked for.
const PATHS: usize = 8;

/// Where the work for an answer is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// Here, if it is little: one of a few answers.
    Alone,
    /// Aside: one of many, which together are not little.
    OfMany,
}

/// What is asked of every path alike.
struct Question {
    call: Call,
    node: Handle,
    workers: Workers,
    view: Arc<View>,
    prefix: Option<Path>,
    show: Show,
    encoding: Encoding,
    kind: DataType,
    turn: Turn,
}

pub(super) async fn get(
    service: &Service,
    call: Call,
    request: GetRequest,
) -> Result<GetResponse, Status> {
    call.somewhere(Right::Read)?;
    place::few("a Get", "paths", request.path.len())?;
    let (encoding, kind) = (Encoding::read(request.encoding)?, kind(request.r#type)?);
    let modules = request.use_models.iter().map(|model| model.name.clone()).collect();
    let depth = place::depth(&request.extension);
    let show = Show { form: encoding.form(), depth, modules, defaults: true };
    extension::refuse_history(&request.extension).map_err(|e| refusal::extension(&e))?;
    // No path at all asks for everything of the prefix.
    let whole = [Path::default()];
    let asked = if request.path.is_empty() { &whole } else { request.path.as_slice() };
    let view = service.fresh.view(&call).await?;
    let question = Arc::new(Question {
        call,
        node: service.node.clone(),
        workers: service.workers.clone(),
        view,
        prefix: request.prefix,
        show,
        encoding,
        kind,
        turn: if asked.len() <= PATHS { Turn::Alone } else { Turn::OfMany },
    });
    let mut answer = GetResponse::default();
    let mut size = answers::Size::up_to(service.message);
    for path in asked {
        let found = question.answer(path).await?;
        size.grow(&found)?;
        answer.notification.extend(found);
    }
    Ok(answer)
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
        self.call.target(Right::Read, &self.node, &name)?;
        let spec = place::target(&self.node, &name)?;
        let (found, veil) = self.find(&spec, origin.as_deref(), &place, self.turn).await?;
        if found.is_empty() {
            return Err(Status::not_found(format!("target {name} has no data at {place}")));
        }
        Ok(vec![self.notification(&spec, path, (found, veil), self.turn).await?])
    }

    /// One answer for each target that has something there, and a refusal only if none has. Devices are
    /// asked at the same time.
    async fn of_every_target(
        self: &Arc<Self>,
        place: &Place,
        origin: Option<&str>,
        path: &Path,
    ) -> Result<Vec<Notification>, Status> {
        let mut notifications = Vec::new();
        let mut refused = None;
        let seen = |spec: &Arc<TargetSpec>| {
            !self.call.extent(Right::Read, &self.node, &spec.name).is_nowhere()
        };
        let targets: Vec<_> = self.node.targets().into_iter().filter(seen).collect();
        let turn = Turn::OfMany;
        let each =
            targets.iter().map(async |spec| (spec, self.find(spec, origin, place, turn).await));
        for (spec, found) in join_all(each).await {
            match found {
                Ok((found, _)) if found.is_empty() => {
                    refused = Some(Status::not_found(format!("no target has data at {place}")));
                }
                Ok(found) => notifications.push(self.notification(spec, path, found, turn).await?),
                // A path that one target's models lack may well be in another's, and so may a right.
                Err(status) if is_elsewhere(status.code()) => {
                    refused.get_or_insert(status);
                }
                Err(status) => return Err(status),
            }
        }
        match refused {
            Some(refused) if notifications.is_empty() => Err(refused),
            None if notifications.is_empty() => Err(Status::not_found("there is no target")),
            _ => Ok(notifications),
        }
    }

    /// What is there for these eyes, and what keeps the rest from them.
    async fn find(
        self: &Arc<Self>,
        spec: &Arc<TargetSpec>,
        origin: Option<&str>,
        place: &Place,
        turn: Turn,
    ) -> Result<(Found, Veil), Status> {
        let place = place::in_origin(spec, origin, place.clone())?;
        let (question, there, at) = (Arc::clone(self), Arc::clone(spec), place.clone());
        // Looked at here only if the work may be done here.
        let tree = (turn == Turn::Alone).then(|| self.view.visible(&spec.name));
        let little = tree.as_ref().is_some_and(|tree| is_little(tree, &place));
        let wanted = move || question.wanted(&there, &at, tree);
        let (found, has_state) = self.workers.run_or(little, wanted).await?;
        let found = match self.kind == DataType::Config || !has_state {
            true => found,
            false => found.with_state(self, spec, &place).await?,
        };
        let veil = self.call.veil(&self.node, &spec.name);
        if veil.is_open() {
            return Ok((found, veil));
        }
        let (models, little) = (spec.models.clone(), turn == Turn::Alone && found.is_little());
        self.workers.run_or(little, move || Ok((found.veiled(&models, &veil), veil))).await
    }

    /// What is wanted of a target at a place, and whether its device can add to that.
    fn wanted(
        &self,
        spec: &TargetSpec,
        place: &Place,
        tree: Option<Configuration>,
    ) -> Result<(Found, bool), Status> {
        let located = spec.models.locate(place).map_err(|error| refusal::get_path(&error))?;
        place::modules(spec, &self.show.modules)?;
        let extent = self.call.target(Right::Read, &self.node, &spec.name)?;
        place::within(&self.call, &extent, spec, located.path())?;
        let found = match self.kind {
            DataType::Config | DataType::All => {
                let tree = tree.unwrap_or_else(|| self.view.visible(&spec.name));
                Found::of(self, spec, &tree, &located)?
            }
            DataType::State | DataType::Operational => Found::nothing(self.encoding),
        };
        Ok((found, spec.models.node(&located).state_below))
    }

    /// The prefix is given back with the concrete target.
    async fn notification(
        self: &Arc<Self>,
        spec: &Arc<TargetSpec>,
        path: &Path,
        (found, veil): (Found, Veil),
        turn: Turn,
    ) -> Result<Notification, Status> {
        let (question, spec, origin) = (Arc::clone(self), Arc::clone(spec), path.origin.clone());
        let timestamp = i64::try_from(self.node.now().get()).unwrap_or(i64::MAX);
        let little = turn == Turn::Alone && found.is_little();
        let work = move || {
            let target = spec.name.as_str().to_owned();
            let prefix = Path { target, ..question.prefix.clone().unwrap_or_default() };
            let values = found.into_values(&spec.models, question.encoding, &veil);
            let told = lockstep_gnmi::get::told(Some(&prefix), &origin, values, &[], timestamp);
            told.map_err(|error| refusal::path(&error))
        };
        self.workers.run_or(little, work).await
    }
}

/// Whether there is so little at a place that it is done sooner than it is handed to another thread.
fn is_little(tree: &Configuration, place: &Place) -> bool {
    tree.len() <= SMALL && tree.under(place).take(FEW + 1).count() <= FEW
}

/// What one target says of a path need not hold for another.
fn is_elsewhere(code: Code) -> bool {
    matches!(code, Code::InvalidArgument | Code::PermissionDenied)
}

/// A device that cannot be asked is not there for this purpose.
pub(super) fn unasked(target: &Target, error: &LookError) -> Status {
    Status::unavailable(format!(
        "target {target} cannot be asked for its state: {error}; configuration alone needs no device: \
         ask for type CONFIG, or subscribe with the config-subscription extension"
    ))
}
