//! What became of a transaction, in the details of a gRPC status.

use prost::{Message, Name};
use prost_types::Any;
use tonic::{Code, Status};

use crate::proto::google::rpc;
use crate::proto::lockstep::v1::Outcome;

/// A status that carries an outcome.
pub fn status(code: Code, message: impl Into<String>, outcome: &Outcome) -> Status {
    let message = message.into();
    let any = Any { type_url: Outcome::type_url(), value: outcome.encode_to_vec() };
    let rich = rpc::Status { code: code.into(), message: message.clone(), details: vec![any] };
    Status::with_details(code, message, rich.encode_to_vec().into())
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
            waiting_for: String::new(),
        };
        let outcome = Outcome {
            id: "a".into(),
            index: 7,
            status: "reverted".into(),
            targets: BTreeMap::from([("leaf1".into(), refused)]),
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
}
