//! Get: what stands, from the configuration.

use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::{self, Encoding, GetRequest, GetResponse};
use lockstep_gnmi::{get, path};
use lockstep_types::{Configuration, Path};
use lockstep_yang::{Form, ModelSet};
use serde_json::{Value, json};
use tonic::Status;

use super::{extensions, refusal, request};
use crate::device::Device;
use crate::faults::Acting;
use crate::journal::{self, Entry, Kind};

/// Answers a Get, and writes it down.
pub(super) fn answer(
    device: &Device,
    boot: u64,
    request: &GetRequest,
    acting: &Acting,
    arrived: i64,
) -> Result<GetResponse, Status> {
    let tree = {
        let state = device.state();
        state.alive(boot)?;
        state.configuration.clone()
    };
    let mut asked = Vec::new();
    let answer = read(device.models(), &tree, request, &mut asked);
    let refused = acting.lacks.as_ref().or(acting.refuse.as_ref());
    let answer = refused.map_or(answer, |status| Err(status.clone()));
    let mut state = device.state();
    state.alive(boot)?;
    let faults = acting.names.iter().map(ToString::to_string).collect();
    state.note(Entry { paths: asked, arrived, faults, ..Entry::new(Kind::Get) }, &answer);
    answer
}

/// One notification for each path. Puts the paths into `asked`.
fn read(
    models: &ModelSet,
    tree: &Configuration,
    request: &GetRequest,
    asked: &mut Vec<Path>,
) -> Result<GetResponse, Status> {
    extensions::in_get(&request.extension)?;
    let form = form(request)?;
    let configured = is_configuration(request)?;
    // Without any path it is the prefix that is asked for.
    let whole = [gnmi::Path::default()];
    let paths = if request.path.is_empty() { &whole[..] } else { &request.path };
    let prefix = request.prefix.as_ref();
    let mut notification = Vec::with_capacity(paths.len());
    for wire in paths {
        let origin = path::origin(prefix, wire).map_err(|error| refusal::path(&error))?;
        request::check_origin(models, origin.as_deref())?;
        let path = path::read(prefix, wire).map_err(|error| refusal::path(&error))?;
        asked.push(path.clone());
        let found = data(models, tree, &path, form, configured)?;
        let ietf = matches!(form, Form::Ietf);
        let told = get::notification(prefix, wire, found, ietf, journal::now());
        notification.push(told.map_err(|error| refusal::path(&error))?);
    }
    Ok(GetResponse { notification, ..GetResponse::default() })
}

fn data(
    models: &ModelSet,
    tree: &Configuration,
    path: &Path,
    form: Form,
    configured: bool,
) -> Result<Vec<(Path, Value)>, Status> {
    models.check(path).map_err(|error| refusal::get(&error))?;
    // No state is simulated, so there is none anywhere.
    let found = if configured { models.get(tree, path, form) } else { Ok(Vec::new()) };
    let found = found.map_err(|error| refusal::get(&error))?;
    match found.is_empty() {
        false => Ok(found),
        // Everything there is may be nothing.
        true if path.is_root() => Ok(vec![(Path::root(), json!({}))]),
        true => Err(Status::not_found(format!("{path}: there is no data"))),
    }
}

fn form(request: &GetRequest) -> Result<Form, Status> {
    match Encoding::try_from(request.encoding) {
        Ok(Encoding::Json) => Ok(Form::Json),
        Ok(Encoding::JsonIetf) => Ok(Form::Ietf),
        Ok(other) => Err(Status::unimplemented(format!(
            "this device has no encoding {}; use JSON or JSON_IETF",
            other.as_str_name()
        ))),
        Err(_) => {
            Err(Status::invalid_argument(format!("there is no encoding {}", request.encoding)))
        }
    }
}

/// Whether configuration is asked for, or state alone.
fn is_configuration(request: &GetRequest) -> Result<bool, Status> {
    if !request.use_models.is_empty() {
        return Err(Status::unimplemented("this device cannot limit a Get to some models"));
    }
    match DataType::try_from(request.r#type) {
        Ok(DataType::All | DataType::Config) => Ok(true),
        Ok(DataType::State | DataType::Operational) => Ok(false),
        Err(_) => {
            Err(Status::invalid_argument(format!("there is no data type {}", request.r#type)))
        }
    }
}
