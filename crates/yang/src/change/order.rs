//! The order of user-ordered lists, as far as their entries are in a part.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_types::{Configuration, Content, Keys, Path};

use crate::schema::ROOT;
use crate::set::ModelSet;

/// Gives each user-ordered list of which several entries are in a part its order; others need none.
pub(super) fn keep(set: &ModelSet, result: &Configuration, part: &mut BTreeMap<Path, Content>) {
    let mut lists: BTreeMap<Path, BTreeSet<Keys>> = BTreeMap::new();
    for path in part.keys() {
        let mut id = ROOT;
        for (depth, element) in path.elements().iter().enumerate() {
            let Some(child) = set.schema().child(id, element.name()) else { break };
            id = child;
            if set.schema().node(id).user_ordered && !element.keys().is_empty() {
                let entry: Path = path.elements().iter().take(depth + 1).cloned().collect();
                let list = entry.list().unwrap_or_default();
                lists.entry(list).or_default().insert(element.keys().clone());
            }
        }
    }
    for (list, entries) in lists {
        let Some(Content::Order(order)) = result.get(&list) else { continue };
        let kept = order.iter().filter(|keys| entries.contains(*keys)).cloned().collect();
        part.insert(list, Content::Order(kept));
    }
}
