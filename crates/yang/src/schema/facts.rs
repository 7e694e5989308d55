//! What the rules of a node are made of, as libyang's schema has it. Needed while the rules are worked
//! out, and not kept.

use yang5::schema::{SchemaNode, SchemaNodeKind};

use crate::raw::{self, Address, Expression, Reference, When};

/// One node's part in rules.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) address: Address,
    /// Conditions of the node and of the choices and cases it lies in.
    pub(crate) whens: Vec<When>,
    pub(crate) musts: Vec<Expression>,
    pub(crate) references: Vec<Reference>,
    pub(crate) mandatory: bool,
    /// Of a leaf or leaf-list.
    pub(crate) default: bool,
    /// The default of a leaf, as libyang writes it.
    pub(crate) text: Option<String>,
    pub(crate) min: u32,
    /// None: as many as one likes.
    pub(crate) max: Option<u32>,
    pub(crate) uniques: Vec<Vec<Address>>,
}

impl Facts {
    pub(super) fn of(from: &SchemaNode<'_>) -> Self {
        let many = matches!(from.kind(), SchemaNodeKind::List | SchemaNodeKind::LeafList);
        let above = from.ancestors().take_while(SchemaNode::is_schema_only);
        let mut whens = raw::whens(from);
        whens.extend(above.flat_map(|node| raw::whens(&node)));
        Self {
            address: raw::address(from),
            whens,
            musts: raw::musts(from),
            references: raw::references(from),
            mandatory: !many && from.is_mandatory(),
            default: raw::has_default(from),
            text: raw::has_default(from).then(|| from.default_value_canonical().ok()?).flatten(),
            min: from.min_elements().filter(|_| many).unwrap_or(0),
            max: from.max_elements().filter(|max| many && *max < u32::MAX),
            uniques: raw::uniques(from),
        }
    }
}
