//! Get: what stands, from the configuration.

use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::{self, Encoding, GetRequest, GetResponse, Notification, Update};
use lockstep_gnmi::{path, value};
use lockstep_types::{Configuration, Path};
use lockstep_yang::{Form, ModelSet};
use serde_json::{Value, json};
use tonic::Status;

use super::{extensions, refusal, request};
use crate::device::{Device, entry};
use crate::journal::{self, Entry, Kind};

/// Answers a Get, and writes it down.
pub(super) fn answer(
    device: &Device,
    boot: u64,
    request: &GetRequest,
) -> Result<GetResponse, Status> {
    let tree = {
        let state = device.state();
        state.alive(boot)?;
        state.configuration.clone()
    };
    let mut asked = Vec::new();
    let answer = read(device.models(), &tree, request, &mut asked);
    let mut state = device.state();
    state.alive(boot)?;
    state.note(Entry { paths: asked, ..entry(Kind::Get, None) }, &answer);
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
    check_kind(request)?;
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
        let found = data(models, tree, &path, form)?;
        notification.push(notify(prefix, wire, found, form)?);
    }
    Ok(GetResponse { notification, ..GetResponse::default() })
}

fn data(
    models: &ModelSet,
    tree: &Configuration,
    path: &Path,
    form: Form,
) -> Result<Vec<(Path, Value)>, Status> {
    let found = models.get(tree, path, form).map_err(|error| refusal::get(&error))?;
    match found.is_empty() {
        false => Ok(found),
        // Everything there is may be nothing.
        true if path.is_root() => Ok(vec![(Path::root(), json!({}))]),
        true => Err(Status::not_found(format!("{path}: there is no data"))),
    }
}

/// The values as they were asked for: below the prefix where that names all of them, otherwise with
/// whole paths.
fn notify(
    prefix: Option<&gnmi::Path>,
    asked: &gnmi::Path,
    found: Vec<(Path, Value)>,
    form: Form,
) -> Result<Notification, Status> {
    let above = match prefix {
        Some(prefix) => path::read(None, prefix).map_err(|error| refusal::path(&error))?,
        None => Path::root(),
    };
    let below = found.iter().all(|(path, _)| above.is_prefix_of(path));
    let update = found.into_iter().map(|(full, json)| {
        let shown = if below { full.strip_prefix(&above).unwrap_or(full) } else { full };
        let path = gnmi::Path { origin: asked.origin.clone(), ..path::write(&shown) };
        let val = Some(value::json(&json, matches!(form, Form::Ietf)));
        Update { path: Some(path), val, ..Update::default() }
    });
    let update = update.collect();
    let prefix = prefix.cloned().map(|prefix| match below {
        true => prefix,
        false => gnmi::Path { elem: Vec::new(), element: Vec::new(), ..prefix },
    });
    Ok(Notification { timestamp: journal::now(), prefix, update, ..Notification::default() })
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

/// There is no state here, only configuration.
fn check_kind(request: &GetRequest) -> Result<(), Status> {
    if !request.use_models.is_empty() {
        return Err(Status::unimplemented("this device cannot limit a Get to some models"));
    }
    match DataType::try_from(request.r#type) {
        Ok(DataType::All | DataType::Config) => Ok(()),
        Ok(other @ (DataType::State | DataType::Operational)) => Err(Status::unimplemented(
            format!("this device has no {} data; use CONFIG", other.as_str_name()),
        )),
        Err(_) => {
            Err(Status::invalid_argument(format!("there is no data type {}", request.r#type)))
        }
    }
}
