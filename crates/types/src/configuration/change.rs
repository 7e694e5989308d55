//! Changes: into a configuration, out of it again, and from one to another.

use std::cmp::Ordering;
use std::ptr;

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

    /// What stands now wherever this delta changes something. Taken before the delta is put in, it is
    /// what undoes it.
    pub fn before(&self, delta: &Delta) -> Undo {
        let units = delta.paths().map(|path| (path.clone(), self.unit(path))).collect();
        Undo { units }
    }

    /// The units that take the change of `writer` out again: where it is the last writer, the unit
    /// before comes back; where a later writer stands, nothing changes. The undo of the next
    /// writer is then to be relinked ([`Undo::relink`]).
    pub fn without(&self, writer: Index, undo: &Undo) -> Patch {
        let written = |path: &Path| self.units.get(path).is_some_and(|unit| unit.writer == writer);
        let units = undo.units.iter().filter(|(path, _)| written(path));
        units.map(|(path, unit)| (path.clone(), unit.clone())).collect()
    }

    /// What turns the values here into the wanted ones, whoever wrote them.
    pub fn diff(&self, wanted: &Self) -> Delta {
        if self.is_one_with(wanted) {
            return Delta::new();
        }
        let changed =
            side_by_side(self.iter(), wanted.iter()).filter(|(_, is, to)| differ(*is, *to));
        changed.map(|(path, _, to)| (path.clone(), to.cloned())).collect()
    }

    /// Whether the two are one tree in memory, so that the second takes none.
    pub fn is_one_with(&self, other: &Self) -> bool {
        self.units.ptr_eq(&other.units)
    }

    /// Where the units of the two are not the same, writers and tombstones included.
    pub fn apart<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = Path> + use<'a> {
        let walk = (!self.is_one_with(other)).then(|| side_by_side(self.units(), other.units()));
        let apart = walk.into_iter().flatten().filter(|(_, our, their)| differ(*our, *their));
        apart.map(|(path, ..)| path.clone())
    }

    /// Changes values as a device does, without writers: absent removes that one unit, and nothing
    /// under its path that the delta does not name.
    pub fn apply_values(&mut self, delta: &Delta) {
        for (path, content) in delta {
            let unit = Unit { content: content.clone(), ..Unit::NEVER };
            self.assign(path.clone(), unit);
        }
    }

    /// Whether both hold the same contents at the same paths, whoever wrote them.
    pub fn same_values(&self, other: &Self) -> bool {
        let values = |one: &Self| (one.live, one.digest);
        // Unequal digests settle it; equal ones are made sure of.
        values(self) == values(other) && (self.is_one_with(other) || self.iter().eq(other.iter()))
    }
}

/// Whether two contents, or units, are not the same. Those of trees that share what did not change mostly are one in
/// memory, and then are not looked into.
fn differ<T: PartialEq>(one: Option<&T>, other: Option<&T>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => !ptr::eq(one, other) && one != other,
        (one, other) => one.is_some() != other.is_some(),
    }
}

/// Walks along two configurations at once: each path that either has, with what both have there.
fn side_by_side<'a, T: 'a>(
    ours: impl Iterator<Item = (&'a Path, &'a T)>,
    theirs: impl Iterator<Item = (&'a Path, &'a T)>,
) -> impl Iterator<Item = (&'a Path, Option<&'a T>, Option<&'a T>)> {
    let (mut ours, mut theirs) = (ours.peekable(), theirs.peekable());
    std::iter::from_fn(move || {
        let order = match (ours.peek(), theirs.peek()) {
            // Shared, like what stands there.
            (Some((our, _)), Some((their, _))) if ptr::eq(*our, *their) => Ordering::Equal,
            (Some((our, _)), Some((their, _))) => our.cmp(their),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let our = if order.is_le() { ours.next() } else { None };
        let their = if order.is_ge() { theirs.next() } else { None };
        let (path, _) = our.or(their)?;
        Some((path, our.map(|(_, content)| content), their.map(|(_, content)| content)))
    })
}
