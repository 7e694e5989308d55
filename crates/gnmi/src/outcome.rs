//! What became of a transaction, in the details of a gRPC status.

use prost::{Message, Name};
use prost_types::Any;
use tonic::{Code, Status};

use crate::brief::{MESSAGE, brief};
use crate::proto::google::rpc;
use crate::proto::lockstep::v1::{Outcome, TargetOutcome};

/// How many bytes an outcome may have in the details of a status.
const ROOM: usize = 1536;
/// How many bytes each text in it may have.
const TEXT: usize = 256;

/// A status that carries an outcome, both shortened to what clients take.
pub fn status(code: Code, message: impl Into<String>, outcome: &Outcome) -> Status {
    let message = brief(&message.into(), MESSAGE);
    let any = Any { type_url: Outcome::type_url(), value: fitted(outcome.clone()).encode_to_vec() };
    let rich = rpc::Status { code: code.into(), message: message.clone(), details: vec![any] };
    Status::with_details(code, message, rich.encode_to_vec().into())
}

/// An outcome that has room in a status: shorter texts, and then fewer targets. Those that have
/// something to say stay longest.
fn fitted(mut outcome: Outcome) -> Outcome {
    outcome.id = brief(&outcome.id, TEXT);
    for target in outcome.targets.values_mut() {
        for text in [&mut target.code, &mut target.message, &mut target.waiting_for] {
            *text = brief(text, TEXT);
        }
        // A part of a path is another path.
        if target.path.len() > TEXT {
            target.path.clear();
        }
    }
    let silent = |target: &TargetOutcome| target.message.is_empty();
    while outcome.encoded_len() > ROOM {
        let last = outcome.targets.iter().rev().find(|(_, target)| silent(target));
        let last = last.or_else(|| outcome.targets.last_key_value());
        let Some(name) = last.map(|(name, _)| name.clone()) else { break };
        outcome.targets.remove(&name);
        outcome.left_out += 1;
    }
    outcome
}

/// The outcome that a status carries, if it does.
pub fn read(status: &Status) -> Option<Outcome> {
    let rich = rpc::Status::decode(status.details()).ok()?;
    let name = Outcome::full_name();
    let any = rich.details.iter().find(|any| any.type_url.rsplit('/').next() == Some(&name))?;
    Outcome::decode(any.value.as_slice()).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tonic::{Code, Status};

    use super::{read, status};
    use crate::proto::lockstep::v1::{Outcome, TargetOutcome};

    #[test]
    fn a_status_carries_an_outcome() {
        let refused = TargetOutcome {
            status: "refused".into(),
            code: "RESOURCE_EXHAUSTED".into(),
            message: "no room".into(),
            ..TargetOutcome::default()
        };
        let outcome = Outcome {
            id: "a".into(),
            index: 7,
            status: "reverted".into(),
            targets: BTreeMap::from([("leaf1".into(), refused)]),
            ..Outcome::default()
        };
        let status = status(Code::Aborted, "leaf1 refused", &outcome);
        assert_eq!((status.code(), status.message()), (Code::Aborted, "leaf1 refused"));
        assert_eq!(read(&status), Some(outcome));
    }

    #[test]
    fn other_details_are_no_outcome() {
        assert_eq!(read(&Status::aborted("no details")), None);
        let noise = Status::with_details(Code::Aborted, "noise", vec![0xff, 0xff].into());
        assert_eq!(read(&noise), None);
    }

    #[test]
    fn it_has_room_whatever_happens() {
        let refused = |words: &str| TargetOutcome {
            status: "refused".into(),
            message: words.repeat(1000),
            ..TargetOutcome::default()
        };
        let applied = TargetOutcome { status: "applied".into(), ..TargetOutcome::default() };
        let mut targets: BTreeMap<_, _> =
            (0..500).map(|number| (format!("leaf{number}"), applied.clone())).collect();
        targets.insert("a".into(), refused("no "));
        targets.insert("z".into(), refused("ü"));
        let outcome = Outcome { id: "x".repeat(1000), targets, ..Outcome::default() };
        let status = status(Code::Aborted, "ä".repeat(5000), &outcome);
        assert!(status.message().len() + status.details().len() < 4096);
        let read = read(&status).unwrap();
        assert!(read.targets.contains_key("a") && read.targets.contains_key("z"));
        assert_eq!(read.targets.len() + read.left_out as usize, 502);
        assert!(read.targets["z"].message.ends_with("ü…"));
    }
}
