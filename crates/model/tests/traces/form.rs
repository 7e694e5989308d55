//! Files that are not traces, or not quite.

use lockstep_model::trace::checker::Note;
use lockstep_model::trace::{Reason, check};

use crate::support::{found, run, text};

fn replaced(from: &str, to: &str) -> Reason {
    let text = text(&run("two", 1));
    assert!(text.contains(from));
    found(&text.replacen(from, to, 1)).reason
}

#[test]
fn another_version_is_refused() {
    let reason = replaced("\"version\":1", "\"version\":2,\"more\":true");
    assert_eq!(reason, Reason::Version { found: Some(2) });
    assert!(reason.to_string().contains("format version 2"), "{reason}");
    assert!(reason.to_string().contains("reads version 1"), "{reason}");
}

#[test]
fn the_header_comes_first_and_once() {
    let whole = text(&run("two", 1));
    let (header, rest) = whole.split_once('\n').expect("lines");
    assert_eq!(found(rest).reason, Reason::NoHeader);
    assert_eq!(found("").reason, Reason::NoHeader);
    assert_eq!(found("{\"other\":1}\n").reason, Reason::NoHeader);
    assert_eq!(found(&format!("{header}\n{header}\n")).reason, Reason::SecondHeader);
}

#[test]
fn unknown_fields_are_errors_however_deep() {
    let unknown = |from, to| match replaced(from, to) {
        Reason::UnknownField(at) => at,
        Reason::Unreadable(message) => message,
        other => panic!("{other}"),
    };
    let shallow = unknown("\"number\":1,", "\"number\":1,\"extra\":0,");
    assert!(shallow.contains("extra"), "{shallow}");
    let deep = unknown("\"models\":\"models\"", "\"models\":\"models\",\"extra\":0");
    assert_eq!(deep, "outside.ops[0].binding.binding.extra");
}

#[test]
fn a_line_that_cannot_be_read() {
    let finding = found(&text(&run("two", 1)).replacen("{\"begin\"", "{begin", 1));
    assert!(matches!(finding.reason, Reason::Unreadable(_)), "{finding}");
    assert_eq!(finding.line, 4);
}

#[test]
fn a_last_line_cut_off_is_noted() {
    let whole = text(&run("two", 1));
    let lines = whole.lines().count();
    let last = whole.trim_end().rfind('\n').expect("lines") + 1;
    let cuts = (last + 1..whole.len() - 1).filter(|cut| whole.is_char_boundary(*cut));
    for cut in cuts.step_by(7) {
        let report = check(&whole.as_bytes()[..cut]).expect("good");
        assert_eq!(report.lines, lines - 1);
        assert_eq!(report.notes, [Note::CutOff { line: lines }]);
    }
    let report = check(&whole.as_bytes()[..whole.len() - 1]).expect("good");
    assert_eq!((report.lines, report.notes.len()), (lines, 0), "only its end is missing");
}

#[test]
fn a_line_cut_off_in_the_middle_is_not() {
    let whole = text(&run("two", 1));
    let finding = found(&whole.replacen("}}\n", "\n", 3));
    assert!(matches!(finding.reason, Reason::Unreadable(_)), "{finding}");
}

#[test]
fn a_store_told_out_of_order() {
    let content = "\"store\":[{\"revision\":4,\"ops\":[]},{\"revision\":4,\"ops\":[]}]";
    let reason = replaced("\"store\":[]", content);
    assert_eq!(reason, Reason::Content(lockstep_types::Revision::new(4)));
}
