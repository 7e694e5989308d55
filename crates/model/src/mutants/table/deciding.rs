//! Mutants of the decision, and of what holds until there is an outcome.

use crate::mutants::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[Mutant {
    name: "no-hold",
    breaks: "an atomic transaction does not hold its targets",
    stands_for: "draft; rule 11",
    file: "protocol/src/step/decision.rs",
    find: "staged.header.holder = atomic.then_some(index);",
    replace: "staged.header.holder = None;",
    scenario: "mixed",
    invariant: "AllOrNothing",
}];
