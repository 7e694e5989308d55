//! What is wanted of one target, or found on it: a persistent map of units.

mod change;
mod compare;
mod form;

use rpds::{RedBlackTreeMapSync, RedBlackTreeSetSync};

use crate::path::scan::{Scan, Step};
use crate::{Content, Index, Path, Unit, fingerprint};

/// The units of one target, by path.
///
/// A clone costs a pointer and shares everything; a change afterwards copies O(log n) nodes and no
/// unit but its own. So any number of snapshots may be kept.
///
/// A unit that a transaction removed stays as an absence with its writer (a tombstone), because a
/// later removal of that transaction must find it. One that nobody ever wrote is not kept, and where
/// a transaction stays for good its tombstones are let go of ([`Configuration::absences`]).
/// [`Configuration::get`], [`Configuration::iter`], [`Configuration::len`] and
/// [`Configuration::digest`] are about the live ones only, those with content.
#[derive(Clone, Default)]
pub struct Configuration {
    units: RedBlackTreeMapSync<Path, Unit>,
    absent: RedBlackTreeSetSync<(Index, Path)>,
    live: usize,
    digest: u128,
}

impl Configuration {
    /// Nothing at all.
    pub fn new() -> Self {
        Self::default()
    }

    /// The content at this path, if there is any.
    pub fn get(&self, path: &Path) -> Option<&Content> {
        self.units.get(path)?.content.as_ref()
    }

    /// The unit at this path; [`Unit::NEVER`] where nobody wrote.
    pub fn unit(&self, path: &Path) -> Unit {
        self.units.get(path).cloned().unwrap_or(Unit::NEVER)
    }

    /// Every live content, in the order of paths.
    pub fn iter(&self) -> impl Iterator<Item = (&Path, &Content)> {
        self.units().filter_map(|(path, unit)| Some((path, unit.content.as_ref()?)))
    }

    /// Every unit, tombstones included, in the order of paths.
    pub fn units(&self) -> impl Iterator<Item = (&Path, &Unit)> {
        self.units.iter()
    }

    /// Every unit in the subtree at this path (as [`Path::covers`] says), tombstones included, in
    /// the order of paths. The cost follows what is found, not the size of the configuration.
    pub fn under<'a>(
        &'a self,
        root: &Path,
    ) -> impl Iterator<Item = (&'a Path, &'a Unit)> + use<'a> {
        let scan = Scan::new(root);
        let mut ahead = self.units.range(scan.start()..);
        std::iter::from_fn(move || {
            loop {
                let (path, unit) = ahead.next()?;
                match scan.step(path) {
                    Step::Take => return Some((path, unit)),
                    Step::Skip => {}
                    Step::Jump(place) => ahead = self.units.range(place..),
                    Step::Stop => return None,
                }
            }
        })
    }

    /// Where there is a tombstone of a writer up to this one, the earliest writer first. The cost
    /// follows what is taken.
    pub fn absences(&self, up_to: Index) -> impl Iterator<Item = &Path> {
        let known = self.absent.iter().take_while(move |(writer, _)| *writer <= up_to);
        known.map(|(_, path)| path)
    }

    /// The number of live units.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether no unit is live.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// A hash of the live contents and their paths, kept up with every change. It does not depend
    /// on how they came to be there, nor on machine or version; writers and tombstones have no
    /// part in it. Different digests mean different values; the same digest is no proof against
    /// someone who looks for a collision.
    pub fn digest(&self) -> u128 {
        self.digest
    }

    /// Puts a unit at a path, in place of the one there. [`Unit::NEVER`] leaves nothing.
    pub fn assign(&mut self, path: Path, unit: Unit) {
        // Whoever builds one does so in order: then there is nothing to look for.
        let beyond = self.units.last().is_none_or(|(last, _)| *last < path);
        let before = if beyond { None } else { self.units.get(&path) };
        let known = before.is_some();
        match before {
            Some(Unit { content: Some(content), .. }) => {
                self.digest = self.digest.wrapping_sub(fingerprint::of(&path, content));
                self.live -= 1;
            }
            Some(Unit { content: None, writer }) => {
                self.absent.remove_mut(&(*writer, path.clone()));
            }
            None => {}
        }
        if let Some(content) = &unit.content {
            self.digest = self.digest.wrapping_add(fingerprint::of(&path, content));
            self.live += 1;
        } else if !unit.is_never() {
            self.absent.insert_mut((unit.writer, path.clone()));
        }
        if !unit.is_never() {
            self.units.insert_mut(path, unit);
        } else if known {
            self.units.remove_mut(&path);
        }
    }
}

/// Contents without a writer, as a device has them.
impl FromIterator<(Path, Content)> for Configuration {
    fn from_iter<T: IntoIterator<Item = (Path, Content)>>(contents: T) -> Self {
        let unit = |content| Unit { content: Some(content), ..Unit::NEVER };
        contents.into_iter().map(|(path, content)| (path, unit(content))).collect()
    }
}

impl FromIterator<(Path, Unit)> for Configuration {
    fn from_iter<T: IntoIterator<Item = (Path, Unit)>>(units: T) -> Self {
        let mut configuration = Self::new();
        units.into_iter().for_each(|(path, unit)| configuration.assign(path, unit));
        configuration
    }
}

#[cfg(test)]
mod tests;
