//! Get: what stands, from the configuration.

mod prune;
mod state;

use std::collections::BTreeMap;

use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::{self, GetRequest, GetResponse};
use lockstep_gnmi::{get, path};
use lockstep_types::Path;
use lockstep_yang::{Form, ModelSet};
use serde_json::{Value, json};
use tonic::Status;

use super::{extensions, refusal, request};
use crate::device::Device;
use crate::faults::Acting;
use crate::journal::{self, Entry, Kind};
use crate::shown::{self, Picture};
use prune::Limits;

/// Answers a Get, and writes it down.
pub(super) fn answer(
    device: &Device,
    boot: u64,
    request: &GetRequest,
    acting: &Acting,
    arrived: i64,
) -> Result<GetResponse, Status> {
    device.state().alive(boot)?;
    let picture = device.picture();
    let mut asked = Vec::new();
    let answer = read(device.models(), &picture, request, &mut asked);
    let refused = acting.lacks.as_ref().or(acting.refuse.as_ref());
    let answer = refused.map_or(answer, |status| Err(status.clone()));
    let mut state = device.state();
    state.alive(boot)?;
    let faults = acting.names.iter().map(ToString::to_string).collect();
    state.note(Entry { paths: asked, arrived, faults, ..Entry::new(Kind::Get) }, &answer);
    answer
}

/// What is looked at, and how it is told.
struct Look<'a> {
    picture: &'a Picture,
    form: Form,
    data: DataType,
    limits: Limits<'a>,
}

/// One notification for each path. Puts the paths into `asked`.
fn read(
    models: &ModelSet,
    picture: &Picture,
    request: &GetRequest,
    asked: &mut Vec<Path>,
) -> Result<GetResponse, Status> {
    extensions::in_get(&request.extension)?;
    let depth = extensions::depth(&request.extension);
    let modules = request::modules(models, &request.use_models)?;
    let look = Look {
        picture,
        form: request::form(request.encoding)?,
        data: data_type(request)?,
        limits: Limits { models, depth, modules },
    };
    // Without any path it is the prefix that is asked for.
    let whole = [gnmi::Path::default()];
    let paths = if request.path.is_empty() { &whole[..] } else { &request.path };
    let prefix = request.prefix.as_ref();
    let mut notification = Vec::with_capacity(paths.len());
    for wire in paths {
        let origin = path::origin(prefix, wire).map_err(|error| refusal::path(&error))?;
        let path = path::read(prefix, wire).map_err(|error| refusal::path(&error))?;
        let path = request::in_origin(models, origin.as_deref(), path)?;
        asked.push(path.clone());
        let found = look.data(models, &path)?;
        let ietf = matches!(look.form, Form::Ietf);
        let told = get::notification(prefix, wire, found, ietf, journal::now());
        notification.push(told.map_err(|error| refusal::path(&error))?);
    }
    Ok(GetResponse { notification, ..GetResponse::default() })
}

impl Look<'_> {
    fn data(&self, models: &ModelSet, path: &Path) -> Result<Vec<(Path, Value)>, Status> {
        let node = models.check(path).map_err(|error| refusal::get(&error))?;
        let configured = match self.data {
            DataType::All | DataType::Config => {
                let found = models.get(&self.picture.configuration, path, self.form);
                found.map_err(|error| refusal::get(&error))?
            }
            DataType::State | DataType::Operational => Vec::new(),
        };
        let found = match self.data {
            DataType::Config => configured,
            _ if !node.state_below => configured,
            _ => self.with_state(models, path, configured)?,
        };
        let found: Vec<_> = found
            .into_iter()
            .filter_map(|(path, value)| {
                let value = self.limits.apply(&path, value)?;
                Some((path, value))
            })
            .collect();
        match found.is_empty() {
            false => Ok(found),
            // Everything there is may be nothing.
            true if path.is_root() => Ok(vec![(Path::root(), json!({}))]),
            true => Err(Status::not_found(format!("{path}: there is no data"))),
        }
    }

    fn with_state(
        &self,
        models: &ModelSet,
        path: &Path,
        configured: Vec<(Path, Value)>,
    ) -> Result<Vec<(Path, Value)>, Status> {
        let pattern = shown::canonical(models, path);
        let state = &self.picture.shown(models).state;
        let mut state = state::under(models, state, &pattern, self.form);
        let mut found = BTreeMap::new();
        for (path, value) in configured {
            let over = state.remove(&path);
            found.insert(path, (Some(value), over));
        }
        found.extend(state.into_iter().map(|(path, over)| (path, (None, Some(over)))));
        let mut all = Vec::new();
        for (path, both) in found {
            let value = match both {
                (value, None) => value,
                (value, Some(over)) => models
                    .overlay(&path, value, &over, self.form)
                    .map_err(|error| refusal::get(&error))?,
            };
            all.extend(value.map(|value| (path, value)));
        }
        Ok(all)
    }
}

fn data_type(request: &GetRequest) -> Result<DataType, Status> {
    DataType::try_from(request.r#type)
        .map_err(|_| Status::invalid_argument(format!("there is no data type {}", request.r#type)))
}
