//! Models: two modules, of which the second augments the first. Random ones are in [`grow`], those made
//! for one kind of rule in [`crate::edges`].

mod grow;
mod text;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Container { presence: bool },
    List { keys: usize, user: bool },
    Leaf,
    LeafList { user: bool },
}

/// The type of a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Small,
    Letter,
    Truth,
    /// To a leaf of the type in there.
    Ref {
        path: String,
        required: bool,
        of: Box<Type>,
        union: bool,
    },
    Instance,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) module: &'static str,
    pub(crate) parent: Option<usize>,
    pub(crate) kind: Kind,
    pub(crate) of: Type,
    pub(crate) key: bool,
    /// The choice it is in below its parent, and the case.
    pub(crate) case: Option<(usize, usize)>,
    /// Statements of its rules.
    pub(crate) rules: String,
}

#[derive(Debug)]
pub(crate) struct Models {
    pub(crate) nodes: Vec<Node>,
    /// Statements of choices.
    pub(crate) choices: Vec<String>,
}

impl Models {
    pub(crate) fn children(&self, parent: Option<usize>) -> impl Iterator<Item = usize> {
        (0..self.nodes.len()).filter(move |id| self.nodes[*id].parent == parent)
    }

    pub(crate) fn is_leaf(&self, id: usize) -> bool {
        matches!(self.nodes[id].kind, Kind::Leaf | Kind::LeafList { .. })
    }

    /// From the top down to the node.
    pub(crate) fn lineage(&self, id: usize) -> Vec<usize> {
        let mut up: Vec<usize> =
            std::iter::successors(Some(id), |id| self.nodes[*id].parent).collect();
        up.reverse();
        up
    }
}
