//! Configurations: each side of a target, now or as it stood, and where two of them differ.

use std::sync::Arc;

use lockstep_gnmi::proto::lockstep::v1::{
    Configuration as Asked, DiffRequest, DiffResponse, Found, GetConfigurationRequest,
    GetConfigurationResponse,
};
use lockstep_node::{Look, Seen, TargetSpec};
use lockstep_protocol::{Refusal, View};
use lockstep_types::{Configuration, Index, Path, Target, Unit};
use lockstep_yang::{Data, DataForm, Form, Show};
use serde_json::Value;
use tonic::Status;

use super::changes::Changes;
use super::log::time;
use super::{Service, target_name};
use crate::access::Right;
use crate::answers;
use crate::gnmi::place;
use crate::guard::Call;
use crate::refusal;
use crate::veil::MASK;

/// The sides of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Visible,
    Committed,
    Applied,
    Device,
}

impl Side {
    const NAMES: [(&'static str, Self); 4] = [
        ("visible", Self::Visible),
        ("committed", Self::Committed),
        ("applied", Self::Applied),
        ("device", Self::Device),
    ];

    fn read(name: &str) -> Result<Self, Status> {
        if name.is_empty() {
            return Ok(Self::Visible);
        }
        let known = Self::NAMES.iter().find(|(known, _)| *known == name);
        known.map(|(_, side)| *side).ok_or_else(|| {
            Status::invalid_argument(format!(
                "there is no side {name:?}; there are visible, committed, applied and device"
            ))
        })
    }
}

/// One configuration that was found.
struct Stood {
    spec: Arc<TargetSpec>,
    side: Side,
    tree: Configuration,
    /// The last entry that is in it; zero: not known.
    index: Index,
}

impl Service {
    /// A configuration, path by path.
    pub(super) async fn got(
        &self,
        call: &Call,
        asked: GetConfigurationRequest,
    ) -> Result<GetConfigurationResponse, Status> {
        place::few("this", "paths", asked.path.len())?;
        let (of, paths) = (asked.of.unwrap_or_default(), read_paths(&asked.path)?);
        let view = self.fresh.view(call).await?;
        let stood = self.stood(call, &view, &of).await?;
        let paths = if paths.is_empty() { vec![Path::root()] } else { paths };
        for path in &paths {
            place::readable(call, &self.node, &stood.spec, path)?;
        }
        let index = stood.index.get();
        let veil = call.veil(&self.node, &stood.spec.name);
        let show =
            Show { form: Form::Ietf, depth: 0, modules: [].into(), defaults: asked.defaults };
        let work = move || {
            let models = &stood.spec.models;
            let mask = Value::from(MASK);
            let mut found = Vec::new();
            for path in &paths {
                let values = models.get(&stood.tree, path, show.clone());
                for (at, json) in values.map_err(|error| refusal::get_path(&error))? {
                    let json = match veil.is_open() {
                        true => Some(json),
                        false => models.prune(&at, json, &mask, &|at| veil.fate(at)),
                    };
                    let shown = json.map(|json| json.to_string());
                    found.extend(shown.map(|value| Found { path: at.to_string(), value }));
                }
            }
            Ok(found)
        };
        let found = self.gnmi.workers.run(work).await?;
        answers::fitting(GetConfigurationResponse { found, index }, self.gnmi.message)
    }

    /// Where two configurations differ.
    pub(super) async fn differing(
        &self,
        call: &Call,
        asked: DiffRequest,
    ) -> Result<DiffResponse, Status> {
        place::few("this", "paths", asked.path.len())?;
        let paths = read_paths(&asked.path)?;
        let (from, to) = (asked.from.unwrap_or_default(), asked.to.unwrap_or_default());
        let view = self.fresh.view(call).await?;
        let from = self.stood(call, &view, &from).await?;
        let to = self.stood(call, &view, &to).await?;
        let mut places = Vec::new();
        for path in &paths {
            place::readable(call, &self.node, &from.spec, path)?;
            place::readable(call, &self.node, &to.spec, path)?;
            let path = to.spec.models.canonical_path(path);
            places.push(path.map_err(|error| refusal::get_path(&error))?);
        }
        // What may not be seen of one of them is not shown of either.
        let veils = [&from, &to].map(|one| call.veil(&self.node, &one.spec.name));
        let work = move || {
            let (from, to) = folded(from, to);
            let wanted = |path: &Path| places.is_empty() || places.iter().any(|at| at.covers(path));
            let [mine, other] = &veils;
            let shown = Changes { models: Some(&to.spec.models), veil: other };
            let seen = |path: &Path| wanted(path) && !hides_more(mine, other, path);
            let secrets = shown.secrets_of_both(&from.tree, &to.tree, seen);
            Ok(DiffResponse { changes: shown.between(&from.tree, &to.tree, seen), secrets })
        };
        answers::fitting(self.gnmi.workers.run(work).await?, self.gnmi.message)
    }

    /// One configuration, to whoever may read something of it.
    async fn stood(&self, call: &Call, view: &View, asked: &Asked) -> Result<Stood, Status> {
        let target = target_name(&asked.target)?;
        call.target(Right::Read, &self.node, &target)?;
        let spec = place::target(&self.node, &target)?;
        let side = Side::read(&asked.side)?;
        let header = view.header(&target);
        let past = asked.index != 0 || asked.time.is_some();
        if past && side != Side::Visible {
            return Err(Status::invalid_argument(
                "how something stood is known of the visible configuration alone; leave the index and the time \
                 out, or ask for that",
            ));
        }
        let (tree, index) = match side {
            Side::Visible if past => stood_then(view, &target, asked)?,
            Side::Visible => (view.visible(&target), header.committed.index),
            Side::Committed => (view.committed(&target), header.committed.index),
            Side::Applied => (view.applied(&target), header.applied.index),
            Side::Device => (self.on_device(&spec).await?, Index::ZERO),
        };
        Ok(Stood { spec, side, tree, index })
    }

    /// What a device says that it is configured with.
    async fn on_device(&self, spec: &Arc<TargetSpec>) -> Result<Configuration, Status> {
        let look = Look { path: Path::root(), seen: Seen::Config, ietf: true };
        let reports = self.node.look(&spec.name, look).await.map_err(|error| {
            Status::unavailable(format!("target {} cannot be read: {error}", spec.name))
        })?;
        let spec = Arc::clone(spec);
        let work = move || {
            let mut all = Configuration::new();
            for (path, json) in reports {
                let read = spec.models.read(&path, &Data { form: DataForm::Ietf, json });
                // What the models do not know is nothing that could be wanted of it.
                for (path, content) in read.unwrap_or_default().units.iter() {
                    all.assign(
                        path.clone(),
                        Unit { content: Some(content.clone()), ..Unit::NEVER },
                    );
                }
            }
            Ok(all)
        };
        self.gnmi.workers.run(work).await
    }
}

/// How a target stood after an entry of the log, or at a time.
fn stood_then(
    view: &View,
    target: &Target,
    asked: &Asked,
) -> Result<(Configuration, Index), Status> {
    let since = view.horizon().max(view.header(target).since);
    let beyond = |what: String| {
        Status::out_of_range(format!(
            "how target {target} stood {what} is not known: it is from {since} on"
        ))
    };
    match (asked.index, &asked.time) {
        (0, Some(at)) => {
            let stood = view.visible_at(target, time(at));
            let stood = stood.ok_or_else(|| beyond(format!("at {at}")))?;
            Ok((stood, Index::ZERO))
        }
        (index, None) if index > view.head().index.get() => {
            Err(refusal::refused(&Refusal::UnknownTransaction(Index::new(index))))
        }
        (index, None) => {
            let stood = view.as_of(target, Index::new(index));
            let stood = stood.ok_or_else(|| beyond(format!("after {index}")))?;
            Ok((stood, Index::new(index)))
        }
        (_, Some(_)) => {
            Err(Status::invalid_argument("give an index or a time, not both: they say the same"))
        }
    }
}

/// What a device shows by default is no difference from what Lockstep wants of it.
fn folded(mut from: Stood, mut to: Stood) -> (Stood, Stood) {
    match (from.side, to.side) {
        (Side::Device, Side::Device) => {}
        (Side::Device, _) => from.tree = to.spec.models.fold(&from.tree, &to.tree),
        (_, Side::Device) => to.tree = from.spec.models.fold(&to.tree, &from.tree),
        _ => {}
    }
    (from, to)
}

/// Whether one veil hides what the other shows.
fn hides_more(mine: &crate::veil::Veil, other: &crate::veil::Veil, path: &Path) -> bool {
    mine.fate(path) != other.fate(path)
}

pub(super) fn read_paths(given: &[String]) -> Result<Vec<Path>, Status> {
    let read = |text: &String| {
        text.parse().map_err(|error: lockstep_types::path::Error| {
            Status::invalid_argument(format!("{text:?} is no path: {error}"))
        })
    };
    given.iter().map(read).collect()
}
