//! The table: what an error of gRPC means for a request.
//!
//! | said by | code | claim, read | set, with or without a timer | confirm, cancel |
//! |---|---|---|---|---|
//! | the connection | any | Unknown | Unknown | Unknown |
//! | device | UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED | Busy | Unknown | Unknown |
//! | device | PERMISSION_DENIED | claim: Fenced; read: Refused | denied: see below | denied |
//! | device | RESOURCE_EXHAUSTED, unless the message is too large | Busy | Busy | Busy |
//! | device | FAILED_PRECONDITION | Refused | Refused | Lost |
//! | device | INVALID_ARGUMENT | Refused | Refused | Another |
//! | device | any other | Refused | Refused | Refused |
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
//!
//! To a confirm or cancel, FAILED_PRECONDITION says that no commit waits, and INVALID_ARGUMENT that the
//! one that does has another name. To a Set with a timer the same codes may say that another commit
//! is in the way, but also everything else that they say to a Set, so it is a refusal.

use std::error::Error;
use std::iter::successors;

use lockstep_gnmi::code;
use lockstep_gnmi::proto::gnmi::SetResponse;
use lockstep_protocol::record::Failure;
use lockstep_protocol::{Answer, Ask};
use tonic::{Code, Status, TimeoutExpired};

use super::endpoint;

/// What was asked, as far as the meaning of an error depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Claim,
    Read,
    Set,
    /// Confirm or cancel.
    Settle,
}

impl From<&Ask> for Asked {
    fn from(ask: &Ask) -> Self {
        match ask {
            Ask::Claim => Self::Claim,
            Ask::Read => Self::Read,
            Ask::Set(_) | Ask::Trial { .. } => Self::Set,
            Ask::Confirm(_) | Ask::Cancel(_) => Self::Settle,
        }
    }
}

/// What is told of a device that was waited for in vain.
pub(super) const LATE: &str = "it did not answer in time";

/// What an error means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// This is the answer.
    Answer(Answer),
    /// Refused, or fenced.
    Denied(Failure),
    /// No commit waits to be confirmed.
    Lost,
    /// Another commit does.
    Another(Failure),
}

/// The one place where errors of a device are told apart.
pub(super) fn classify(asked: Asked, status: &Status) -> Meaning {
    if is_from_connection(status) {
        return Meaning::Answer(Answer::Unknown);
    }
    Meaning::Answer(match (status.code(), asked) {
        (
            Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled,
            Asked::Set | Asked::Settle,
        ) => Answer::Unknown,
        (Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled, _) => Answer::Busy,
        (Code::PermissionDenied, Asked::Claim) => Answer::Fenced,
        (Code::PermissionDenied, Asked::Set | Asked::Settle) => {
            return Meaning::Denied(failure(status));
        }
        (Code::FailedPrecondition, Asked::Settle) => return Meaning::Lost,
        (Code::InvalidArgument, Asked::Settle) => return Meaning::Another(failure(status)),
        (Code::ResourceExhausted, _) if !is_too_large(status) => Answer::Busy,
        _ => Answer::Refused(failure(status)),
    })
}

/// Old servers answer OK and put their refusal inside.
pub(super) fn accepted(response: &SetResponse) -> Answer {
    #[allow(deprecated, reason = "what an old device says has to be heard")]
    let errors = response.response.iter().filter_map(|result| result.message.as_ref());
    #[allow(deprecated, reason = "what an old device says has to be heard")]
    let error = response.message.iter().chain(errors).find(|error| error.code != 0);
    match error {
        None => Answer::Accepted,
        Some(error) => {
            let code = i32::try_from(error.code).map_or(Code::Unknown, Code::from);
            let status = Status::new(code, error.message.clone());
            Answer::Refused(failure(&status))
        }
    }
}

/// The device's own words.
pub(super) fn failure(status: &Status) -> Failure {
    Failure { code: code::name(status.code()).to_owned(), message: status.message().to_owned() }
}

/// What may be logged of an error: the code of what a device says, but not its words, which may repeat a value that is
/// secret. What is said on this side of the connection is about the connection, and is told whole.
pub(super) fn for_log(status: &Status) -> String {
    match is_from_connection(status) {
        true => in_words(status),
        false => code::name(status.code()).to_owned(),
    }
}

/// What is said on this side of the connection: tonic's own words for it are a dump of what it is made of.
pub(super) fn in_words(status: &Status) -> String {
    let mut sources = successors(status.source(), |&error| error.source());
    if sources.any(<dyn Error>::is::<TimeoutExpired>) {
        return LATE.to_owned();
    }
    match status.source().map(endpoint::chain) {
        None => status.message().to_owned(),
        Some(from) if status.message().is_empty() || from.starts_with(status.message()) => from,
        Some(from) => format!("{}: {from}", status.message()),
    }
}

/// Whether the error was made on this side, because the connection broke or what came over it was
/// no answer. What a device says arrives in trailers and has no source.
pub(super) fn is_from_connection(status: &Status) -> bool {
    let no_answer = matches!(status.code(), Code::Unknown | Code::Internal | Code::Unavailable)
        && NO_ANSWER.iter().any(|words| status.message().starts_with(words));
    status.source().is_some() || no_answer
}

/// Whether an error is about the moment, or the connection, and says nothing of what was asked.
pub(super) fn is_passing(status: &Status) -> bool {
    let passing = matches!(
        status.code(),
        Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled | Code::ResourceExhausted
    );
    passing || is_from_connection(status)
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
pub(super) fn is_too_large(status: &Status) -> bool {
    let words = status.message().to_ascii_lowercase();
    words.contains("larger than max") || words.contains("too large")
}

#[cfg(test)]
mod tests;
