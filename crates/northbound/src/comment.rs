//! What a transaction is for, in the words of whoever asks for it.

use tonic::Status;

/// How long it may be, in bytes: it goes with the transaction to everybody who looks at the log.
const LONGEST: usize = 1024;

/// A comment that can stand in a log, a table and a record as it is.
pub(crate) fn checked(comment: &str) -> Result<String, Status> {
    if comment.len() > LONGEST {
        let length = comment.len();
        return Err(Status::invalid_argument(format!(
            "the comment has {length} bytes, and may have up to {LONGEST}"
        )));
    }
    match comment.chars().find(|character| character.is_control()) {
        None => Ok(comment.to_owned()),
        Some(character) => Err(Status::invalid_argument(format!(
            "the comment has a control character in it, {character:?}; it is one line of text"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, checked};

    // rule: comment
    #[test]
    fn a_comment_is_one_line_and_not_long() {
        assert_eq!(checked("für alle").unwrap(), "für alle");
        assert!(checked("").is_ok() && checked(&"x".repeat(LONGEST)).is_ok());
        assert!(checked(&"x".repeat(LONGEST + 1)).unwrap_err().message().contains("1025 bytes"));
        for bad in ["a\nb", "a\tb", "\x1b[31m", "\u{9b}31m"] {
            let refused = checked(bad).unwrap_err();
            assert!(refused.message().contains("control character"), "{bad:?}: {refused}");
        }
    }
}
