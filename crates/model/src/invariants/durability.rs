//! What a client was told stays true: an outcome is the outcome, what was told as decided stays decided,
//! and what was turned down is not in the log. A client is told of what it asked, and when it asked to be
//! told: how far it is, if that is all there is to tell by the time it named. And what the records say
//! to a node that starts is what they say to those that saw them written.

use std::hash::{DefaultHasher, Hash, Hasher};

use lockstep_protocol::View;
use lockstep_protocol::record::Status;
use lockstep_protocol::{Request, Until};
use lockstep_types::{Edit, Index, Target};

use super::Step;
use crate::system::{System, Told};

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let system = step.after;
    let kept = system.told.iter().all(|(number, told)| match told {
        Told::Refused => is_nowhere(system, *number),
        Told::Status(index, status) => stays_true(&system.archive, *index, *status),
    });
    kept && is_all_written(system)
        && step.from.is_none_or(|(before, _)| {
            let unchanged =
                before.told.iter().all(|(number, told)| system.told.get(number) == Some(told));
            let new = system.told.iter().filter(|(number, _)| !before.told.contains_key(number));
            unchanged
                && new.into_iter().all(|(number, told)| is_what_was_asked(system, *number, told))
        })
}

/// Nothing is known of the store that is not written there.
fn is_all_written(system: &System) -> bool {
    let print = |view: &View| {
        let mut hasher = DefaultHasher::new();
        view.hash(&mut hasher);
        hasher.finish()
    };
    let moved = !system.commits.is_empty();
    let kept = system.kept.as_ref().filter(|_| moved);
    kept.is_none_or(|kept| print(&kept.load()) == print(&system.store))
}

/// What was turned down is not in the log. Of two entries with one id, the other one may be.
fn is_nowhere(system: &System, number: usize) -> bool {
    let mut entries = system.scenario.script.iter().enumerate().map(|(at, entry)| (at + 1, entry));
    let Some(id) = entries.clone().find(|(n, _)| *n == number).map(|(n, entry)| entry.id(n)) else {
        return true;
    };
    entries.any(|(n, entry)| n != number && entry.id(n) == id)
        || system.archive.named(&id).is_none()
}

fn stays_true(store: &View, index: Index, told: Status) -> bool {
    store.transaction(index).is_some_and(|transaction| {
        let undecided = matches!(transaction.status, Status::Pending | Status::Rejected);
        match told {
            Status::Pending => true,
            Status::Reverting => matches!(transaction.status, Status::Reverting | Status::Reverted),
            told if told.is_final() => transaction.status == told,
            _ => !undecided,
        }
    })
}

fn is_what_was_asked(system: &System, number: usize, told: &Told) -> bool {
    let Told::Status(index, status) = told else { return true };
    let entry = number.checked_sub(1).and_then(|at| system.scenario.script.get(at));
    let Some(request) = entry.map(|entry| entry.request(number)) else { return true };
    let due = match request.until {
        Until::Outcome => status.is_final(),
        Until::Decision => *status != Status::Pending,
    };
    let in_time = request.answer_by.is_some_and(|by| by <= system.now);
    (due || in_time) && asks_for(&system.archive, &request, *index)
}

fn asks_for(store: &View, request: &Request, index: Index) -> bool {
    let edited = |(target, edit): (&Target, &Edit)| {
        store.proposal(index, target).is_some_and(|p| p.edit == *edit)
    };
    store.transaction(index).is_some_and(|t| t.id == request.id && t.kind == request.body.kind)
        && request.body.edits.iter().all(edited)
}
