//! XPath 1.0 as YANG uses it: from text to a tree. Nothing is evaluated here; the tree is only looked
//! at for what an expression may read ([`crate::rules`]), and whether libyang can be given it.

mod danger;
mod lex;
mod parse;

pub(crate) use danger::danger;

/// More signs and names than anybody writes; trees are followed by recursion, and the stack is finite.
const LONG: usize = 512;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expr {
    Number,
    Literal(String),
    Call {
        name: String,
        arguments: Vec<Expr>,
    },
    /// A location path.
    Path {
        start: Start,
        steps: Vec<Step>,
    },
    Binary {
        operator: Operator,
        left: Box<Expr>,
        right: Box<Expr>,
    },
}

/// Where a location path begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    Root,
    Context,
    /// At the nodes of another expression, those that pass the predicates.
    Nodes {
        of: Box<Expr>,
        predicates: Vec<Expr>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    /// `and`, `or`.
    Logic,
    /// `=`.
    Equal,
    /// The other comparisons, and arithmetic.
    Value,
    /// `|`.
    Union,
}

/// One step of a location path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) axis: Axis,
    pub(crate) test: Test,
    pub(crate) predicates: Vec<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    Child,
    Parent,
    Itself,
    Descendant,
    DescendantOrSelf,
    Ancestor,
    AncestorOrSelf,
    /// `preceding-sibling` and `following-sibling`.
    Sibling,
}

/// Which nodes of an axis a step takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    Name {
        prefix: Option<String>,
        name: String,
    },
    /// `*` or `prefix:*`.
    Any {
        prefix: Option<String>,
    },
    /// `node()`.
    Node,
    /// `text()`.
    Text,
}

impl Expr {
    /// The tree of an expression; none if it is not understood.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let tokens = lex::tokens(text).filter(|tokens| tokens.len() <= LONG)?;
        parse::Parser::new(tokens).whole()
    }
}

#[cfg(test)]
mod tests;
