//! Taking nodes into the part, with what decides on them.

use lockstep_types::Path;

use super::Gather;
use crate::change::find::{exists, first, prefix};
use crate::rules::Nature;
use crate::schema::{Id, Kind, ROOT};

impl Gather<'_> {
    /// Something in the module that the path is in is read.
    pub(super) fn module(&mut self, path: &Path) {
        let set = self.set;
        let first = path.elements().first();
        match first.and_then(|first| set.schema().child(ROOT, first.name())) {
            Some(id) => drop(self.modules.insert(&set.schema().node(id).module)),
            None => self.top = true,
        }
    }

    /// A unit, if it is set, and what the conditions above it read.
    pub(in crate::change) fn include(&mut self, path: &Path) {
        let Some(content) = self.result.get(path) else { return };
        if self.part.contains_key(path) {
            return;
        }
        self.part.insert(path.clone(), content.clone());
        self.module(path);
        let Some(id) = self.conditions_down(path) else { return };
        // One that names nothing would make libyang give up.
        if self.set.rules().part(id).instance {
            for named in self.set.named(self.result, path).into_iter().flatten() {
                self.presence(&named);
            }
        }
    }

    /// A node that is set or has something set below it.
    pub(super) fn include_existence(&mut self, path: &Path) {
        if let Some((path, _)) = first(self.result, path) {
            self.include(path);
        }
    }

    /// What a node that is there by default is in: the next entry or presence container above.
    pub(super) fn include_anchor(&mut self, path: &Path) {
        self.module(path);
        let Some(id) = self.set.schema().find(path) else { return };
        let lineage = self.set.schema().lineage(id);
        let anchors = |id: &Id| {
            let kind = self.set.schema().node(*id).kind;
            matches!(kind, Kind::List | Kind::Container { presence: true })
        };
        let above = lineage.len().saturating_sub(1);
        if let Some(depth) = lineage.iter().take(above).rposition(anchors) {
            self.include_existence(&prefix(path, depth + 1));
        }
    }

    pub(super) fn include_all(&mut self, path: &Path) {
        let units: Vec<Path> = self.result.under(path).map(|(path, _)| path.clone()).collect();
        units.iter().for_each(|path| self.include(path));
    }

    /// The conditions of a node and of all above it; gives the node.
    pub(super) fn conditions_down(&mut self, path: &Path) -> Option<Id> {
        let mut id = ROOT;
        for (depth, element) in path.elements().iter().enumerate() {
            id = self.set.schema().child(id, element.name())?;
            if self.set.rules().part(id).has_when {
                self.conditions(id, &prefix(path, depth + 1));
            }
        }
        Some(id)
    }

    pub(super) fn conditions(&mut self, id: Id, path: &Path) {
        let set = self.set;
        for rule in &set.rules().part(id).rules {
            if set.rules().rules[*rule].nature == Nature::When {
                self.pull(*rule, path);
            }
        }
    }

    /// What decides whether a node is there by default: its condition, and what is chosen.
    pub(super) fn note(&mut self, id: Id, path: &Path) {
        let set = self.set;
        if set.rules().part(id).has_when {
            self.conditions(id, path);
        }
        let Some((choice, _)) = set.schema().node(id).cases.first() else { return };
        let Some(parent) = path.parent() else { return };
        for member in set.schema().members(*choice) {
            self.include_existence(&set.below(&parent, member));
        }
    }

    /// The same for all nodes down to this one.
    pub(super) fn note_all(&mut self, path: &Path) {
        let mut id = ROOT;
        for (depth, element) in path.elements().iter().enumerate() {
            let Some(child) = self.set.schema().child(id, element.name()) else { return };
            id = child;
            let has_when = self.set.rules().part(id).has_when;
            if has_when || !self.set.schema().node(id).cases.is_empty() {
                self.note(id, &prefix(path, depth + 1));
            }
        }
    }

    /// A node, wherever it comes from, as it is.
    pub(super) fn presence(&mut self, path: &Path) {
        self.module(path);
        self.note_all(path);
        if exists(self.result, path) {
            self.include_existence(path);
        } else {
            self.include_anchor(path);
        }
    }
}
