//! Why a model set, a path or a value is refused.
//!
//! | error | answer to a client |
//! |---|---|
//! | [`PathError::Unknown`] | NOT_FOUND to a Set, INVALID_ARGUMENT to a Get |
//! | every other [`PathError`], every [`DataError`] | INVALID_ARGUMENT |

mod data;
mod load;
mod path;

pub use data::{DataError, Shape};
pub use load::{Fault, LoadError};
pub use path::PathError;

/// Why operations are refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The path of an operation.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The value of an operation.
    #[error(transparent)]
    Data(DataError),
}

/// A path that is refused is that, also when it was found while data was read.
impl From<DataError> for EditError {
    fn from(error: DataError) -> Self {
        match error {
            DataError::Path(error) => Self::Path(error),
            error => Self::Data(error),
        }
    }
}
