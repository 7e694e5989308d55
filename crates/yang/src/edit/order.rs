//! The orders of user-ordered lists while they are edited.

use std::collections::BTreeSet;

use lockstep_types::{Content, Keys, Path};

use super::Draft;
use crate::locate::Located;

/// The order of one list in the making.
#[derive(Default)]
pub(super) struct Order {
    keys: Vec<Keys>,
    /// The same, to find one in.
    known: BTreeSet<Keys>,
}

impl Order {
    fn new(keys: &[Keys]) -> Self {
        Self { keys: keys.to_vec(), known: keys.iter().cloned().collect() }
    }

    fn push(&mut self, keys: Keys) {
        if self.known.insert(keys.clone()) {
            self.keys.push(keys);
        }
    }

    fn remove(&mut self, gone: impl Fn(&Keys) -> bool) {
        self.keys.retain(|keys| !gone(keys));
        self.known.retain(|keys| !gone(keys));
    }
}

impl Draft<'_> {
    /// The order of a list as it is by now.
    fn order(&mut self, list: &Path) -> &mut Order {
        let standing = match self.standing.get(list) {
            Some(Content::Order(keys)) if !self.orders.contains_key(list) => {
                Some(keys).filter(|_| !self.clears(list))
            }
            _ => None,
        };
        let order = || standing.map(|keys| Order::new(keys)).unwrap_or_default();
        self.orders.entry(list.clone()).or_insert_with(order)
    }

    /// An entry is set: it keeps its place, or goes to the end.
    pub(super) fn join_order(&mut self, list: &Path, keys: Keys) {
        self.order(list).push(keys);
    }

    /// Entries are deleted. A path that covers the list itself takes its order along; one that
    /// names entries does not.
    pub(super) fn leave_order(&mut self, at: &Located) {
        let user_ordered = at.ends().iter().any(|id| self.set.schema().node(*id).user_ordered);
        let Some(lists) = at.path.list().filter(|_| user_ordered) else { return };
        let standing = self.standing.under(&lists);
        let standing = standing.filter(|(_, unit)| matches!(unit.content, Some(Content::Order(_))));
        let mut affected: Vec<Path> = standing.map(|(path, _)| path.clone()).collect();
        affected.extend(self.orders.keys().filter(|list| lists.covers(list)).cloned());
        for list in affected {
            let gone = |keys: &Keys| entry(&list, keys).is_some_and(|entry| at.path.covers(&entry));
            self.order(&list).remove(gone);
        }
    }

    /// Sets the orders that changed. A list that has no entry left has no order, and then nothing
    /// else under its path.
    pub(super) fn put_orders(&mut self) {
        for (list, order) in std::mem::take(&mut self.orders) {
            let is_empty = order.keys.is_empty();
            let content = Content::Order(order.keys);
            let stands = self.standing.get(&list) == Some(&content) && !self.clears(&list);
            if is_empty {
                self.clear(list);
            } else if !stands {
                self.units.insert(list, content);
            }
        }
    }
}

/// The path of the entry with these keys.
fn entry(list: &Path, keys: &Keys) -> Option<Path> {
    let (last, parent) = (list.last()?, list.parent()?);
    let mut element = last.clone();
    for (key, value) in keys {
        element = element.with_key(key, value).ok()?;
    }
    Some(parent.child(element))
}
