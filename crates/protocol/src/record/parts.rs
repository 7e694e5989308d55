//! How far a transaction is on each of its targets.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Bound;

use lockstep_types::{Map, Target};
use rpds::RedBlackTreeMapSync as Tree;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Part;

/// So many are kept as they lie; more, so that copies share what did not change.
const FEW: usize = 64;

/// The part of a transaction on each of its targets, in the order of their names.
///
/// Most transactions have a handful of targets, and a log of them is to be small. One with thousands changes part by
/// part, and each time a copy of it as it was is shown to somebody: that is to cost no more than the part.
#[derive(Clone)]
pub struct Parts(Kept);

#[derive(Clone)]
enum Kept {
    Few(Map<Target, Part>),
    Many(Tree<Target, Part>),
}

impl Parts {
    /// The part on a target.
    #[must_use]
    pub fn get(&self, target: &Target) -> Option<&Part> {
        match &self.0 {
            Kept::Few(parts) => parts.get(target),
            Kept::Many(parts) => parts.get(target),
        }
    }

    /// The part on a target, to be changed.
    pub fn get_mut(&mut self, target: &Target) -> Option<&mut Part> {
        match &mut self.0 {
            Kept::Few(parts) => parts.get_mut(target),
            Kept::Many(parts) => parts.get_mut(target),
        }
    }

    /// Whether this is one of its targets.
    #[must_use]
    pub fn contains_key<Q: Ord + ?Sized>(&self, target: &Q) -> bool
    where
        Target: Borrow<Q>,
    {
        match &self.0 {
            Kept::Few(parts) => parts.contains_key(target),
            Kept::Many(parts) => parts.contains_key(target),
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Kept::Few(parts) => parts.len(),
            Kept::Many(parts) => parts.size(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Each target with its part.
    pub fn iter(&self) -> impl Iterator<Item = (&Target, &Part)> {
        let (few, many) = match &self.0 {
            Kept::Few(parts) => (Some(parts.entries()), None),
            Kept::Many(parts) => (None, Some(parts.iter())),
        };
        few.into_iter().flatten().chain(many.into_iter().flatten())
    }

    /// The targets.
    pub fn keys(&self) -> impl Iterator<Item = &Target> {
        self.iter().map(|(target, _)| target)
    }

    /// The targets from this one on; none: all of them.
    pub fn keys_from(&self, first: Option<&Target>) -> impl Iterator<Item = &Target> {
        let (few, many) = match &self.0 {
            Kept::Few(parts) => (Some(parts.entries()), None),
            Kept::Many(parts) => {
                let from = first.cloned().map_or(Bound::Unbounded, Bound::Included);
                (None, Some(parts.range::<Target, _>((from, Bound::Unbounded))))
            }
        };
        let few =
            few.into_iter().flatten().filter(move |(on, _)| first.is_none_or(|first| *on >= first));
        few.chain(many.into_iter().flatten()).map(|(target, _)| target)
    }

    /// The parts.
    pub fn values(&self) -> impl Iterator<Item = &Part> {
        self.iter().map(|(_, part)| part)
    }
}

impl Default for Parts {
    fn default() -> Self {
        Self(Kept::Few(Map::new()))
    }
}

impl From<Map<Target, Part>> for Parts {
    fn from(parts: Map<Target, Part>) -> Self {
        Self(if parts.len() > FEW {
            Kept::Many(parts.into_iter().collect())
        } else {
            Kept::Few(parts)
        })
    }
}

impl FromIterator<(Target, Part)> for Parts {
    fn from_iter<T: IntoIterator<Item = (Target, Part)>>(parts: T) -> Self {
        Map::from_iter(parts).into()
    }
}

impl IntoIterator for Parts {
    type Item = (Target, Part);
    type IntoIter = std::vec::IntoIter<(Target, Part)>;

    fn into_iter(self) -> Self::IntoIter {
        match self.0 {
            Kept::Few(parts) => parts.into_iter(),
            Kept::Many(parts) => {
                let parts = parts.iter().map(|(target, part)| (target.clone(), part.clone()));
                parts.collect::<Vec<_>>().into_iter()
            }
        }
    }
}

impl<const N: usize> From<[(Target, Part); N]> for Parts {
    fn from(parts: [(Target, Part); N]) -> Self {
        parts.into_iter().collect()
    }
}

impl PartialEq for Parts {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for Parts {}

impl Hash for Parts {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len().hash(state);
        self.iter().for_each(|part| part.hash(state));
    }
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl Serialize for Parts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::PartStatus;

    fn parts(count: usize) -> Parts {
        let target = |at: usize| Target::new(format!("leaf{at:04}")).unwrap();
        (0..count).map(|at| (target(at), Part::default())).collect()
    }

    #[test]
    fn few_and_many_are_the_same_to_whoever_asks() {
        for count in [0, 1, FEW, FEW + 1, 1000] {
            let mut parts = parts(count);
            assert_eq!((parts.len(), parts.keys().count()), (count, count));
            assert!(parts.keys().is_sorted());
            assert_eq!(
                serde_json::from_str::<Parts>(&serde_json::to_string(&parts).unwrap()).unwrap(),
                parts
            );
            let Some(last) = parts.keys().last().cloned() else { continue };
            assert!(parts.keys_from(None).eq(parts.keys()));
            assert_eq!(parts.keys_from(Some(&last)).collect::<Vec<_>>(), [&last]);
            let before = parts.clone();
            parts.get_mut(&last).unwrap().status = PartStatus::Applied;
            assert_eq!(parts.get(&last).unwrap().status, PartStatus::Applied);
            assert_eq!(before.get(&last).unwrap().status, PartStatus::Pending, "a copy is a copy");
            assert_ne!(parts, before);
        }
    }
}
