//! A configuration is serialised as a map from path to unit.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Configuration;
use crate::{Map, Path, Unit};

impl Serialize for Configuration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(&self.units)
    }
}

impl<'de> Deserialize<'de> for Configuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let units: Map<Path, Unit> = Map::deserialize(deserializer)?;
        match units.entries().find(|(_, unit)| unit.is_never()) {
            Some((path, _)) => {
                Err(D::Error::custom(format_args!("`{path}` is absent and nobody removed it")))
            }
            None => Ok(units.into_iter().collect()),
        }
    }
}
