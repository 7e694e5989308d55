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
    Mutant {
        name: "no-leap",
        breaks: "a device that has seen terms which the store has forgotten is claimed in the same term again",
        stands_for: "a store that is set back",
        file: "protocol/src/node/leap.rs",
        find: "if knows_us && !heard && !handed",
        replace: "if false && knows_us && !heard && !handed",
        scenario: "set-back",
        invariant: "Progress",
    },
    Mutant {
        name: "leap-once-said",
        breaks: "a refusal that is recorded already leads to no leap",
        stands_for: "a store that is set back",
        file: "protocol/src/node/recording.rs",
        find: "if let Some((term, mastership)) = self.leap(target, term).zip(mastership)",
        replace: "if self.view.header(target).resync_refused.is_none() && let Some((term, mastership)) = self.leap(target, term).zip(mastership)",
        scenario: "set-back",
        invariant: "Progress",
    },
];
