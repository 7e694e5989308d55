//! A device's whole configuration: how it is asked for, and what the answer comes to.

use lockstep_gnmi::path;
use lockstep_gnmi::proto::gnmi::{
    self, GetRequest, GetResponse, Notification, Update, get_request,
};
use lockstep_gnmi::value::{self, Form};
use lockstep_protocol::record::Failure;
use lockstep_types::{Configuration, Content, Path, Unit};
use lockstep_yang::{Data, DataError, DataForm, ModelSet, PathError, Read};
use tonic::{Code, Status};

use super::{Encoding, answer};
use crate::{Look, Report, Seen};

/// How many names of what lies outside the models are logged.
const NAMED: usize = 5;

/// A Get of everything that is configured at and below a path.
pub(super) fn request(path: &Path, origin: Option<&str>, encoding: Encoding) -> GetRequest {
    let origin = origin.unwrap_or_default().to_owned();
    let path = gnmi::Path { origin, ..path::write(path) };
    GetRequest {
        path: vec![path],
        r#type: get_request::DataType::Config.into(),
        encoding: self::encoding(encoding).into(),
        ..GetRequest::default()
    }
}

/// The same of everything, for devices that do not tell configuration from state.
pub(super) fn of_all(get: GetRequest) -> GetRequest {
    GetRequest { r#type: get_request::DataType::All.into(), ..get }
}

/// On the wire.
pub(super) fn encoding(encoding: Encoding) -> gnmi::Encoding {
    match encoding {
        Encoding::Json => gnmi::Encoding::Json,
        Encoding::JsonIetf => gnmi::Encoding::JsonIetf,
    }
}

/// A Get of what the device reports of itself at and below a path.
pub(super) fn look(look: &Look, origin: Option<&str>) -> GetRequest {
    let encoding = if look.ietf { Encoding::JsonIetf } else { Encoding::Json };
    let kind = match look.seen {
        Seen::Config => get_request::DataType::Config,
        Seen::State => get_request::DataType::State,
        Seen::Operational => get_request::DataType::Operational,
    };
    GetRequest { r#type: kind.into(), ..request(&look.path, origin, encoding) }
}

/// The values of an answer as they are.
pub(super) fn reports(response: &GetResponse) -> Result<Vec<Report>, Failure> {
    let each = response.notification.iter().map(values);
    let each: Vec<Vec<Report>> = each.collect::<Result<_, _>>()?;
    Ok(each.concat())
}

/// The values of one notification as they are.
pub(super) fn values(notification: &Notification) -> Result<Vec<Report>, Failure> {
    let updates = notification.update.iter().map(|update| report(notification, update));
    updates.collect::<Result<_, _>>().map_err(unreadable)
}

fn report(notification: &Notification, update: &Update) -> Result<Report, String> {
    let at = place(notification, update)?;
    let (_, json) = value(update).map_err(|error| format!("{at}: {error}"))?;
    Ok((at, json))
}

fn place(notification: &Notification, update: &Update) -> Result<Path, String> {
    let root = gnmi::Path::default();
    path::read(notification.prefix.as_ref(), update.path.as_ref().unwrap_or(&root))
        .map_err(|error| error.to_string())
}

/// Whether a device says that it has no data there: what is asked for is in the models, so NOT_FOUND
/// can only mean that.
pub(super) fn is_empty(status: &Status) -> bool {
    status.code() == Code::NotFound && !answer::is_from_connection(status)
}

/// The units that a device reported, within the models.
pub(super) fn units(models: &ModelSet, response: &GetResponse) -> Result<Configuration, Failure> {
    notified(models, &response.notification)
}

/// The units in these notifications, within the models.
pub(super) fn notified(
    models: &ModelSet,
    notifications: &[Notification],
) -> Result<Configuration, Failure> {
    let mut all = Configuration::new();
    let mut outside = Vec::new();
    for notification in notifications {
        for update in &notification.update {
            let read = read(models, notification, update).map_err(unreadable)?;
            merge(&mut all, &read.units);
            outside.extend(read.outside);
        }
    }
    if !outside.is_empty() {
        let some = outside.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        let count = outside.len();
        tracing::debug!(count, "the device holds what is not in the models: {some}");
    }
    Ok(all)
}

fn read(models: &ModelSet, notification: &Notification, update: &Update) -> Result<Read, String> {
    let at = place(notification, update)?;
    // What is left out anyway may be encoded in any way.
    match models.check(&at) {
        Ok(node) if !node.config => return Ok(Read::default()),
        Ok(_) => {}
        Err(error) => return Ok(outside(&error)),
    }
    let (form, json) = value(update).map_err(|error| format!("{at}: {error}"))?;
    let form = match form {
        Form::Json => DataForm::Json,
        Form::Ietf => DataForm::Ietf,
        Form::Scalar => DataForm::Scalar,
    };
    match models.read(&at, &Data { form, json }) {
        Err(DataError::Path(error)) => Ok(outside(&error)),
        read => read.map_err(|error| error.to_string()),
    }
}

fn outside(error: &PathError) -> Read {
    Read { outside: vec![error.to_string()], ..Read::default() }
}

/// The value in either of its two places on the wire.
fn value(update: &Update) -> Result<(Form, serde_json::Value), value::Error> {
    #[allow(deprecated, reason = "what an old device says has to be heard")]
    match (&update.val, &update.value) {
        (None, Some(old)) => value::read_old(old),
        (Some(value), _) => value::read(value),
        (None, None) => Err(value::Error::Empty),
    }
}

/// A device may report a list in pieces, each with the order of its own entries.
fn merge(all: &mut Configuration, units: &Configuration) {
    for (path, content) in units.iter() {
        let content = match (all.get(path), content) {
            (Some(Content::Order(before)), Content::Order(more)) => {
                let new = more.iter().filter(|keys| !before.contains(keys));
                Content::Order(before.iter().chain(new).cloned().collect())
            }
            _ => content.clone(),
        };
        all.assign(Path::clone(path), Unit { content: Some(content), ..Unit::NEVER });
    }
}

pub(super) fn unreadable(reason: String) -> Failure {
    let message = format!("what the device reports cannot be read: {reason}");
    Failure { code: "INTERNAL".to_owned(), message }
}
