//! gRPC codes by name, which is how people and records know them.

use tonic::Code;

const NAMES: [(Code, &str); 17] = [
    (Code::Ok, "OK"),
    (Code::Cancelled, "CANCELLED"),
    (Code::Unknown, "UNKNOWN"),
    (Code::InvalidArgument, "INVALID_ARGUMENT"),
    (Code::DeadlineExceeded, "DEADLINE_EXCEEDED"),
    (Code::NotFound, "NOT_FOUND"),
    (Code::AlreadyExists, "ALREADY_EXISTS"),
    (Code::PermissionDenied, "PERMISSION_DENIED"),
    (Code::ResourceExhausted, "RESOURCE_EXHAUSTED"),
    (Code::FailedPrecondition, "FAILED_PRECONDITION"),
    (Code::Aborted, "ABORTED"),
    (Code::OutOfRange, "OUT_OF_RANGE"),
    (Code::Unimplemented, "UNIMPLEMENTED"),
    (Code::Internal, "INTERNAL"),
    (Code::Unavailable, "UNAVAILABLE"),
    (Code::DataLoss, "DATA_LOSS"),
    (Code::Unauthenticated, "UNAUTHENTICATED"),
];

/// The name of a code, such as `INVALID_ARGUMENT`.
pub fn name(code: Code) -> &'static str {
    let known = NAMES.iter().find(|(known, _)| *known == code);
    known.map_or("UNKNOWN", |(_, name)| name)
}

/// The code with this name, written as [`name`] writes it.
pub fn parse(text: &str) -> Option<Code> {
    NAMES.iter().find(|(_, name)| *name == text).map(|(code, _)| *code)
}

#[cfg(test)]
mod tests {
    use super::{NAMES, name, parse};

    #[test]
    fn every_code_has_a_name_and_no_two_the_same() {
        for (number, (code, text)) in (0..).zip(NAMES) {
            assert_eq!(i32::from(code), number);
            assert_eq!(name(code), text);
            assert_eq!(parse(text), Some(code));
        }
        assert_eq!(parse("invalid_argument"), None);
    }
}
