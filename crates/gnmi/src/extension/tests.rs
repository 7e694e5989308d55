//! Extensions from the wire.

use prost::Message;
use prost_types::{Any, Duration};

use super::{
    Arbitration, Error, arbitration, claim, options, outcome, refuse_history, with_options,
    with_outcome,
};
use crate::Election;
use crate::proto::gnmi_ext::extension::Ext;
use crate::proto::gnmi_ext::{
    Depth, Extension, History, MasterArbitration, RegisteredExtension, Role,
};
use crate::proto::lockstep::v1::{Outcome, SetOptions};

fn master(role: Option<&str>, id: Option<(u64, u64)>) -> Extension {
    let role = role.map(|id| Role { id: id.into() });
    let election_id = id.map(|(high, low)| Election { high, low }.into());
    Extension { ext: Some(Ext::MasterArbitration(MasterArbitration { role, election_id })) }
}

fn registered(id: i32, msg: Vec<u8>) -> Extension {
    Extension { ext: Some(Ext::RegisteredExt(RegisteredExtension { id, msg })) }
}

fn any(type_url: &str, value: Vec<u8>) -> Vec<u8> {
    Any { type_url: type_url.into(), value }.encode_to_vec()
}

fn ours(value: Vec<u8>) -> [Extension; 1] {
    [registered(999, any("type.googleapis.com/lockstep.v1.SetOptions", value))]
}

fn full() -> SetOptions {
    SetOptions {
        queued: true,
        r#async: true,
        dry_run: true,
        comment: "why".into(),
        deadline: Some(Duration { seconds: 5, nanos: 7 }),
        id: "x".into(),
        confirm: Some(Duration { seconds: 60, nanos: 0 }),
    }
}

#[test]
fn a_claim_is_read_as_it_was_written() {
    for role in ["", "lockstep"] {
        let election = Election { high: 1, low: u64::MAX };
        let said = Arbitration { role: role.into(), election };
        assert_eq!(arbitration(&[claim(&said)]), Ok(Some(said)));
    }
}

#[test]
fn no_role_is_the_empty_role() {
    let none = arbitration(&[master(None, Some((0, 1)))]).unwrap();
    assert_eq!(none, arbitration(&[master(Some(""), Some((0, 1)))]).unwrap());
    assert_eq!(arbitration(&[]), Ok(None));
    let depth = Extension { ext: Some(Ext::Depth(Depth { level: 1 })) };
    assert_eq!(arbitration(&[depth, Extension::default()]), Ok(None));
}

#[test]
fn a_claim_needs_an_id_and_comes_once() {
    assert_eq!(arbitration(&[master(Some("a"), None)]), Err(Error::NoElection));
    let twice = [master(None, Some((0, 1))), master(Some("a"), Some((0, 1)))];
    assert_eq!(arbitration(&twice), Err(Error::Twice { what: "master arbitration" }));
    // Zero is an id; the fields are absent from the wire, the message is not.
    assert!(arbitration(&[master(None, Some((0, 0)))]).unwrap().is_some());
}

#[test]
fn options_are_read_as_they_were_written() {
    for said in [SetOptions::default(), full()] {
        let extension = with_options(&said);
        assert_eq!(options(&[extension]), Ok(Some(said)));
    }
    assert_eq!(options(&[]), Ok(None));
}

#[test]
fn only_the_name_of_the_type_counts() {
    let value = full().encode_to_vec();
    for url in ["lockstep.v1.SetOptions", "/lockstep.v1.SetOptions", "a/b/lockstep.v1.SetOptions"] {
        assert_eq!(options(&[registered(999, any(url, value.clone()))]), Ok(Some(full())));
    }
}

// rule: options-other
#[test]
fn what_is_not_ours_is_passed_over() {
    let other = registered(999, any("type.googleapis.com/some.Thing", vec![0xff]));
    let noise = registered(999, vec![0xff, 0xff]);
    let number = registered(111, any("lockstep.v1.SetOptions", vec![]));
    assert_eq!(options(&[other, noise, number]), Ok(None));
}

#[test]
fn a_field_that_is_not_known_is_an_error() {
    // Field 8, a varint; after fields that are known, and before.
    let unknown = vec![8 << 3, 1];
    let bytes = [full().encode_to_vec(), unknown.clone()].concat();
    assert_eq!(options(&ours(bytes)), Err(Error::UnknownOption { number: 8 }));
    let bytes = [unknown, full().encode_to_vec()].concat();
    assert_eq!(options(&ours(bytes)), Err(Error::UnknownOption { number: 8 }));
    // Field 3 of the deadline.
    let bytes = vec![(5 << 3) | 2, 2, 3 << 3, 1];
    assert_eq!(options(&ours(bytes)), Err(Error::UnknownOption { number: 3 }));
}

#[test]
fn what_cannot_be_read_is_an_error() {
    // A field that is cut short, one of another type, a length beyond the end.
    for bytes in [vec![8], vec![(1 << 3) | 5, 0, 0, 0, 0], vec![(5 << 3) | 2, 9]] {
        let error = options(&ours(bytes)).unwrap_err();
        assert!(matches!(error, Error::Malformed { .. }), "{error}");
    }
    let twice = [ours(vec![]), ours(vec![])].concat();
    assert_eq!(options(&twice), Err(Error::Twice { what: "lockstep.v1.SetOptions" }));
}

#[test]
fn an_outcome_is_read_as_it_was_written() {
    let said = Outcome { index: 7, id: "a".into(), ..Outcome::default() };
    let options = with_options(&full());
    assert_eq!(outcome(&[options.clone(), with_outcome(&said)]), Some(said));
    assert_eq!(outcome(&[options]), None);
}

#[test]
fn history_is_not_passed_over() {
    let history = Extension { ext: Some(Ext::History(History::default())) };
    assert_eq!(refuse_history(&[history]), Err(Error::History));
    assert_eq!(refuse_history(&[with_options(&full())]), Ok(()));
}
