//! What clients ask.

use lockstep_protocol::record::{Kind, Mode, Rule};
use lockstep_protocol::{Body, Request, Until};
use lockstep_types::{Content, Edit};

use super::DEADLINE;
use super::build::{id, index, path, target, time};

/// An atomic, sync change.
pub(crate) fn change<const N: usize>(name: &str, edits: [(&str, Edit); N]) -> Request {
    let edits = edits.into_iter().map(|(on, edit)| (target(on), edit)).collect();
    request(
        name,
        Body {
            kind: Kind::Change,
            mode: Mode::Atomic,
            edits,
            only: [].into(),
            window: None,
            binding: None,
        },
    )
}

/// A Rollback by the rule *target*.
pub(crate) fn rollback(name: &str, of: u64) -> Request {
    rollback_by(name, of, Rule::Target)
}

/// A Rollback by the rule *path*.
pub(crate) fn rollback_by_path(name: &str, of: u64) -> Request {
    rollback_by(name, of, Rule::Path)
}

/// A Rollback on fewer targets.
pub(crate) fn rollback_on<const N: usize>(name: &str, of: u64, only: [&str; N]) -> Request {
    let mut request = rollback(name, of);
    request.body.only = only.into_iter().map(target).collect();
    request
}

/// An atomic, sync Restore of these targets.
pub(crate) fn restore<const N: usize>(name: &str, to: u64, only: [&str; N]) -> Request {
    let (kind, only) = (Kind::Restore { to: index(to) }, only.into_iter().map(target).collect());
    request(
        name,
        Body { kind, mode: Mode::Atomic, edits: [].into(), only, window: None, binding: None },
    )
}

fn rollback_by(name: &str, of: u64, rule: Rule) -> Request {
    let kind = Kind::Rollback { of: index(of), rule };
    request(
        name,
        Body {
            kind,
            mode: Mode::Atomic,
            edits: [].into(),
            only: [].into(),
            window: None,
            binding: None,
        },
    )
}

fn request(name: &str, body: Body) -> Request {
    Request {
        id: id(name),
        body,
        until: Until::Outcome,
        deadline: time(DEADLINE),
        answer_by: None,
        author: String::new(),
        comment: String::new(),
    }
}

pub(crate) fn queued(mut request: Request) -> Request {
    request.body.mode = Mode::Queued;
    request
}

pub(crate) fn asynchronous(mut request: Request) -> Request {
    request.until = Until::Decision;
    request
}

/// Taken out again unless it is confirmed within this time.
pub(crate) fn confirmed_within(mut request: Request, length: u64) -> Request {
    request.body.window = Some(length);
    request
}

pub(crate) fn due(mut request: Request, deadline: u64) -> Request {
    request.deadline = time(deadline);
    request
}

/// A client that wants to be answered by then.
pub(crate) fn answered_by(mut request: Request, at: u64) -> Request {
    request.answer_by = Some(time(at));
    request
}

/// An edit that sets units.
pub(crate) fn set<const N: usize>(units: [(&str, &str); N]) -> Edit {
    let set = units.into_iter().map(|(at, value)| (path(at), Content::leaf(value))).collect();
    Edit { set, ..Edit::default() }
}

/// An edit that clears subtrees.
pub(crate) fn clear<const N: usize>(roots: [&str; N]) -> Edit {
    Edit { clear: roots.into_iter().map(path).collect(), ..Edit::default() }
}
