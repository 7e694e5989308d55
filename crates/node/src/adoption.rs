//! First connect never writes: a device that already has a configuration is not overwritten.

use lockstep_protocol::record::Failure;
use lockstep_protocol::{Answer, View};
use lockstep_types::{Configuration, Target};

use crate::target::{Initial, TargetSpec};

/// Turns what a device showed at its first connection into a refusal, if bringing the device in line
/// would take away what it had before Lockstep knew it.
pub(crate) fn guard(seen: Configuration, view: &View, spec: &TargetSpec) -> Answer {
    if spec.initial == Initial::Adopt && !seen.is_empty() && is_unknown(view, &spec.name) {
        let message = advice(seen.len());
        return Answer::Refused(Failure { code: "UNIMPLEMENTED".into(), message });
    }
    Answer::Values(seen)
}

/// Whether the device was never brought in line: nothing it holds can be ours.
fn is_unknown(view: &View, target: &Target) -> bool {
    !view.header(target).met
}

fn advice(units: usize) -> String {
    format!(
        "the device already has a configuration ({units} values), and adopting it is not implemented \
         yet; nothing was written to it. Set `initial: replace` for this target to make the device \
         match what Lockstep holds"
    )
}
