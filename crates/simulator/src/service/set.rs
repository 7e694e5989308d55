//! Set: all of it or nothing.

use lockstep_gnmi::extension;
use lockstep_gnmi::proto::gnmi::{SetRequest, SetResponse};
use lockstep_gnmi::set::{self, Kind as Does};
use lockstep_gnmi::value::Form;
use lockstep_types::{Configuration, Path};
use lockstep_yang::{Data, DataForm, ModelSet, Operation};
use tonic::Status;

use super::commit::{self, Action};
use super::{asked, extensions, refusal, request};
use crate::device::{Device, State};
use crate::edit;
use crate::faults::{Acting, Feature};
use crate::journal::{self, Entry, Kind, Told};

/// A Set to be carried out, and what is wrong with the device meanwhile.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) request: SetRequest,
    pub(super) acting: Acting,
    /// What it touches, if a fault acts on it.
    pub(super) paths: Vec<Path>,
    pub(super) arrived: i64,
    /// It hung before.
    pub(super) late: bool,
}

/// A Set that was understood.
struct Wanted {
    commit: Option<(String, Action)>,
    after: Configuration,
}

impl Job {
    /// What is known of it before it is worked on.
    pub(super) fn entry(&self) -> Entry {
        let client = extension::arbitration(&self.request.extension).ok().flatten();
        let commit = commit::read(&self.request.extension).ok().flatten();
        Entry {
            arrived: self.arrived,
            election: client.as_ref().map(|client| client.election),
            role: client.map(|client| client.role).unwrap_or_default(),
            paths: self.paths.clone(),
            commit: commit.map(|(id, _)| id).unwrap_or_default(),
            late: self.late,
            faults: self.acting.names.iter().map(ToString::to_string).collect(),
            told: self.told(),
            ..Entry::new(asked::kind(&self.request))
        }
    }

    /// What the client hears if it is done.
    fn told(&self) -> Told {
        match &self.acting.refuse {
            _ if self.acting.cut.is_some() || self.late => Told::Nothing,
            Some(status) if self.acting.lies => {
                Told::Error { code: status.code(), message: status.message().to_owned() }
            }
            _ => Told::Effect,
        }
    }
}

/// Carries out a Set, and writes it down. No other Set may be under way on this device.
pub(super) fn answer(device: &Device, boot: u64, job: &Job) -> Result<SetResponse, Status> {
    let before = {
        let state = device.state();
        state.alive(boot)?;
        state.configuration.clone()
    };
    let mut touched = Vec::new();
    let wanted = admit(device, job).and_then(|commit| {
        let after = change(device.models(), &job.acting, &before, &job.request, &mut touched)?;
        Ok(Wanted { commit, after })
    });
    let mut state = device.state();
    state.alive(boot)?;
    let done = wanted.map(|wanted| carry_out(device, &mut state, wanted, before));
    let mut entry = job.entry();
    if !touched.is_empty() {
        entry.paths = touched;
    }
    if done.is_err() && entry.told != Told::Nothing {
        // It is no lie any more.
        entry.told = Told::Effect;
    }
    state.note(entry, &done);
    done?;
    match &job.acting.refuse {
        Some(status) if job.acting.lies => Err(status.clone()),
        _ => Ok(set::response(&job.request, journal::now())),
    }
}

/// Whether the client may write at all, and what it wants of commit-confirmed. Its election id counts
/// from here on, whatever follows.
fn admit(device: &Device, job: &Job) -> Result<Option<(String, Action)>, Status> {
    let Job { request, acting, .. } = job;
    if let Some(status) = &acting.lacks {
        return Err(status.clone());
    }
    let client = extension::arbitration(&request.extension);
    let client = client.map_err(|error| refusal::extension(&error))?;
    extensions::in_set(&request.extension)?;
    let commit = match acting.ignores(Feature::Commit) {
        true => None,
        false => commit::read(&request.extension)?,
    };
    let mut state = device.state();
    if !acting.ignores(Feature::Arbitration) {
        state.arbitrate(client.as_ref())?;
    }
    let changes = asked::kind(request) == Kind::Set;
    match &commit {
        None if !changes => {}
        None | Some((_, Action::Begin(_))) => state.check_no_window()?,
        Some(_) if changes => {
            return Err(Status::invalid_argument(
                "a Set that confirms, cancels or extends a commit has no operations",
            ));
        }
        Some((id, _)) => state.check_window(id)?,
    }
    Ok(commit)
}

fn carry_out(device: &Device, state: &mut State, wanted: Wanted, before: Configuration) {
    let Wanted { commit, after } = wanted;
    match commit {
        Some((_, Action::Confirm)) => device.close_window(state),
        Some((_, Action::Cancel)) => {
            device.roll_back(state);
        }
        Some((_, Action::Extend(time))) => device.start_timer(state, time),
        Some((id, Action::Begin(time))) => device.open_window(state, &id, before, after, time),
        None if after.same_values(&before) => {}
        None => device.put(state, after, ""),
    }
}

/// What the device would hold after this Set. Puts the paths it touches into `touched`.
fn change(
    models: &ModelSet,
    acting: &Acting,
    before: &Configuration,
    request: &SetRequest,
    touched: &mut Vec<Path>,
) -> Result<Configuration, Status> {
    let operations = operations(models, request)?;
    let (delta, paths) =
        edit::delta(models, before, &operations).map_err(|error| refusal::edit(&error))?;
    *touched = paths;
    if let Some(status) = acting.refuse.as_ref().filter(|_| !acting.lies) {
        return Err(status.clone());
    }
    if delta.is_empty() {
        return Ok(before.clone());
    }
    let mut after = before.clone();
    after.apply_values(&delta);
    match models.validate(&after).as_slice() {
        [] => {}
        violations => return Err(refusal::invalid(violations)),
    }
    for (paths, rewrite) in &acting.rewrites {
        rewrite.apply(models, paths, &delta, before, &mut after);
    }
    Ok(after)
}

pub(super) fn operations(
    models: &ModelSet,
    request: &SetRequest,
) -> Result<Vec<Operation>, Status> {
    let operations = set::read(request).map_err(|error| refusal::unreadable(&error))?;
    request::check_targets(operations.iter().map(|one| one.target.as_ref()))?;
    operations
        .into_iter()
        .map(|one| {
            let path = request::in_origin(models, one.origin.as_deref(), one.path.clone())?;
            operation(set::Operation { path, ..one })
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
