//! Conditions that libyang cannot bring into an order.
//!
//! What is there by default goes if its condition is false. If a condition inside it still waits for
//! that of a node which was set, libyang takes the whole away, and later looks at what is no longer
//! there. Models in which that may happen are refused:
//!
//! ```text
//!   container o { when "A";            gone if A is false,
//!     leaf i { when "../x"; default … }    while this waits for the condition of x
//!   }
//!   leaf x { when "B"; }
//! ```
//!
//! The node it waits for may be of the same kind as the outer one, in another entry of a list.

use std::collections::BTreeSet;

use super::circular::met_by;
use super::{Nature, Rule};
use crate::schema::{Id, Kind, Schema};

/// A node whose condition may still wait when what it is in is taken away, with that and with what it
/// waits for.
pub(super) fn find(
    schema: &Schema,
    rules: &[Rule],
    implicit: impl Fn(Id) -> bool,
) -> Option<(Id, Id, Id)> {
    let whens: Vec<&Rule> = rules.iter().filter(|rule| rule.nature == Nature::When).collect();
    let conditional: BTreeSet<Id> = whens.iter().map(|when| when.at).collect();
    for inner in whens.iter().filter(|inner| implicit(inner.at)) {
        for outer in holders(schema, inner.at, &conditional) {
            if let Some(other) = waits_for(schema, inner, outer, &conditional).first() {
                return Some((inner.at, outer, *other));
            }
        }
    }
    None
}

/// The containers with a condition that a node comes by default with.
fn holders(schema: &Schema, id: Id, conditional: &BTreeSet<Id>) -> Vec<Id> {
    let up =
        std::iter::successors(Some(schema.node(id).parent), |id| Some(schema.node(*id).parent));
    let plain = |id: &Id| schema.node(*id).kind == Kind::Container { presence: false };
    up.take_while(plain).filter(|id| conditional.contains(id)).collect()
}

/// The nodes with a condition that one comes across: those it reads, and those above `outer` that it
/// goes up through. One that is not understood may come across any.
fn waits_for(schema: &Schema, when: &Rule, outer: Id, conditional: &BTreeSet<Id>) -> BTreeSet<Id> {
    let lineage = schema.lineage(outer);
    let inside = |id: &Id| schema.lineage(*id).contains(&outer);
    let Some(reads) = &when.reads else {
        return conditional.iter().copied().filter(|id| !inside(id)).collect();
    };
    let mut found = BTreeSet::new();
    let mut anywhere = false;
    for read in reads {
        let base = read.place.base;
        let way = lineage.get(schema.lineage(base).len()..).unwrap_or_default();
        // What is in this very outer one is there by default, as that is; in other entries it may not be.
        let others = way.iter().any(|id| schema.node(*id).kind == Kind::List);
        anywhere |= others;
        found.extend(met_by(schema, read).into_iter().filter(|id| others || !inside(id)));
        let above = lineage.iter().rev().skip(1);
        found.extend(above.take_while(|id| **id != schema.node(base).parent));
    }
    found.extend(when.crosses.iter().filter(|id| anywhere || !inside(id)));
    found.retain(|id| conditional.contains(id));
    found
}
