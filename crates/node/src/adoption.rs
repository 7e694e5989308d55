//! First connect never writes: a device that already has a configuration is not overwritten.

use lockstep_protocol::record::Failure;
use lockstep_protocol::{Answer, Event, View};
use lockstep_types::{Target, Term};

use crate::target::{Initial, TargetSpec};

/// Turns what a device showed at its first connection into a refusal, if bringing the device in line
/// would take away what it had before Lockstep knew it. Everything else goes through as it is.
pub(crate) fn guard(event: Event, view: &View, spec: Option<&TargetSpec>) -> Event {
    let Event::Answered { target, connection, sequence, answer: Answer::Values(seen) } = event
    else {
        return event;
    };
    let adopts = spec.is_some_and(|spec| spec.initial == Initial::Adopt);
    let answer = if adopts && !seen.is_empty() && is_unknown(view, &target) {
        Answer::Refused(Failure { code: "UNIMPLEMENTED".into(), message: advice(seen.len()) })
    } else {
        Answer::Values(seen)
    };
    Event::Answered { target, connection, sequence, answer }
}

/// Whether the device was never brought in line: nothing it holds can be ours.
fn is_unknown(view: &View, target: &Target) -> bool {
    let header = view.header(target);
    header.synced == Term::ZERO && header.applied.index == lockstep_types::Index::ZERO
}

fn advice(units: usize) -> String {
    format!(
        "the device already has a configuration ({units} values), and adopting it is not implemented \
         yet; nothing was written to it. Set `initial: replace` for this target to make the device \
         match what Lockstep holds"
    )
}
