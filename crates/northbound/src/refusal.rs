//! The one table from what went wrong before Submit to a gRPC code.

use lockstep_protocol::Refusal;
use lockstep_types::Target;
use lockstep_yang::{EditError, PathError};
use prost_types::Duration;
use tonic::{Code, Status};

/// A request that the core turned down.
pub(crate) fn refused(refusal: &Refusal) -> Status {
    let code = match refusal {
        Refusal::NoTarget => Code::InvalidArgument,
        Refusal::UnknownTarget(_) | Refusal::UnknownTransaction(_) => Code::NotFound,
        Refusal::NotConnected(_) | Refusal::NeverMet { .. } | Refusal::Paused(_) => {
            Code::Unavailable
        }
        Refusal::TooManyOpen(_) => Code::ResourceExhausted,
        Refusal::TooManyTargets(_) => Code::InvalidArgument,
        Refusal::BeingWritten(_) => Code::Unavailable,
        Refusal::IdTaken(_) | Refusal::IdPending => Code::AlreadyExists,
        Refusal::NotAChange(_) | Refusal::NotConcerned { .. } | Refusal::Finished { .. } => {
            Code::FailedPrecondition
        }
    };
    Status::new(code, refusal.to_string())
}

/// A Rollback that the core turned down: whatever is wrong, it cannot be rolled back.
pub(crate) fn not_rolled_back(refusal: &Refusal) -> Status {
    match refusal {
        Refusal::UnknownTransaction(_) => Status::failed_precondition(refusal.to_string()),
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
pub(crate) fn edit(target: &Target, error: &EditError) -> Status {
    let code = match error {
        EditError::Path(PathError::Unknown { .. }) => Code::NotFound,
        _ => Code::InvalidArgument,
    };
    Status::new(code, format!("target {target}: {error}"))
}

/// How long, as it came over the wire.
pub(crate) fn duration(given: Option<&Duration>) -> Result<Option<std::time::Duration>, Status> {
    let Some(given) = given else { return Ok(None) };
    match std::time::Duration::try_from(*given) {
        Ok(duration) if !duration.is_zero() => Ok(Some(duration)),
        _ => Err(Status::invalid_argument("deadline must be a time to come: more than nothing")),
    }
}
