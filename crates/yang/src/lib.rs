//! Model sets: schema, data in and out, verdicts. The only room that knows libyang.

pub mod data;
pub mod edit;
pub mod error;
pub mod load;
pub mod locate;
pub mod scalar;
pub mod set;
pub mod validate;

mod get;
mod instance;
mod intake;
mod libyang;
mod render;
mod schema;

pub use data::{Data, DataForm, Read};
pub use edit::Operation;
pub use error::{DataError, EditError, LoadError, PathError};
pub use load::Options;
pub use locate::{Kind, Node};
pub use scalar::Form;
pub use set::{ModelSet, Module};
pub use validate::Violation;
