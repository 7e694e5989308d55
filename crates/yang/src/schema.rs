//! The models as a tree of our own: all that paths, units and rendering need, and no more.
//!
//! Choices and cases are no nodes here, for they have no place in a path. A node remembers in which
//! cases it lies, and a choice which nodes its cases are made of.

mod build;
mod facts;

use std::collections::BTreeMap;

use lockstep_types::{Element, Path};

pub(crate) use facts::Facts;

/// A node of the schema, by its place in the table. The root is [`ROOT`].
pub(crate) type Id = usize;

/// The node that everything lies under.
pub(crate) const ROOT: Id = 0;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Root,
    Container {
        presence: bool,
    },
    List,
    Leaf {
        key: bool,
    },
    LeafList,
    /// `anydata` and `anyxml`.
    Any,
}

/// The built-in type that a leaf's type comes from; a leafref has that of the leaf it refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// `int8` to `int32`.
    Int,
    Int64,
    /// `uint8` to `uint32`.
    Uint,
    Uint64,
    Decimal64,
    Bool,
    String,
    Enum,
    Bits,
    Binary,
    IdentityRef,
    Empty,
    InstanceIdentifier,
    Union,
}

/// A data node of the models.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) module: String,
    /// Its name in our paths: without module, unless a sibling of another module has the same.
    pub(crate) element: String,
    /// The same, ready to be shared by all paths that have it; none for the root.
    pub(crate) step: Option<Element>,
    pub(crate) parent: Id,
    pub(crate) kind: Kind,
    pub(crate) config: bool,
    /// Whether it or anything below is state.
    pub(crate) state: bool,
    /// Of a leaf or leaf-list.
    pub(crate) base: Option<Base>,
    /// Of a leaf or leaf-list: any text is a value of it, and canonical.
    pub(crate) any_text: bool,
    /// Of a list, in the order of its definition.
    pub(crate) keys: Vec<Id>,
    /// Whether the user gives the order of entries or values.
    pub(crate) user_ordered: bool,
    /// The choices it lies in below its parent, each with the number of the case.
    pub(crate) cases: Vec<(usize, usize)>,
    /// Whether it is there only under a condition: a `when`, of its own or inherited from where it
    /// was defined.
    pub(crate) when: bool,
    /// Whether it or anything below has a `when`.
    pub(crate) when_below: bool,
    /// What its `must` statements say when they are broken: message and error-app-tag.
    pub(crate) musts: Vec<(String, String)>,
    pub(crate) children: Vec<Id>,
    /// Children by element name and by `module:name`.
    names: BTreeMap<String, Id>,
}

/// The models, as a table of nodes.
#[derive(Debug)]
pub(crate) struct Schema {
    nodes: Vec<Node>,
    /// For each choice, for each case: the data nodes it is made of.
    choices: Vec<Vec<Vec<Id>>>,
}

impl Schema {
    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id]
    }

    /// The path of a child of what is at a path, without keys.
    pub(crate) fn below(&self, at: &Path, child: Id) -> Path {
        self.node(child).step.as_ref().map_or_else(|| at.clone(), |step| at.child(step.clone()))
    }

    /// Every node but the root.
    pub(crate) fn ids(&self) -> impl Iterator<Item = Id> {
        1..self.nodes.len()
    }

    /// The child with this name, which may be qualified by its module.
    pub(crate) fn child(&self, parent: Id, name: &str) -> Option<Id> {
        self.node(parent).names.get(name).copied()
    }

    /// The node at a canonical path.
    pub(crate) fn find(&self, path: &Path) -> Option<Id> {
        path.elements().iter().try_fold(ROOT, |id, element| self.child(id, element.name()))
    }

    /// The bare names of the children.
    pub(crate) fn below_named(&self, parent: Id) -> impl Iterator<Item = &str> {
        self.node(parent).children.iter().map(|child| self.node(*child).name.as_str())
    }

    /// The modules of the children that have this bare name.
    pub(crate) fn modules_of(&self, parent: Id, name: &str) -> Vec<String> {
        let children = self.node(parent).children.iter().map(|child| self.node(*child));
        children.filter(|node| node.name == name).map(|node| node.module.clone()).collect()
    }

    /// The nodes of the other cases of every choice that this node lies in.
    pub(crate) fn rivals(&self, id: Id) -> impl Iterator<Item = Id> {
        self.node(id).cases.iter().flat_map(|(choice, case)| {
            let cases = self.choices[*choice].iter().enumerate();
            cases.filter(move |(number, _)| number != case).flat_map(|(_, ids)| ids.iter().copied())
        })
    }

    /// The nodes of all cases of a choice, nested choices included.
    pub(crate) fn members(&self, choice: usize) -> impl Iterator<Item = Id> {
        self.choices[choice].iter().flatten().copied()
    }

    /// The path of a node in the models.
    pub(crate) fn path(&self, id: Id) -> String {
        let step = |id: Id| format!("/{}", self.node(id).qualified());
        self.lineage(id).into_iter().map(step).collect()
    }

    /// The nodes from below the root down to this one.
    pub(crate) fn lineage(&self, id: Id) -> Vec<Id> {
        let up = std::iter::successors(Some(id), |id| Some(self.node(*id).parent));
        let mut lineage: Vec<Id> = up.take_while(|id| *id != ROOT).collect();
        lineage.reverse();
        lineage
    }
}

impl Node {
    /// Its name with its module.
    pub(crate) fn qualified(&self) -> String {
        format!("{}:{}", self.module, self.name)
    }

    pub(crate) fn is_leaf(&self) -> bool {
        matches!(self.kind, Kind::Leaf { .. } | Kind::LeafList)
    }

    pub(crate) fn is_key(&self) -> bool {
        self.kind == Kind::Leaf { key: true }
    }
}
