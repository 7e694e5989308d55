//! What regions there are in the models.

use std::collections::BTreeSet;

use lockstep_types::Path;

use crate::rules::Rules;
use crate::schema::{Id, Kind, Node, ROOT, Schema};
use crate::set::ModelSet;

/// What comes by itself with a node of the models.
#[derive(Debug, Default)]
pub(crate) struct Region {
    /// The leaves and leaf-lists with defaults.
    pub(super) leaves: BTreeSet<Id>,
    /// What has a condition or lies in a choice, on the way to those: the node, and its path from
    /// the region down.
    pub(super) conditional: Vec<(Path, Id)>,
}

/// Whether a region begins at a node.
pub(crate) fn begins(node: &Node) -> bool {
    matches!(node.kind, Kind::Root | Kind::List | Kind::Container { presence: true })
}

impl Region {
    /// The region of each node, by its number; empty where none begins.
    pub(crate) fn build(schema: &Schema, rules: &Rules) -> Vec<Self> {
        let all = std::iter::once(ROOT).chain(schema.ids());
        let region = |id: Id| {
            let mut region = Self::default();
            if begins(schema.node(id)) {
                region.grow(schema, rules, id, &Path::root());
            }
            region
        };
        all.map(region).collect()
    }

    fn grow(&mut self, schema: &Schema, rules: &Rules, id: Id, at: &Path) {
        for child in &schema.node(id).children {
            let (node, part) = (schema.node(*child), rules.part(*child));
            if !node.config || node.is_key() || !part.implicit {
                continue;
            }
            let (path, before) = (schema.below(at, *child), self.leaves.len());
            if node.is_leaf() {
                self.leaves.insert(*child);
            } else {
                self.grow(schema, rules, *child, &path);
            }
            let decides = part.has_when || !node.cases.is_empty();
            if decides && self.leaves.len() > before {
                self.conditional.push((path, *child));
            }
        }
    }
}

impl ModelSet {
    /// The region that begins at a node.
    pub(super) fn region(&self, id: Id) -> &Region {
        &self.0.regions[id]
    }
}
