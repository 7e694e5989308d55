//! The one table from what went wrong before Submit to a gRPC code.

use lockstep_node::Handle;
use lockstep_protocol::Refusal;
use lockstep_types::Target;
use lockstep_yang::{DataError, EditError, PathError, Violation};
use prost_types::Duration;
use tonic::{Code, Status};

use crate::guard::Call;
use crate::teller::Teller;
use crate::text;
use crate::veil::Veil;

/// What whoever asks, or listens, is told by a node that stops.
pub(crate) fn stopping() -> Status {
    Status::unavailable(lockstep_node::Busy::Stopping.to_string())
}

/// A request that the core turned down.
pub(crate) fn refused(refusal: &Refusal) -> Status {
    let code = match refusal {
        Refusal::NoTarget => Code::InvalidArgument,
        Refusal::UnknownTarget(_) | Refusal::UnknownTransaction(_) => Code::NotFound,
        Refusal::NotConnected(_)
        | Refusal::AdoptsAway(_)
        | Refusal::AdoptsPaused(_)
        | Refusal::NeverMet { .. }
        | Refusal::Paused(_)
        | Refusal::NotServed(..) => Code::Unavailable,
        Refusal::TooManyOpen(_) => Code::ResourceExhausted,
        Refusal::TooManyTargets(_) => Code::InvalidArgument,
        Refusal::BeingWritten(_) => Code::Unavailable,
        Refusal::TargetExists(_) | Refusal::IdTaken(_) | Refusal::IdPending => Code::AlreadyExists,
        Refusal::NoWindowFor => Code::InvalidArgument,
        Refusal::WindowTooWide(_) => Code::Unimplemented,
        Refusal::BeyondRetention { .. } => Code::OutOfRange,
        Refusal::NotAChange(_)
        | Refusal::NotConcerned { .. }
        | Refusal::InWindow { .. }
        | Refusal::NoWindow(_)
        | Refusal::NotOpen(_)
        | Refusal::TooLate(_)
        | Refusal::Reverts(_)
        | Refusal::Finished { .. } => Code::FailedPrecondition,
    };
    Status::new(code, format!("{refusal}{}", next(refusal)))
}

/// The same, as somebody may hear it.
pub(crate) fn told(node: &Handle, call: &Call, refusal: Refusal) -> Status {
    refused(&Teller::own(node, call, &node.view()).refusal(refusal))
}

/// When it will be otherwise, and what can be done about it.
fn next(refusal: &Refusal) -> String {
    match refusal {
        Refusal::InWindow { until: Some(until), index, .. } => {
            let until = text::time(*until);
            format!(", which ends at {until}; confirm {index} or cancel it first")
        }
        Refusal::TargetExists(target) => {
            format!("; `lockstep target set {target}` changes it")
        }
        Refusal::InWindow { until: None, .. } => ", which opens with its outcome".into(),
        Refusal::UnknownTransaction(_) => "; `lockstep tx list` has the latest".into(),
        Refusal::BeyondRetention { .. } => "; `lockstep tx list` has what is kept".into(),
        Refusal::NotAChange(of) => format!(
            "; changes, restores and drift that was adopted are rolled back, and `lockstep tx show {of}` says what it is"
        ),
        Refusal::NotConcerned { of, .. } => format!("; `lockstep tx show {of}` has its targets"),
        Refusal::NoWindow(index) => format!("; `lockstep tx show {index}` has how it stands"),
        Refusal::NotOpen(index) => format!("; `lockstep tx watch {index}` tells when it has"),
        Refusal::TooLate(index) => {
            format!("; `lockstep tx show {index}` names the transaction that takes it out")
        }
        Refusal::Reverts(index) => format!("; `lockstep tx watch {index}` tells how far it is"),
        Refusal::Finished { index, kind, status } if status.stands() && kind.writes() => {
            format!(": {}; `lockstep rollback {index}` takes it out again", status.name())
        }
        Refusal::Finished { index, status, .. } if status.stands() => {
            format!(": {}; `lockstep tx show {index}` says what it is", status.name())
        }
        Refusal::Finished { index, status, .. } => {
            format!(": {}; `lockstep tx show {index}` says why", status.name())
        }
        Refusal::NoTarget => "; name at least one, and what is to change on it".into(),
        Refusal::TooManyTargets(_) => "; ask for them in several transactions".into(),
        Refusal::IdTaken(index) => {
            format!("; give this one another id; `lockstep tx show {index}` has the other")
        }
        Refusal::IdPending => "; give this one another id".into(),
        Refusal::NoWindowFor => "; leave out `confirm`, or ask for an atomic change".into(),
        Refusal::WindowTooWide(_) => {
            "; leave out `confirm`, or ask for them in several transactions".into()
        }
        Refusal::NeverMet { target, .. } => format!(
            "; see to the device, then `lockstep target sync {target}` tries it again; queued and async, a change \
             waits for that"
        ),
        // These say it themselves.
        Refusal::UnknownTarget(_)
        | Refusal::NotConnected(_)
        | Refusal::AdoptsAway(_)
        | Refusal::AdoptsPaused(_)
        | Refusal::NotServed(..)
        | Refusal::Paused(_)
        | Refusal::TooManyOpen(_)
        | Refusal::BeingWritten(_) => String::new(),
    }
}

/// A Rollback that the core turned down: whatever is wrong, it cannot be rolled back.
pub(crate) fn not_rolled_back(refusal: &Refusal) -> Status {
    match refusal {
        Refusal::UnknownTransaction(_) => {
            Status::failed_precondition(refused(refusal).message().to_owned())
        }
        other => refused(other),
    }
}

/// A path on the wire that is none.
pub(crate) fn path(error: &lockstep_gnmi::path::Error) -> Status {
    Status::new(error.code(), error.to_string())
}

/// A Set that cannot be read.
pub(crate) fn set(error: &lockstep_gnmi::set::Error) -> Status {
    Status::new(error.code(), error.to_string())
}

/// An extension that cannot be read.
pub(crate) fn extension(error: &lockstep_gnmi::extension::Error) -> Status {
    Status::new(error.code(), error.to_string())
}

/// A path of a Get that the models do not have, or not like this.
pub(crate) fn get_path(error: &PathError) -> Status {
    Status::invalid_argument(error.to_string())
}

/// What a target's models do not allow to be asked.
pub(crate) fn edit(target: &Target, veil: &Veil, error: EditError) -> Status {
    let error = match error {
        EditError::Data(DataError::Values(values)) => {
            let told = values.into_iter().map(|value| match veil.hides(&value.path) {
                true => Violation {
                    message: veil.words(&value.path, String::new()),
                    value: None,
                    ..value
                },
                false => value,
            });
            EditError::Data(DataError::Values(told.collect()))
        }
        other => other,
    };
    let code = match &error {
        EditError::Path(PathError::Unknown { .. }) => Code::NotFound,
        _ => Code::InvalidArgument,
    };
    Status::new(code, format!("target {target}: {error}"))
}

/// How long, as it came over the wire.
pub(crate) fn duration(given: Option<&Duration>) -> Result<Option<std::time::Duration>, Status> {
    more_than_nothing("deadline", given)
}

/// How long there is to confirm a change, in nanoseconds, as it came over the wire.
pub(crate) fn window(given: Option<&Duration>) -> Result<Option<u64>, Status> {
    let given = more_than_nothing("confirm", given)?;
    Ok(given.map(|given| u64::try_from(given.as_nanos()).unwrap_or(u64::MAX)))
}

fn more_than_nothing(
    what: &str,
    given: Option<&Duration>,
) -> Result<Option<std::time::Duration>, Status> {
    let Some(given) = given else { return Ok(None) };
    match std::time::Duration::try_from(*given) {
        Ok(duration) if !duration.is_zero() => Ok(Some(duration)),
        _ => Err(Status::invalid_argument(format!(
            "{what} must be a time to come: more than nothing"
        ))),
    }
}

#[cfg(test)]
mod tests;
