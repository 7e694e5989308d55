//! Breaks of what the answers of several devices in one write rest on.

use crate::mutants::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "together-without-mastership",
        breaks: "a write that records the answers of several devices compares one mastership",
        stands_for: "Fencing",
        file: "protocol/src/node/together.rs",
        find: "draft.as_master(other, &self.session);",
        replace: "",
        scenario: "together",
        invariant: "Fencing",
    },
    Mutant {
        name: "together-left-waiting",
        breaks: "what was answered while something was being recorded waits for ever",
        stands_for: "Progress",
        file: "protocol/src/node/learn.rs",
        find: "self.go_on_after(&wake).into_iter().collect();",
        replace: "self.go_on_after(&wake).into_iter().take(0).collect();",
        scenario: "together",
        invariant: "Progress",
    },
];
