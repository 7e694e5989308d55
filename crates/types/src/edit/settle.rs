//! What an edit comes to where it depends on what stands: additions, and orders that lose entries.

use std::collections::BTreeSet;

use super::{Addition, Edit};
use crate::{Configuration, Content, Delta, Keys, Path, Value};

impl Edit {
    /// Adds to a delta that has the clears and sets of this edit all that follows from what stands.
    pub(super) fn settle(&self, standing: &Configuration, delta: &mut Delta) {
        // Put in at once: a long delta is not to be moved about for each of them.
        let mut settled = Vec::new();
        for (path, addition) in &self.add {
            let before = standing.get(path).filter(|_| !self.clears(path));
            match addition {
                Addition::Values { values, sorted } => {
                    let values = joined(before, values, *sorted);
                    settled.push((path.clone(), Some(Content::LeafList(values.into()))));
                }
                Addition::Entries(keys) => {
                    let order = self.ordered(path, before, keys);
                    settled.extend(self.put_order(path, before, order));
                }
            }
        }
        for (list, before) in self.lists_that_lose(standing) {
            if !self.add.contains_key(&list) && delta.get(&list).is_none() {
                let order = self.ordered(&list, Some(&before), &[]);
                settled.extend(self.put_order(&list, Some(&before), order));
            }
        }
        delta.extend(settled);
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

    /// The entries that were there and were not cleared, and the new ones. One that is cleared and set
    /// again is new.
    fn ordered(&self, list: &Path, before: Option<&Content>, new: &[Keys]) -> Vec<Keys> {
        let before = match before {
            Some(Content::Order(before)) => &**before,
            _ => &[],
        };
        let stays = |keys: &&Keys| list.entry(keys).is_none_or(|entry| !self.clears(&entry));
        let mut known = BTreeSet::new();
        let all = before.iter().filter(stays).chain(new).filter(|keys| known.insert(*keys));
        all.cloned().collect()
    }

    /// What becomes of an order, if anything does. A list without entries has none.
    fn put_order(
        &self,
        list: &Path,
        before: Option<&Content>,
        order: Vec<Keys>,
    ) -> Option<(Path, Option<Content>)> {
        let after = (!order.is_empty()).then(|| Content::Order(order.into()));
        let changes = before != after.as_ref() || self.clears(list);
        changes.then(|| (list.clone(), after))
    }
}

/// The values that were there, and the new ones.
fn joined(before: Option<&Content>, values: &[Value], sorted: bool) -> Vec<Value> {
    let before = match before {
        Some(Content::LeafList(before)) => &**before,
        _ => &[],
    };
    // A value that is given twice stays twice: validation has words for that.
    let known: BTreeSet<&Value> = before.iter().collect();
    let new = values.iter().filter(|value| !known.contains(value));
    let mut all: Vec<Value> = before.iter().chain(new).cloned().collect();
    if sorted {
        all.sort();
    }
    all
}
