//! What an edit comes to where it depends on what stands: additions, and orders that lose entries.

use std::collections::BTreeSet;

use super::{Addition, Edit};
use crate::{Configuration, Content, Delta, Keys, Path, Value};

impl Edit {
    /// Adds to a delta that has the clears and sets of this edit all that follows from what stands.
    pub(super) fn settle(&self, standing: &Configuration, delta: &mut Delta) {
        for (path, addition) in &self.add {
            let before = standing.get(path).filter(|_| !self.clears(path));
            match addition {
                Addition::Values { values, sorted } => {
                    let values = joined(before, values, *sorted);
                    delta.insert(path.clone(), Some(Content::LeafList(values)));
                }
                Addition::Entries(keys) => {
                    let order = ordered(path, before, keys, delta);
                    self.put_order(path, before, order, delta);
                }
            }
        }
        for (list, before) in self.lists_that_lose(standing) {
            if !self.add.contains_key(&list) && !delta.paths().any(|path| *path == list) {
                let order = ordered(&list, Some(&before), &[], delta);
                self.put_order(&list, Some(&before), order, delta);
            }
        }
    }

    /// The user-ordered lists of which entries are cleared, but not the list itself.
    fn lists_that_lose(&self, standing: &Configuration) -> Vec<(Path, Content)> {
        let lists = self.clear.iter().filter_map(Path::list);
        let orders = lists.flat_map(|list| {
            let units = standing.under(&list).filter(move |(path, _)| path.matches(&list));
            units.filter_map(|(path, unit)| Some((path.clone(), unit.content.clone()?)))
        });
        orders.filter(|(_, content)| matches!(content, Content::Order(_))).collect()
    }

    /// A list without entries has no order.
    fn put_order(
        &self,
        list: &Path,
        before: Option<&Content>,
        order: Vec<Keys>,
        delta: &mut Delta,
    ) {
        let after = (!order.is_empty()).then_some(Content::Order(order));
        if before != after.as_ref() || self.clears(list) {
            delta.insert(list.clone(), after);
        }
    }
}

/// The values that were there, and the new ones.
fn joined(before: Option<&Content>, values: &[Value], sorted: bool) -> Vec<Value> {
    let before = match before {
        Some(Content::LeafList(before)) => before.as_slice(),
        _ => &[],
    };
    let mut known = BTreeSet::new();
    let all = before.iter().chain(values).filter(|value| known.insert(*value));
    let mut all: Vec<Value> = all.cloned().collect();
    if sorted {
        all.sort();
    }
    all
}

/// The entries that were there and stay, and the new ones.
fn ordered(list: &Path, before: Option<&Content>, new: &[Keys], delta: &Delta) -> Vec<Keys> {
    let before = match before {
        Some(Content::Order(before)) => before.as_slice(),
        _ => &[],
    };
    let stays = |keys: &&Keys| {
        list.entry(keys).is_none_or(|entry| delta.get(&entry).is_none_or(Option::is_some))
    };
    let mut known = BTreeSet::new();
    let all = before.iter().filter(stays).chain(new).filter(|keys| known.insert(*keys));
    all.cloned().collect()
}
