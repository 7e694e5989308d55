//! Units to put into a configuration.

use serde::{Deserialize, Serialize};

use crate::{Delta, Map, Path, Unit, map};

/// The units that one write puts into a configuration, each with its writer. [`Unit::NEVER`] takes
/// a path out of it altogether.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Patch(Map<Path, Unit>);

impl Patch {
    /// A patch that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a unit, and gives back the one that was there for this path.
    pub fn insert(&mut self, path: Path, unit: Unit) -> Option<Unit> {
        self.0.insert(path, unit)
    }

    /// The unit for this path.
    pub fn get(&self, path: &Path) -> Option<&Unit> {
        self.0.get(path)
    }

    /// The units, in the order of their paths.
    pub fn iter(&self) -> map::Iter<'_, Path, Unit> {
        self.0.entries()
    }

    /// What becomes of the contents, whoever writes them.
    pub fn delta(&self) -> Delta {
        self.iter().map(|(path, unit)| (path.clone(), unit.content.clone())).collect()
    }

    /// The number of units.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether this patch changes nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(Path, Unit)> for Patch {
    fn from_iter<T: IntoIterator<Item = (Path, Unit)>>(units: T) -> Self {
        Self(units.into_iter().collect())
    }
}

impl Extend<(Path, Unit)> for Patch {
    fn extend<T: IntoIterator<Item = (Path, Unit)>>(&mut self, units: T) {
        self.0.extend(units);
    }
}

impl IntoIterator for Patch {
    type Item = (Path, Unit);
    type IntoIter = <Map<Path, Unit> as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Patch {
    type Item = (&'a Path, &'a Unit);
    type IntoIter = map::Iter<'a, Path, Unit>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
