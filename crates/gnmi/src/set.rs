//! A Set: what it asks for, operation by operation, and its answer.

mod error;

pub use error::Error;

use std::fmt;

use lockstep_types::{Path, Target};
use serde_json::Value;

use crate::path;
use crate::proto::gnmi::{self, SetRequest, SetResponse, UpdateResult, update_result};
use crate::value::{self, Form};

/// What an operation does with what stands at its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Removes it, with everything under it.
    Delete,
    /// Puts the data in its place.
    Replace,
    /// Merges the data into it.
    Update,
}

/// Where in a request an operation stands: the first delete, the second update, …
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Among which operations.
    pub kind: Kind,
    /// Which of them, from 1.
    pub number: usize,
}

/// One operation of a Set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Where in the request it stands.
    pub place: Place,
    /// What it does.
    pub kind: Kind,
    /// On which target, if the request says so.
    pub target: Option<Target>,
    /// In which tree, if the request says so.
    pub origin: Option<String>,
    /// Where, the prefix included.
    pub path: Path,
    /// What with; a delete has none.
    pub data: Option<(Form, Value)>,
}

/// The operations of a request in the order in which they take effect: deletes, replaces, updates.
/// That is also the order of the results in the answer.
pub fn read(request: &SetRequest) -> Result<Vec<Operation>, Error> {
    let others = request.delete.len() + request.replace.len() + request.update.len();
    if !request.union_replace.is_empty() {
        return Err(if others > 0 { Error::UnionMixed } else { Error::UnionReplace });
    }
    let prefix = request.prefix.as_ref();
    let mut operations = Vec::with_capacity(others);
    for (number, path) in (1..).zip(&request.delete) {
        operations.push(operation(Place { kind: Kind::Delete, number }, prefix, path)?);
    }
    for (kind, updates) in [(Kind::Replace, &request.replace), (Kind::Update, &request.update)] {
        for (number, update) in (1..).zip(updates) {
            operations.push(with_data(Place { kind, number }, prefix, update)?);
        }
    }
    Ok(operations)
}

/// The answer to a request that was carried out: a result for each operation, with the paths and
/// the prefix as they came. `timestamp` is in nanoseconds since the Unix epoch.
pub fn response(request: &SetRequest, timestamp: i64) -> SetResponse {
    let deletes = request.delete.iter().map(|path| result(Kind::Delete, Some(path)));
    let replaces = request.replace.iter().map(|one| result(Kind::Replace, one.path.as_ref()));
    let updates = request.update.iter().map(|one| result(Kind::Update, one.path.as_ref()));
    SetResponse {
        prefix: request.prefix.clone(),
        response: deletes.chain(replaces).chain(updates).collect(),
        timestamp,
        ..SetResponse::default()
    }
}

fn operation(
    place: Place,
    prefix: Option<&gnmi::Path>,
    path: &gnmi::Path,
) -> Result<Operation, Error> {
    let wrong = |source| Error::Path { place, source };
    Ok(Operation {
        place,
        kind: place.kind,
        target: path::target(prefix, path).map_err(wrong)?,
        origin: path::origin(prefix, path).map_err(wrong)?,
        path: path::read(prefix, path).map_err(wrong)?,
        data: None,
    })
}

/// An update without a path is one of what the prefix names.
fn with_data(
    place: Place,
    prefix: Option<&gnmi::Path>,
    update: &gnmi::Update,
) -> Result<Operation, Error> {
    let operation = match &update.path {
        Some(path) => operation(place, prefix, path)?,
        None => operation(place, prefix, &gnmi::Path::default())?,
    };
    let data = match (&update.val, &update.value) {
        (Some(value), _) => value::read(value),
        (None, Some(old)) => value::read_old(old),
        (None, None) => Err(value::Error::Empty),
    };
    match data {
        Ok(data) => Ok(Operation { data: Some(data), ..operation }),
        Err(source) => Err(Error::Value { place, path: operation.path, source }),
    }
}

fn result(kind: Kind, path: Option<&gnmi::Path>) -> UpdateResult {
    let op = match kind {
        Kind::Delete => update_result::Operation::Delete,
        Kind::Replace => update_result::Operation::Replace,
        Kind::Update => update_result::Operation::Update,
    };
    UpdateResult { path: path.cloned(), op: op.into(), ..UpdateResult::default() }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Delete => "delete",
            Self::Replace => "replace",
            Self::Update => "update",
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.number)
    }
}

#[cfg(test)]
mod tests;
