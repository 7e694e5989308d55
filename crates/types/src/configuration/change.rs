//! Changes: into a configuration, out of it again, and from one to another.

use super::Configuration;
use crate::{Delta, Index, Patch, Path, Undo, Unit};

impl Configuration {
    /// Puts in all units of a patch.
    pub fn patch(&mut self, patch: &Patch) {
        for (path, unit) in patch {
            self.assign(path.clone(), unit.clone());
        }
    }

    /// A snapshot with all units of a patch in it.
    pub fn patched(&self, patch: &Patch) -> Self {
        let mut patched = self.clone();
        patched.patch(patch);
        patched
    }

    /// The units that `writer` sets with this delta. A unit that already is what the delta says is
    /// written all the same: its last writer changes.
    pub fn with(&self, delta: &Delta, writer: Index) -> Patch {
        delta.written_by(writer)
    }

    /// What stands now wherever this delta changes something, with the revision the configuration
    /// has now. Taken before the delta is put in, it is what undoes it.
    pub fn before(&self, delta: &Delta, revision: Index) -> Undo {
        let units = delta
            .paths()
            .map(|path| (path.clone(), self.unit(path)))
            .collect();
        Undo { revision, units }
    }

    /// The units that take the change of `writer` out again: where it is the last writer, the unit
    /// before comes back; where a later writer stands, nothing changes. The undo of the next
    /// writer is then to be relinked ([`Undo::relink`]).
    pub fn without(&self, writer: Index, undo: &Undo) -> Patch {
        let written = |path: &Path| {
            self.units
                .get(path)
                .is_some_and(|unit| unit.writer == writer)
        };
        let units = undo.units.iter().filter(|(path, _)| written(path));
        units
            .map(|(path, unit)| (path.clone(), unit.clone()))
            .collect()
    }

    /// What turns the values here into the wanted ones, whoever wrote them.
    pub fn diff(&self, wanted: &Self) -> Delta {
        let gone = self.iter().filter(|(path, _)| wanted.get(path).is_none());
        let set = wanted
            .iter()
            .filter(|(path, content)| self.get(path) != Some(*content));
        let gone = gone.map(|(path, _)| (path.clone(), None));
        gone.chain(set.map(|(path, content)| (path.clone(), Some(content.clone()))))
            .collect()
    }

    /// Changes values as a device does, without writers: absent removes that one unit, and nothing
    /// under its path that the delta does not name.
    pub fn apply_values(&mut self, delta: &Delta) {
        for (path, content) in delta {
            let unit = Unit {
                content: content.clone(),
                ..Unit::NEVER
            };
            self.assign(path.clone(), unit);
        }
    }

    /// Whether both hold the same contents at the same paths, whoever wrote them.
    pub fn same_values(&self, other: &Self) -> bool {
        let values = |one: &Self| (one.live, one.digest);
        // Unequal digests settle it; equal ones are made sure of.
        values(self) == values(other)
            && (self.units.ptr_eq(&other.units) || self.iter().eq(other.iter()))
    }
}
