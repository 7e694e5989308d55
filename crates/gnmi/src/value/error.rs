//! Why a value on the wire is not one.

use std::fmt;

use tonic::Code;

use super::Form;

/// What is wrong with a value on the wire.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is none.
    #[error("the value is empty")]
    Empty,
    /// An encoding that we do not speak.
    #[error("values encoded as {encoding} are not supported; send JSON, JSON_IETF or a scalar")]
    Unsupported {
        /// The field or encoding, by its name on the wire.
        encoding: &'static str,
    },
    /// An encoding that nobody speaks.
    #[error("there is no encoding number {number}")]
    Encoding {
        /// As it came.
        number: i32,
    },
    /// Text that is not JSON.
    #[error("the {form} value is not JSON: {message}")]
    Syntax {
        /// Which kind of JSON it was to be.
        form: Form,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What the parser says, with the place.
        message: String,
    },
    /// A floating-point number without a value.
    #[error("{number} is not a number")]
    NotFinite {
        /// As it came.
        number: String,
    },
    /// A decimal with more digits after the point than there are.
    #[error("a decimal64 has at most 18 digits after the point, not {precision}")]
    Precision {
        /// As it came.
        precision: u32,
    },
    /// An array in an array, or a document in one.
    #[error("item {number} of the leaf-list is no scalar, but {encoding}")]
    Nested {
        /// Which item, from 1.
        number: usize,
        /// The field, by its name on the wire.
        encoding: &'static str,
    },
    /// Something wrong with one item of a leaf-list.
    #[error("item {number} of the leaf-list: {source}")]
    Item {
        /// Which item, from 1.
        number: usize,
        /// What.
        source: Box<Error>,
    },
}

impl Error {
    /// What a server answers.
    pub fn code(&self) -> Code {
        match self {
            Self::Unsupported { .. } => Code::Unimplemented,
            Self::Item { source, .. } => source.code(),
            _ => Code::InvalidArgument,
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Json => "JSON",
            Self::Ietf => "JSON_IETF",
            Self::Scalar => "scalar",
        })
    }
}
