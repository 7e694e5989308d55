//! Conditions that wait for those of another module.
//!
//! libyang goes through data module by module. What still waits at the end of one, for the condition of
//! a node in another, it drops: such a condition counts as kept, and what is there by default under it
//! stays. So what it says depends on what it comes across on its way, even where no rule reads that:
//!
//! ```text
//!   module r   list a { when "/s:b[k = 1]/…"; leaf i { when "../…"; default …; } }
//!   module s   list b { when …; }          i waits for a, and a for each b, which is met later
//! ```

use std::collections::BTreeSet;

use super::circular::met;
use super::{Nature, Rule};
use crate::schema::{Id, Schema};

/// The nodes whose conditions may be dropped: those that wait for another module's, and all that wait
/// for one of them.
pub(super) fn find(schema: &Schema, rules: &[Rule]) -> BTreeSet<Id> {
    let whens = rules.iter().filter(|rule| rule.nature == Nature::When);
    let waits: Vec<(Id, BTreeSet<Id>)> =
        whens.map(|when| (when.at, waits_for(schema, when))).collect();
    let conditional: BTreeSet<Id> = waits.iter().map(|(id, _)| *id).collect();
    let module = |id: Id| schema.lineage(id).first().map(|top| &schema.node(*top).module);
    let far = |(id, waits): &&(Id, BTreeSet<Id>)| {
        waits.intersection(&conditional).any(|other| module(*other) != module(*id))
    };
    let mut found: BTreeSet<Id> = waits.iter().filter(far).map(|(id, _)| *id).collect();
    loop {
        let before = found.len();
        let after = waits.iter().filter(|(_, waits)| !waits.is_disjoint(&found)).map(|(id, _)| *id);
        let after: Vec<Id> = after.collect();
        found.extend(after);
        if found.len() == before {
            return found;
        }
    }
}

/// What a condition may wait for: what it comes across, and all that its node is in.
fn waits_for(schema: &Schema, when: &Rule) -> BTreeSet<Id> {
    let mut found = met(schema, when);
    found.extend(schema.lineage(when.at));
    found
}
