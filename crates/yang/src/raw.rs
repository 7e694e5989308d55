//! What libyang's compiled schema says and its safe binding does not: the text of conditions, the
//! paths of references, uniqueness, defaults. The only file with `unsafe`.
//!
//! # Invariants
//!
//! 1. Every pointer that is followed comes from a [`SchemaNode`] that is borrowed for the whole call.
//!    It borrows its context, and a context never frees or moves its compiled schema while it is
//!    borrowed: [`Context`](yang5::context::Context) needs `&mut` to change it.
//! 2. A node is read as the struct of its own kind, and a type as that of its own base type, as
//!    libyang's documentation of `lysc_node` and `lysc_type` asks.
//! 3. A sized array is null or is preceded by its length (`LY_ARRAY_COUNT`). It is read only by
//!    [`array`], which is given pointers to such arrays alone.
//! 4. Nothing that points into libyang leaves this file: texts are copied, nodes go out as numbers
//!    that only serve to tell them apart.
#![allow(unsafe_code, reason = "the binding has no safe way to these parts of the schema")]

use std::ffi::{CStr, c_char};

use yang5::ffi;
use yang5::schema::{SchemaNode, SchemaNodeKind};

/// A node of libyang's, to compare with others. Not to be followed.
pub(crate) type Address = usize;

/// An XPath expression with what its prefixes mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expression {
    pub(crate) text: String,
    /// Prefix and name of the module; none: names without prefix.
    pub(crate) prefixes: Vec<(Option<String>, String)>,
}

/// A condition on the existence of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct When {
    pub(crate) expression: Expression,
    /// The node it is evaluated at; none: the root.
    pub(crate) context: Option<Address>,
}

/// A type, or member of a union, that refers to other nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    Leafref { path: Expression, required: bool },
    Instance { required: bool },
}

/// Which node this is.
pub(crate) fn address(node: &SchemaNode<'_>) -> Address {
    node.as_raw().addr()
}

/// The conditions of a node itself.
pub(crate) fn whens(node: &SchemaNode<'_>) -> Vec<When> {
    // SAFETY: invariants 1 and 3; the array holds pointers to conditions of this node.
    unsafe {
        let whens = array(ffi::lysc_node_when(node.as_raw()));
        let read = |when: &*mut ffi::lysc_when| {
            let when = &**when;
            let context = (!when.context.is_null()).then(|| when.context.addr());
            When { expression: expression(when.cond, when.prefixes), context }
        };
        whens.iter().map(read).collect()
    }
}

/// The `must` statements of a node.
pub(crate) fn musts(node: &SchemaNode<'_>) -> Vec<Expression> {
    // SAFETY: invariants 1 and 3.
    unsafe {
        let musts = array(ffi::lysc_node_musts(node.as_raw()));
        musts.iter().map(|must| expression(must.cond, must.prefixes)).collect()
    }
}

/// What the type of a leaf or leaf-list refers to; members of unions in their order.
pub(crate) fn references(node: &SchemaNode<'_>) -> Vec<Reference> {
    let mut found = Vec::new();
    if let Some(kind) = kind(node) {
        // SAFETY: it is a type of this node.
        unsafe { refers(kind, &mut found) };
    }
    found
}

/// Whether a leaf or leaf-list takes every text, and leaves it as it is: the built-in string with nothing said about it.
pub(crate) fn takes_any_text(node: &SchemaNode<'_>) -> bool {
    let Some(kind) = kind(node) else { return false };
    // SAFETY: invariants 1 and 2.
    unsafe {
        if (*kind).basetype != ffi::LY_DATA_TYPE::LY_TYPE_STRING {
            return false;
        }
        let text = &*kind.cast::<ffi::lysc_type_str>();
        // A derived type has a name, and may have a form of its own.
        text.name.is_null()
            && text.exts.is_null()
            && text.length.is_null()
            && text.patterns.is_null()
    }
}

/// The type of a leaf or leaf-list.
fn kind(node: &SchemaNode<'_>) -> Option<*const ffi::lysc_type> {
    // SAFETY: invariants 1 and 2; a leaf-list has its type at the same place as a leaf, which is
    // why each is read as what it is.
    unsafe {
        match node.kind() {
            SchemaNodeKind::Leaf => Some((*node.as_raw().cast::<ffi::lysc_node_leaf>()).type_),
            SchemaNodeKind::LeafList => {
                Some((*node.as_raw().cast::<ffi::lysc_node_leaflist>()).type_)
            }
            _ => None,
        }
    }
}

/// Whether a leaf or leaf-list has a default, of its own or of its type.
pub(crate) fn has_default(node: &SchemaNode<'_>) -> bool {
    // SAFETY: invariants 1, 2 and 3.
    unsafe {
        match node.kind() {
            SchemaNodeKind::Leaf => {
                !(*node.as_raw().cast::<ffi::lysc_node_leaf>()).dflt.str_.is_null()
            }
            SchemaNodeKind::LeafList => {
                !array((*node.as_raw().cast::<ffi::lysc_node_leaflist>()).dflts).is_empty()
            }
            _ => false,
        }
    }
}

/// The leaves of each `unique` statement of a list.
pub(crate) fn uniques(node: &SchemaNode<'_>) -> Vec<Vec<Address>> {
    if node.kind() != SchemaNodeKind::List {
        return Vec::new();
    }
    // SAFETY: invariants 1, 2 and 3: an array of arrays of pointers to leaves.
    unsafe {
        let uniques = array((*node.as_raw().cast::<ffi::lysc_node_list>()).uniques);
        let leaves = |leaves: &*mut *mut ffi::lysc_node_leaf| {
            array(*leaves).iter().map(|leaf| leaf.addr()).collect()
        };
        uniques.iter().map(leaves).collect()
    }
}

/// # Safety
/// `kind` is a type of a borrowed schema.
unsafe fn refers(kind: *const ffi::lysc_type, found: &mut Vec<Reference>) {
    use ffi::LY_DATA_TYPE as Base;
    // SAFETY: invariants 1, 2 and 3.
    unsafe {
        match (*kind).basetype {
            Base::LY_TYPE_LEAFREF => {
                let leafref = &*kind.cast::<ffi::lysc_type_leafref>();
                found.push(Reference::Leafref {
                    path: expression(leafref.path, leafref.prefixes),
                    required: leafref.require_instance != 0,
                });
            }
            Base::LY_TYPE_INST => {
                let required = (*kind.cast::<ffi::lysc_type_instanceid>()).require_instance != 0;
                found.push(Reference::Instance { required });
            }
            Base::LY_TYPE_UNION => {
                let members = array((*kind.cast::<ffi::lysc_type_union>()).types);
                members.iter().for_each(|member| refers(*member, found));
            }
            _ => {}
        }
    }
}

/// # Safety
/// Both are of one statement of a borrowed schema.
unsafe fn expression(text: *const ffi::lyxp_expr, prefixes: *const ffi::lysc_prefix) -> Expression {
    // SAFETY: invariants 1 and 3; a module of a prefix lives as long as the schema.
    unsafe {
        let prefix = |prefix: &ffi::lysc_prefix| {
            let name = (!prefix.prefix.is_null()).then(|| copied(prefix.prefix));
            (name, copied((*prefix.mod_).name))
        };
        Expression {
            text: copied(ffi::lyxp_get_expr(text)),
            prefixes: array(prefixes).iter().map(prefix).collect(),
        }
    }
}

/// # Safety
/// `text` is null or ends with a zero.
unsafe fn copied(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: invariant 1.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// # Safety
/// Invariant 3.
unsafe fn array<'a, T>(items: *const T) -> &'a [T] {
    if items.is_null() {
        return &[];
    }
    // SAFETY: invariant 3: the length stands right before the first item.
    unsafe {
        let length = *items.cast::<u64>().sub(1);
        std::slice::from_raw_parts(items, usize::try_from(length).unwrap_or(0))
    }
}
