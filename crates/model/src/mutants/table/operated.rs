//! Breaks of what operators rely on.

use crate::mutants::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "paused-is-sent-to",
        breaks: "a paused device is claimed and sent what waits",
        stands_for: "pause",
        file: "protocol/src/node/link.rs",
        find: "if !leased || paused {",
        replace: "if !leased || (paused && matches!(work, Work::Verifying(_))) {",
        scenario: "paused",
        invariant: "Paused",
    },
    Mutant {
        name: "paused-is-in-line",
        breaks: "a resync that a pause overtook is recorded, and undos wait for the device",
        stands_for: "pause",
        file: "protocol/src/node/recording.rs",
        find: "nothing_new || header.paused || over.is_some_and(withdrawn)",
        replace: "nothing_new || over.is_some_and(withdrawn)",
        scenario: "paused",
        invariant: "Progress",
    },
];
