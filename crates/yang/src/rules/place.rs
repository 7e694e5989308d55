//! Places that expressions lead to.

use crate::schema::{Id, Schema};

/// The nodes that a location path may lead to: from an instance of a node at or above the rule's own,
/// or the root, down by these steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) base: Id,
    pub(crate) steps: Vec<Step>,
}

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) id: Id,
    /// The keys that the expression asks for, by name. Others are open.
    pub(crate) keys: Vec<(String, Source)>,
}

/// Where the value of a key comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Text(String),
    /// A leaf, seen from the rule's own node, with no list on the way down to it.
    Leaf(Place),
}

impl Place {
    pub(crate) fn at(id: Id) -> Self {
        Self { base: id, steps: Vec::new() }
    }

    /// The node it leads to.
    pub(crate) fn end(&self) -> Id {
        self.steps.last().map_or(self.base, |step| step.id)
    }

    pub(super) fn child(&self, id: Id) -> Self {
        let mut place = self.clone();
        place.steps.push(Step { id, keys: Vec::new() });
        place
    }

    /// One up; none above the root.
    pub(super) fn parent(&self, schema: &Schema) -> Option<Self> {
        let mut place = self.clone();
        if place.steps.pop().is_none() {
            if place.base == crate::schema::ROOT {
                return None;
            }
            place.base = schema.node(place.base).parent;
        }
        Some(place)
    }
}
