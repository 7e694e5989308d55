//! What changes, unit by unit.

use serde::{Deserialize, Serialize};

use crate::{Content, Index, Map, Patch, Path, Unit, map};

/// What one change makes of each unit it touches: a content, or absent.
///
/// A delta is explicit. An absence is that of one unit, and says nothing of what lies under its
/// path: whoever removes a subtree lists everything in it (see [`crate::Edit::resolve`]).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Delta(Map<Path, Option<Content>>);

impl Delta {
    /// A delta that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets what this path becomes, and gives back what it was to become.
    pub fn insert(&mut self, path: Path, content: Option<Content>) -> Option<Option<Content>> {
        self.0.insert(path, content)
    }

    /// What this path becomes, a content or absent; none if it is not touched.
    pub fn get(&self, path: &Path) -> Option<&Option<Content>> {
        self.0.get(path)
    }

    /// Every path that is touched and what it becomes, in the order of paths.
    pub fn iter(&self) -> map::Iter<'_, Path, Option<Content>> {
        self.0.entries()
    }

    /// Every path that is touched, in order.
    pub fn paths(&self) -> impl DoubleEndedIterator<Item = &Path> {
        self.0.keys()
    }

    /// The number of paths that are touched.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether this delta changes nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The one delta that does what this one and then `later` do.
    pub fn compose(&self, later: &Self) -> Self {
        let both = self.iter().chain(later);
        both.map(|(path, content)| (path.clone(), content.clone())).collect()
    }

    /// The contents that are set, in the order of paths.
    pub fn sets(&self) -> impl Iterator<Item = (&Path, &Content)> {
        self.iter().filter_map(|(path, content)| Some((path, content.as_ref()?)))
    }

    /// The fewest paths whose deletion, subtrees included, removes every absent unit. What goes
    /// away with an entry, a presence container or a whole list is not listed apart.
    ///
    /// To be sent before the sets: a deletion may take with it what is set again.
    pub fn removals(&self) -> Vec<&Path> {
        let mut removals: Vec<&Path> = Vec::new();
        for (path, _) in self.iter().filter(|(_, content)| content.is_none()) {
            // What a deletion removes follows it in the order of paths, so the last one is enough.
            if !removals.last().is_some_and(|last| removes(last, path)) {
                removals.push(path);
            }
        }
        removals
    }

    /// The units that this delta makes when `writer` writes it. A unit that already is what the delta
    /// says is written all the same: its last writer changes.
    pub fn written_by(&self, writer: Index) -> Patch {
        let unit = |content: &Option<Content>| Unit { content: content.clone(), writer };
        self.iter().map(|(path, content)| (path.clone(), unit(content))).collect()
    }
}

/// Whether the deletion of `root` removes `path`: it lies in that subtree, or in the list that has
/// its order there.
fn removes(root: &Path, path: &Path) -> bool {
    let in_list = root.elements().split_last().is_some_and(|(last, above)| {
        let rest = path.elements().strip_prefix(above).unwrap_or_default();
        last.keys().is_empty() && rest.first().is_some_and(|entry| entry.name() == last.name())
    });
    in_list || root.is_prefix_of(path)
}

impl FromIterator<(Path, Option<Content>)> for Delta {
    fn from_iter<T: IntoIterator<Item = (Path, Option<Content>)>>(changes: T) -> Self {
        Self(changes.into_iter().collect())
    }
}

impl Extend<(Path, Option<Content>)> for Delta {
    fn extend<T: IntoIterator<Item = (Path, Option<Content>)>>(&mut self, changes: T) {
        self.0.extend(changes);
    }
}

impl IntoIterator for Delta {
    type Item = (Path, Option<Content>);
    type IntoIter = <Map<Path, Option<Content>> as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Delta {
    type Item = (&'a Path, &'a Option<Content>);
    type IntoIter = map::Iter<'a, Path, Option<Content>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests;
