//! Orders of lists that their user orders, brought about by the order of updates.
//!
//! A new entry goes to the end of its list, so entries that are added at the end need nothing but
//! updates in their order. Where that is not enough, every entry from the first difference on is
//! deleted and created again, with all it holds, in the same Set.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use lockstep_types::{Configuration, Content, Delta, Element, Keys, Path};

/// The places of a list's entries.
type Places = BTreeMap<Keys, usize>;

/// A delta, with what it takes to bring about the orders in it.
#[derive(Debug)]
pub(super) struct Ordered {
    /// The delta, with the contents of what is created again.
    pub(super) delta: Delta,
    /// The entries that are deleted and created again.
    pub(super) moved: Vec<Path>,
    lists: BTreeMap<Path, Places>,
}

/// The lists whose order a delta sets.
pub(super) fn lists(delta: &Delta) -> impl Iterator<Item = (&Path, &[Keys])> {
    delta.sets().filter_map(|(list, content)| match content {
        Content::Order(order) => Some((list, &**order)),
        _ => None,
    })
}

impl Ordered {
    /// What becomes of a delta on a device that holds this in those lists.
    pub(super) fn new(delta: &Delta, held: &Configuration) -> Self {
        let mut all = delta.clone();
        let mut moved = Vec::new();
        for (list, order) in lists(delta) {
            for entry in to_move(delta, held, list, order) {
                let kept = held.under(&entry).filter(|(path, _)| delta.get(path).is_none());
                all.extend(kept.map(|(path, unit)| (path.clone(), unit.content.clone())));
                moved.push(entry);
            }
        }
        let places = |order: &[Keys]| order.iter().cloned().zip(0..).collect();
        let lists = lists(&all).map(|(list, order)| (list.clone(), places(order))).collect();
        Self { delta: all, moved, lists }
    }

    /// Whether what stands at this path lies in such a list.
    pub(super) fn concerns(&self, path: &Path) -> bool {
        !self.lists.is_empty()
            && (0..path.elements().len()).any(|depth| self.places(path, depth).is_some())
    }

    /// Whether what stands at this path is deleted with an entry that moves.
    pub(super) fn moves(&self, path: &Path) -> bool {
        self.moved.iter().any(|entry| entry.is_prefix_of(path))
    }

    /// The same units, with the entries of each such list in its order.
    pub(super) fn sort<'a>(
        &self,
        mut units: Vec<(&'a Path, &'a Content)>,
    ) -> Vec<(&'a Path, &'a Content)> {
        if !self.lists.is_empty() {
            units.sort_by(|(one, _), (other, _)| self.compare(one, other));
        }
        units
    }

    fn compare(&self, one: &Path, other: &Path) -> Ordering {
        let pairs = one.elements().iter().zip(other.elements());
        let Some((depth, (a, b))) = pairs.enumerate().find(|(_, (a, b))| a != b) else {
            return one.cmp(other);
        };
        let places = self.places(one, depth).filter(|_| a.name() == b.name());
        let place = |element: &Element| places.and_then(|places| places.get(element.keys()));
        place(a).cmp(&place(b)).then_with(|| one.cmp(other))
    }

    /// The places in the list that the element at this depth is an entry of.
    fn places(&self, path: &Path, depth: usize) -> Option<&Places> {
        let entry: Path = path.elements().iter().take(depth + 1).cloned().collect();
        self.lists.get(&entry.list()?)
    }
}

/// The entries that have to be created again so that the list gets this order.
fn to_move(delta: &Delta, held: &Configuration, list: &Path, order: &[Keys]) -> Vec<Path> {
    let Some(Content::Order(before)) = held.get(list) else { return Vec::new() };
    let wanted: BTreeSet<&Keys> = order.iter().collect();
    // What the delta knows nothing of stays where it is.
    let staying = before.iter().filter(|keys| wanted.contains(keys)).filter_map(|keys| {
        let entry = entry(list, keys)?;
        (delta.get(&entry) != Some(&None)).then_some((keys, entry))
    });
    let in_place = staying.zip(order.iter().map(Some).chain(std::iter::repeat(None)));
    let differing = in_place.skip_while(|((keys, _), place)| Some(*keys) == *place);
    differing.map(|((_, entry), _)| entry).collect()
}

fn entry(list: &Path, keys: &Keys) -> Option<Path> {
    let mut entry = Element::new(list.last()?.name()).ok()?;
    for (key, value) in keys {
        entry = entry.with_key(key, value).ok()?;
    }
    Some(list.parent()?.child(entry))
}
