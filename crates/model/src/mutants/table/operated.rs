//! Breaks of what operators rely on.

use crate::mutants::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[Mutant {
    name: "paused-is-sent-to",
    breaks: "a paused device is claimed and sent what waits",
    stands_for: "pause",
    file: "protocol/src/node/link.rs",
    find: "if !leased || paused {",
    replace: "if !leased || (paused && matches!(work, Work::Verifying(_))) {",
    scenario: "paused",
    invariant: "Paused",
}];
