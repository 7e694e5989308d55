//! Errors as gRPC statuses: the one table of this crate.

use lockstep_gnmi::{extension, path, set};
use lockstep_yang::{DataError, EditError, PathError, Violation};
use tonic::{Code, Status};

/// A Set that cannot be read.
pub(super) fn unreadable(error: &set::Error) -> Status {
    Status::new(error.code(), error.to_string())
}

/// An extension that cannot be read.
pub(super) fn extension(error: &extension::Error) -> Status {
    Status::new(error.code(), error.to_string())
}

/// A path that cannot be read.
pub(super) fn path(error: &path::Error) -> Status {
    Status::new(error.code(), error.to_string())
}

/// A Get of what the models do not have, or that names it wrongly.
pub(super) fn get(error: &PathError) -> Status {
    let code = match error {
        PathError::Unsupported { .. } => Code::Unimplemented,
        _ => Code::InvalidArgument,
    };
    Status::new(code, error.to_string())
}

/// A Set of what the models do not have, or of values they do not allow.
pub(super) fn edit(error: &EditError) -> Status {
    let code = match error {
        EditError::Path(PathError::Unknown { .. }) => Code::NotFound,
        EditError::Path(PathError::Unsupported { .. })
        | EditError::Data(DataError::Unsupported { .. }) => Code::Unimplemented,
        EditError::Path(_) | EditError::Data(_) => Code::InvalidArgument,
    };
    Status::new(code, error.to_string())
}

/// A configuration that breaks the models, with all that is wrong with it.
pub(super) fn invalid(violations: &[Violation]) -> Status {
    let each = violations.iter().map(|one| match one.path.is_root() {
        true => one.message.clone(),
        false => format!("{}: {}", one.path, one.message),
    });
    Status::invalid_argument(each.collect::<Vec<_>>().join("; "))
}
