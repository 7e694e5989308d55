//! Conditions that depend on themselves.
//!
//! A `when` may read nodes that have a `when`, and so on, back to its own. YANG forbids it, libyang
//! takes it where it does not see it (`count(../*)` counts the node itself), and then what it says
//! of the whole depends on its way through all of the data, not on what any rule reads.

use std::collections::{BTreeMap, BTreeSet};

use super::{Extent, Nature, Read, Rule};
use crate::schema::{Id, Schema};

/// The nodes with such a condition.
pub(super) fn find(schema: &Schema, rules: &[Rule]) -> BTreeSet<Id> {
    let whens = rules.iter().filter(|rule| rule.nature == Nature::When);
    let mut leads: BTreeMap<Id, BTreeSet<Id>> = BTreeMap::new();
    for when in whens {
        leads.entry(when.at).or_default().extend(met(schema, when));
    }
    let conditional: BTreeSet<Id> = leads.keys().copied().collect();
    leads.values_mut().for_each(|met| met.retain(|id| conditional.contains(id)));
    conditional.into_iter().filter(|id| reaches(&leads, *id)).collect()
}

/// Whether a condition leads back to its own node.
fn reaches(leads: &BTreeMap<Id, BTreeSet<Id>>, start: Id) -> bool {
    let mut seen: BTreeSet<Id> = BTreeSet::new();
    let mut open = vec![start];
    while let Some(id) = open.pop() {
        for next in leads.get(&id).into_iter().flatten() {
            if *next == start {
                return true;
            }
            if seen.insert(*next) {
                open.push(*next);
            }
        }
    }
    false
}

/// The nodes that a rule comes across.
pub(super) fn met(schema: &Schema, rule: &Rule) -> BTreeSet<Id> {
    let reads = rule.reads.iter().flatten().flat_map(|read| met_by(schema, read));
    reads.chain(rule.crosses.iter().copied()).collect()
}

/// The nodes on the way to what is read, and all of that.
pub(super) fn met_by(schema: &Schema, Read { place, extent }: &Read) -> BTreeSet<Id> {
    let mut met: BTreeSet<Id> = place.steps.iter().map(|step| step.id).collect();
    if *extent == Extent::Value {
        below(schema, place.end(), &mut met);
    }
    met
}

fn below(schema: &Schema, id: Id, met: &mut BTreeSet<Id>) {
    for child in &schema.node(id).children {
        if met.insert(*child) {
            below(schema, *child, met);
        }
    }
}
