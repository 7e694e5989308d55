//! What numbers and names promise.

use super::{Error, Index, MAX_BYTES, Target, Timestamp};

#[test]
fn numbers_count_from_zero() {
    assert_eq!(Index::default(), Index::ZERO);
    assert_eq!(Index::ZERO.next().next(), Index::new(2));
    assert!(Index::new(9) < Index::new(10));
    assert_eq!(Index::new(7).to_string(), "7");
    assert_eq!(format!("{:>3}", Index::new(7)), "  7");
    assert_eq!("12".parse(), Ok(Index::new(12)));
    assert!("-1".parse::<Index>().is_err());
}

#[test]
fn numbers_are_bare_in_json() {
    assert_eq!(serde_json::to_string(&Index::new(3)).unwrap(), "3");
    assert_eq!(serde_json::from_str::<Index>("3").unwrap(), Index::new(3));
    assert!(serde_json::from_str::<Index>("-3").is_err());
}

#[test]
fn a_deadline_beyond_the_end_of_time_never_comes() {
    assert_eq!(Timestamp::new(5).after(10), Timestamp::new(15));
    assert_eq!(Timestamp::new(5).after(u64::MAX), Timestamp::new(u64::MAX));
}

#[test]
fn names_say_what_is_wrong_with_them() {
    let kind = "target name";
    assert_eq!(Target::new(""), Err(Error::Empty { kind }));
    assert_eq!(Target::new("x".repeat(257)), Err(Error::TooLong { kind, bytes: 257 }));
    let control = Target::new("leaf\u{1b}1").unwrap_err();
    assert_eq!(control, Error::Control { kind, character: '\u{1b}', position: 4 });
    assert_eq!(control.to_string(), "target name has the control character U+001B at byte 4");
    assert!(Target::new("é".repeat(MAX_BYTES / 2)).is_ok());
}

#[test]
fn names_are_checked_when_they_are_read() {
    let name: Target = serde_json::from_str("\"leaf1\"").unwrap();
    assert_eq!(name.as_str(), "leaf1");
    assert_eq!(serde_json::to_string(&name).unwrap(), "\"leaf1\"");
    let error = serde_json::from_str::<Target>("\"\"").unwrap_err();
    assert!(error.to_string().contains("target name is empty"), "{error}");
    assert!("a\nb".parse::<Target>().is_err());
}
