//! Faults from a file, one of each kind.

use std::time::Duration;

use serde_json::json;
use tonic::Code;

use super::{duration, from_yaml};
use crate::faults::{Does, Feature, Rewrite};
use crate::journal::Kind;

#[test]
fn each_kind_of_fault_has_a_shape() {
    let text = "
- refuse: {code: RESOURCE_EXHAUSTED, message: no room}
  paths: /system/motd
  times: 3
- {delay: 2s, on: [get, claim]}
- {hang: {apply-after: 500ms}, deletes: true}
- hang: {}
- drop: after
- restart: {keep: true}
- {rewrite: upper, paths: [/a, /b]}
- {rewrite: {value: 7}, devices: [1, 3]}
- lack: commit-confirmed
- ignore: arbitration
- {drift: {value: x, every: 1m}, paths: /a}
";
    let faults = from_yaml(text).unwrap();
    let motd = "/system/motd".parse().unwrap();
    let refuse =
        Does::Refuse { code: Code::ResourceExhausted, message: "no room".into(), after: false };
    assert_eq!(faults[0].1, refuse.always().at(motd).times(3));
    let slow = Does::Delay(Duration::from_secs(2)).always();
    assert_eq!(faults[1].1, slow.on([Kind::Get, Kind::Claim]));
    let late = Does::Hang(Some(Duration::from_millis(500))).always();
    assert_eq!(faults[2].1, late.deletes());
    assert_eq!(faults[3].1, Does::Hang(None).always());
    assert_eq!(faults[4].1, Does::Drop { after: true }.always());
    assert_eq!(faults[5].1, Does::Restart { after: false, keep: true }.always());
    assert_eq!(faults[6].1.on.paths.len(), 2);
    assert_eq!(faults[7], (vec![1, 3], Does::Rewrite(Rewrite::Value(json!(7))).always()));
    assert_eq!(faults[8].1, Does::Lack(Feature::Commit).always());
    assert_eq!(faults[9].1, Does::Ignore(Feature::Arbitration).always());
    assert!(matches!(faults[10].1.does, Does::Drift { .. }));
    assert_eq!(from_yaml("[]").unwrap(), []);
}

#[test]
fn what_makes_no_sense_says_where() {
    let table = [
        ("- {}", "exactly one of"),
        ("- {delay: 1s, drop: after}", "exactly one of"),
        ("- delay: soon", "`soon` is no length of time"),
        ("- refuse: {code: OK}", "cannot have the code OK"),
        ("- {refuse: {}, on: restart}", "`restart` is no kind of request"),
        ("- lack: wings", "no feature `wings`"),
        ("- ignore: get", "cannot be ignored"),
        ("- rewrite: sideways", "no way to rewrite"),
        ("- {drift: {every: 1s}}", "needs a path"),
        ("- nonsense: 1", "nonsense"),
    ];
    for (text, reason) in table {
        let error = from_yaml(text).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
}

#[test]
fn lengths_of_time_have_units() {
    assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
    assert_eq!(duration("2h"), Ok(Duration::from_secs(7200)));
    for text in ["", "5", "s", "-1s", "1.5s", "99999999999999999h"] {
        assert!(duration(text).is_err(), "{text}");
    }
}
