//! Expressions that libyang does not survive.
//!
//! libyang 5.4 reads beyond its memory in two places, whatever the data:
//!
//! - It brings the nodes that a step has found into the order of the document, and falls when one has
//!   to move forward. Axes that go against that order do so, and steps down from nodes that lie in one
//!   another, once anything but a step down was taken.
//! - `sum`, `deref`, `enum-value` and `bit-is-set` take the root for a node.
//!
//! And it follows an expression by recursion. So models that have such an expression are refused. This
//! goes by the text alone, before libyang sees it, and so is strict: some of these would be survived.

use super::lex::{self, Token};
use super::{Axis, Expr, Operator, Start, Step, Test};

/// Far more than anybody writes.
const LONG: usize = 4096;

const AGAINST: [&str; 6] = [
    "ancestor",
    "ancestor-or-self",
    "preceding",
    "preceding-sibling",
    "following",
    "following-sibling",
];
const NO_ROOT: [&str; 4] = ["sum", "deref", "enum-value", "bit-is-set"];

/// What is wrong with an expression; none if it can be given to libyang.
pub(crate) fn danger(text: &str) -> Option<String> {
    // libyang says what is wrong with one that is none.
    let tokens = lex::tokens(text)?;
    if tokens.len() > LONG {
        return Some(format!("it has more than {LONG} parts"));
    }
    let axis = tokens.windows(2).find_map(|pair| match pair {
        [Token::Name(None, name), Token::Sign("::")] if AGAINST.contains(&name.as_str()) => {
            Some(format!("libyang cannot follow the axis `{name}`"))
        }
        _ => None,
    });
    axis.or_else(|| look(&Expr::read(text)?))
}

/// What the nodes that a path leads to may be like.
#[derive(Clone, Copy, Default)]
struct Found {
    /// They may lie at different depths.
    scattered: bool,
    /// They may lie in one another.
    nested: bool,
    /// More than steps down were taken.
    turned: bool,
    /// The root may be among them.
    root: bool,
}

fn look(expr: &Expr) -> Option<String> {
    walk(expr).err()
}

/// Looks at an expression and all in it.
fn walk(expr: &Expr) -> Result<Found, String> {
    match expr {
        Expr::Number | Expr::Literal(_) => Ok(Found::default()),
        Expr::Binary { operator, left, right } => {
            let (left, right) = (walk(left)?, walk(right)?);
            if *operator != Operator::Union {
                return Ok(Found::default());
            }
            let (turned, root) = (left.turned || right.turned, left.root || right.root);
            Ok(Found { scattered: true, nested: true, turned, root })
        }
        Expr::Call { name, arguments } => call(name, arguments),
        Expr::Path { start, steps } => {
            let mut found = match start {
                Start::Root => Found { root: true, ..Found::default() },
                Start::Context => Found::default(),
                Start::Nodes { of, predicates } => {
                    predicates.iter().try_for_each(|predicate| walk(predicate).map(drop))?;
                    walk(of)?
                }
            };
            for place in 0..steps.len() {
                found = step(found, steps, place)?;
            }
            Ok(found)
        }
    }
}

fn call(name: &str, arguments: &[Expr]) -> Result<Found, String> {
    for argument in arguments {
        let found = walk(argument)?;
        if found.root && NO_ROOT.contains(&name) {
            return Err(format!("libyang cannot take the root as an argument of `{name}`"));
        }
    }
    // Where a leafref leads, nodes are found in their order.
    Ok(Found { turned: name == "deref", ..Found::default() })
}

fn step(found: Found, steps: &[Step], place: usize) -> Result<Found, String> {
    let Some(step) = steps.get(place) else { return Ok(found) };
    step.predicates.iter().try_for_each(|predicate| walk(predicate).map(drop))?;
    let named = matches!(step.test, Test::Name { .. });
    // `//` stands for a step to everything below, and one down from there.
    let deep = place.checked_sub(1).and_then(|above| steps.get(above));
    let deep = deep.is_some_and(|above| above.axis == Axis::DescendantOrSelf);
    let from_nested = found.nested && !(deep && step.axis == Axis::Child);
    let turns = !matches!(step.axis, Axis::Child | Axis::Itself);
    let turned = found.turned || turns;
    let next = match step.axis {
        Axis::Itself => Found { root: found.root && !named, ..found },
        Axis::Parent => {
            let nested = found.nested || found.scattered;
            Found { turned, nested, root: !named, ..found }
        }
        Axis::Child if deep => Found { scattered: true, nested: !named, turned, root: false },
        Axis::Child => Found { turned, root: false, ..found },
        Axis::Descendant => Found { scattered: true, nested: !named, turned, root: false },
        Axis::DescendantOrSelf => {
            let root = found.root && !named;
            Found { scattered: true, nested: !named, turned: found.turned, root }
        }
        // Refused by their names.
        Axis::Ancestor | Axis::AncestorOrSelf | Axis::Sibling => found,
    };
    let down = matches!(step.axis, Axis::Child | Axis::Descendant | Axis::DescendantOrSelf);
    if down && from_nested && turned {
        return Err("libyang cannot go down from nodes that may lie in one another".to_owned());
    }
    Ok(next)
}
