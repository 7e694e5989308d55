//! The orders of user-ordered lists while they are edited.

use lockstep_types::{Content, Keys, Path};

use super::Draft;
use crate::locate::Located;

impl Draft<'_> {
    /// The order of a list as it is by now.
    fn order(&self, list: &Path) -> Vec<Keys> {
        if let Some(order) = self.orders.get(list) {
            return order.clone();
        }
        match self.standing.get(list) {
            Some(Content::Order(order)) if !self.clears(list) => order.clone(),
            _ => Vec::new(),
        }
    }

    /// An entry is set: it keeps its place, or goes to the end.
    pub(super) fn join_order(&mut self, list: Path, keys: Keys) {
        let mut order = self.order(&list);
        if !order.contains(&keys) {
            order.push(keys);
        }
        self.orders.insert(list, order);
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
            let mut order = self.order(&list);
            order.retain(|keys| !entry(&list, keys).is_some_and(|entry| at.path.covers(&entry)));
            self.orders.insert(list, order);
        }
    }

    /// Sets the orders that changed. A list that has no entry left has no order, and then nothing
    /// else under its path.
    pub(super) fn put_orders(&mut self) {
        for (list, order) in std::mem::take(&mut self.orders) {
            let content = Content::Order(order.clone());
            let stands = self.standing.get(&list) == Some(&content) && !self.clears(&list);
            if order.is_empty() {
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
