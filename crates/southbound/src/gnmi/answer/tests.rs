//! The table, row by row.

use std::io;
use std::sync::Arc;

use super::*;

fn answer(asked: Asked, code: Code) -> Answer {
    match classify(asked, &Status::new(code, "words")) {
        Meaning::Answer(answer) => answer,
        other => panic!("{other:?}"),
    }
}

fn words(code: &str) -> Failure {
    Failure { code: code.into(), message: "words".into() }
}

#[test]
fn what_the_connection_says_is_unknown() {
    for code in (1..17).map(Code::from) {
        let mut status = Status::new(code, "broken pipe");
        status.set_source(Arc::new(io::Error::other("broken pipe")));
        for asked in [Asked::Claim, Asked::Read, Asked::Set, Asked::Settle] {
            assert_eq!(classify(asked, &status), Meaning::Answer(Answer::Unknown), "{code:?}");
        }
    }
}

#[test]
fn an_answer_that_is_none_is_unknown() {
    let statuses = [
        Status::unknown("protocol error: missing grpc-status trailer, stream was terminated"),
        Status::unavailable("grpc-status header missing, mapped from HTTP status code 503"),
        Status::internal("Unexpected EOF decoding stream."),
    ];
    for status in statuses {
        assert_eq!(classify(Asked::Set, &status), Meaning::Answer(Answer::Unknown), "{status}");
    }
}

#[test]
fn an_interrupted_set_may_have_happened_and_an_interrupted_read_did_not() {
    for code in [Code::Unavailable, Code::DeadlineExceeded, Code::Cancelled] {
        assert_eq!(answer(Asked::Set, code), Answer::Unknown);
        assert_eq!(answer(Asked::Settle, code), Answer::Unknown);
        assert_eq!(answer(Asked::Read, code), Answer::Busy);
        assert_eq!(answer(Asked::Claim, code), Answer::Busy);
    }
}

#[test]
fn denied_is_fenced_for_a_claim_and_open_for_a_set() {
    assert_eq!(answer(Asked::Claim, Code::PermissionDenied), Answer::Fenced);
    let refused = Answer::Refused(words("PERMISSION_DENIED"));
    assert_eq!(answer(Asked::Read, Code::PermissionDenied), refused);
    let denied = classify(Asked::Set, &Status::permission_denied("words"));
    assert_eq!(denied, Meaning::Denied(words("PERMISSION_DENIED")));
}

#[test]
fn a_quota_is_worth_another_try_and_a_message_too_large_is_not() {
    assert_eq!(answer(Asked::Set, Code::ResourceExhausted), Answer::Busy);
    let status = Status::resource_exhausted("grpc: received message larger than max (9 vs. 4)");
    let Meaning::Answer(Answer::Refused(failure)) = classify(Asked::Set, &status) else {
        panic!("not refused");
    };
    assert_eq!(failure.code, "RESOURCE_EXHAUSTED");
}

#[test]
fn everything_else_is_a_refusal_in_the_devices_words() {
    let codes = [
        (Code::Unknown, "UNKNOWN"),
        (Code::InvalidArgument, "INVALID_ARGUMENT"),
        (Code::NotFound, "NOT_FOUND"),
        (Code::AlreadyExists, "ALREADY_EXISTS"),
        (Code::FailedPrecondition, "FAILED_PRECONDITION"),
        (Code::Aborted, "ABORTED"),
        (Code::OutOfRange, "OUT_OF_RANGE"),
        (Code::Unimplemented, "UNIMPLEMENTED"),
        (Code::Internal, "INTERNAL"),
        (Code::DataLoss, "DATA_LOSS"),
        (Code::Unauthenticated, "UNAUTHENTICATED"),
    ];
    for (code, name) in codes {
        for asked in [Asked::Claim, Asked::Read, Asked::Set] {
            assert_eq!(answer(asked, code), Answer::Refused(words(name)));
        }
    }
}

#[test]
fn a_commit_that_is_not_there_is_told_from_one_of_another_name() {
    let settle = |status| classify(Asked::Settle, &status);
    assert_eq!(settle(Status::failed_precondition("words")), Meaning::Lost);
    let another = Meaning::Another(words("INVALID_ARGUMENT"));
    assert_eq!(settle(Status::invalid_argument("words")), another);
    let denied = Meaning::Denied(words("PERMISSION_DENIED"));
    assert_eq!(settle(Status::permission_denied("words")), denied);
    let refused = Answer::Refused(words("UNIMPLEMENTED"));
    assert_eq!(answer(Asked::Settle, Code::Unimplemented), refused);
    assert_eq!(answer(Asked::Settle, Code::ResourceExhausted), Answer::Busy);
}

#[test]
fn what_is_logged_of_a_connection_is_in_words_and_of_a_device_its_code() {
    let late = Status::from_error(Box::new(TimeoutExpired(())));
    assert_eq!(for_log(&late), "it did not answer in time");
    let broken = Status::from_error(Box::new(io::Error::other("connection reset")));
    assert_eq!(for_log(&broken), "connection reset");
    let mut reading = Status::unknown("reading the answer");
    reading.set_source(Arc::new(io::Error::other("connection reset")));
    assert_eq!(for_log(&reading), "reading the answer: connection reset");
    let cut = Status::internal("Unexpected EOF decoding stream.");
    assert_eq!(for_log(&cut), "Unexpected EOF decoding stream.");
    assert_eq!(for_log(&Status::cancelled("a secret")), "CANCELLED");
}
