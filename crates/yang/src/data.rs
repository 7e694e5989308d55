//! Data as clients and devices give it, and reading what a device reports.

use lockstep_types::{Configuration, Path};
use serde_json::Value as Json;

use crate::error::DataError;
use crate::intake::Misfit;
use crate::scalar::Source;
use crate::set::ModelSet;

/// Where a piece of JSON comes from, which says how to take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataForm {
    /// Plain JSON: names and identities may leave out their module, wide numbers may be numbers.
    Json,
    /// RFC 7951.
    Ietf,
    /// A typed scalar: its value may be a number or a string, whatever the leaf is.
    Scalar,
}

/// A piece of data, relative to the path it is given with.
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    /// How to take it.
    pub form: DataForm,
    /// The data.
    pub json: Json,
}

impl Data {
    pub(crate) fn source(&self) -> Source {
        match self.form {
            DataForm::Ietf => Source::Strict,
            DataForm::Json | DataForm::Scalar => Source::Lenient,
        }
    }
}

/// What a device reported, as far as the models know it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// The units of configuration.
    pub units: Configuration,
    /// What the models do not know, or not with that value: paths, with the reason where there is
    /// one.
    pub outside: Vec<String>,
}

impl ModelSet {
    /// Reads what a device reported below a path. State is left out; what the models do not know is
    /// left out and listed. Devices are taken leniently, whatever form they claim.
    pub fn read(&self, path: &Path, data: &Data) -> Result<Read, DataError> {
        let at = self.locate_one(path)?;
        if at.ends().iter().all(|id| !self.schema().node(*id).config) {
            return Ok(Read::default());
        }
        let units = self.intake(&at, &data.json, Source::Lenient, Misfit::LeaveOut)?;
        let outside = units.outside.clone();
        Ok(Read { units: units.into_configuration(), outside })
    }
}
