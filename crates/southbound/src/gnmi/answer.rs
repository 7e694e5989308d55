//! The table: what an error of gRPC means for a request.
//!
//! | said by | code | claim, read | set |
//! |---|---|---|---|
//! | the connection | any | Unknown | Unknown |
//! | device | UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED | Busy | Unknown |
//! | device | PERMISSION_DENIED | claim: Fenced; read: Refused | denied: see below |
//! | device | RESOURCE_EXHAUSTED, unless the message is too large | Busy | Busy |
//! | device | any other | Refused | Refused |
//!
//! A Set that is *denied* changed nothing, but either another master is listened to or the device has
//! rules about who may change what. Whoever asked finds out by a claim with the same election id.
//!
//! A device that says UNAVAILABLE or CANCELLED to a Set may have begun it: gRPC gives these codes
//! to whatever was interrupted, so they tell nothing. A claim or a read may simply be repeated.
//! RESOURCE_EXHAUSTED is about quotas and sessions, met before anything is done, so a later try may
//! succeed; a message that is too large stays too large. ABORTED would be worth another try by the
//! book of gRPC, but devices say it of a change that they will never take, so it is a refusal, and the
//! client sees the device's own words instead of a deadline.

use std::error::Error;

use lockstep_gnmi::code;
use lockstep_protocol::Answer;
use lockstep_protocol::record::Failure;
use tonic::{Code, Status};

/// What was asked, as far as the meaning of an error depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Claim,
    Read,
    Set,
}

/// What an error means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// This is the answer.
    Answer(Answer),
    /// Refused, or fenced.
    Denied(Failure),
}

/// The one place where errors of a device are told apart.
pub(super) fn classify(asked: Asked, status: &Status) -> Meaning {
    if is_from_connection(status) {
        return Meaning::Answer(Answer::Unknown);
    }
    Meaning::Answer(match (status.code(), asked) {
        (Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled, Asked::Set) => {
            Answer::Unknown
        }
        (Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled, _) => Answer::Busy,
        (Code::PermissionDenied, Asked::Claim) => Answer::Fenced,
        (Code::PermissionDenied, Asked::Set) => return Meaning::Denied(failure(status)),
        (Code::ResourceExhausted, _) if !is_too_large(status) => Answer::Busy,
        _ => Answer::Refused(failure(status)),
    })
}

/// The device's own words.
pub(super) fn failure(status: &Status) -> Failure {
    Failure { code: code::name(status.code()).to_owned(), message: status.message().to_owned() }
}

/// Whether the error was made on this side, because the connection broke or what came over it was
/// no answer. What a device says arrives in trailers and has no source.
pub(super) fn is_from_connection(status: &Status) -> bool {
    let no_answer = matches!(status.code(), Code::Unknown | Code::Internal | Code::Unavailable)
        && NO_ANSWER.iter().any(|words| status.message().starts_with(words));
    status.source().is_some() || no_answer
}

/// How tonic begins its own words when an answer is cut off or is none; a test holds it to them.
const NO_ANSWER: [&str; 5] = [
    "protocol error: missing grpc-status",
    "grpc-status header missing",
    "Unexpected EOF decoding stream",
    "Missing response message",
    "protocol error: received message with",
];

/// As the libraries of gRPC say it, in several languages.
fn is_too_large(status: &Status) -> bool {
    let words = status.message().to_ascii_lowercase();
    words.contains("larger than max") || words.contains("too large")
}

#[cfg(test)]
mod tests;
