//! Set: all of it or nothing.

use lockstep_gnmi::extension::{self, Arbitration};
use lockstep_gnmi::proto::gnmi::{SetRequest, SetResponse};
use lockstep_gnmi::set::{self, Kind as Does};
use lockstep_gnmi::value::Form;
use lockstep_types::{Configuration, Delta, Edit, Path};
use lockstep_yang::{Data, DataForm, ModelSet, Operation};
use tonic::Status;

use super::{extensions, refusal, request};
use crate::Faults;
use crate::device::{Device, entry};
use crate::journal::{self, Entry, Kind};

/// Carries out a Set, and writes it down. No other Set may be under way on this device.
pub(super) fn answer(
    device: &Device,
    boot: u64,
    request: &SetRequest,
) -> Result<SetResponse, Status> {
    let client = extension::arbitration(&request.extension);
    let (before, faults) = {
        let state = device.state();
        state.alive(boot)?;
        (state.configuration.clone(), state.faults.clone())
    };
    let mut touched = Vec::new();
    let admitted = admit(device, request, client.as_ref());
    let after =
        admitted.and_then(|()| change(device.models(), &faults, &before, request, &mut touched));

    let mut state = device.state();
    state.alive(boot)?;
    let answer = after.map(|after| {
        state.configuration = after;
        set::response(request, journal::now())
    });
    let empty =
        request.delete.is_empty() && request.replace.is_empty() && request.update.is_empty();
    let kind = if empty { Kind::Claim } else { Kind::Set };
    state.note(Entry { paths: touched, ..entry(kind, client.unwrap_or_default()) }, &answer);
    answer
}

/// Whether the client may write at all. Its election id counts from here on, whatever follows.
fn admit(
    device: &Device,
    request: &SetRequest,
    client: Result<&Option<Arbitration>, &extension::Error>,
) -> Result<(), Status> {
    let client = client.map_err(refusal::extension)?;
    extensions::in_set(&request.extension)?;
    device.state().arbitrate(client.as_ref())
}

/// What the device would hold after this Set. Puts the paths it touches into `touched`.
fn change(
    models: &ModelSet,
    faults: &Faults,
    before: &Configuration,
    request: &SetRequest,
    touched: &mut Vec<Path>,
) -> Result<Configuration, Status> {
    let operations = operations(models, request)?;
    let edit = models.edit_onto(before, &operations).map_err(|error| refusal::edit(&error))?;
    let delta = edit.onto(before);
    // A clear that meets nothing touches its path all the same.
    touched.extend(delta.paths().chain(&edit.clear).cloned());
    faults.check(touched.iter())?;
    if delta.is_empty() {
        return Ok(before.clone());
    }
    let mut after = before.clone();
    after.apply_values(&delta);
    match models.validate(&after).as_slice() {
        [] => Ok(after),
        violations => Err(refusal::invalid(violations)),
    }
}

fn operations(models: &ModelSet, request: &SetRequest) -> Result<Vec<Operation>, Status> {
    let operations = set::read(request).map_err(|error| refusal::unreadable(&error))?;
    request::check_targets(operations.iter().map(|one| one.target.as_ref()))?;
    operations
        .into_iter()
        .map(|one| {
            request::check_origin(models, one.origin.as_deref())?;
            operation(one)
        })
        .collect()
}

fn operation(one: set::Operation) -> Result<Operation, Status> {
    match (one.kind, one.data) {
        (Does::Delete, _) => Ok(Operation::Delete(one.path)),
        (Does::Replace, Some(data)) => Ok(Operation::Replace(one.path, self::data(data))),
        (Does::Update, Some(data)) => Ok(Operation::Update(one.path, self::data(data))),
        (Does::Replace | Does::Update, None) => {
            Err(Status::invalid_argument(format!("{}, {}: there is no value", one.place, one.path)))
        }
    }
}

fn data((form, json): (Form, serde_json::Value)) -> Data {
    let form = match form {
        Form::Json => DataForm::Json,
        Form::Ietf => DataForm::Ietf,
        Form::Scalar => DataForm::Scalar,
    };
    Data { form, json }
}
