//! What devices tell of changes, in the several ways in which they do.

use std::path::Path as FilePath;

use lockstep_gnmi::proto::gnmi::Update;
use lockstep_gnmi::value;
use lockstep_yang::Options;
use serde_json::{Value, json};

use super::*;

fn models() -> ModelSet {
    let path = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../models/lab");
    ModelSet::load(&Options { path, ..Options::default() }).unwrap()
}

fn at(text: &str) -> Path {
    text.parse().unwrap()
}

fn told(prefix: &str, updates: &[(&str, Value)], deletes: &[&str]) -> Notification {
    let update = updates.iter().map(|(place, json)| Update {
        path: Some(path::write(&at(place))),
        val: Some(value::json(json, true)),
        ..Update::default()
    });
    Notification {
        prefix: Some(path::write(&at(prefix))),
        update: update.collect(),
        delete: deletes.iter().map(|place| path::write(&at(place))).collect(),
        ..Notification::default()
    }
}

#[test]
fn paths_and_values_become_canonical() {
    let told = told(
        "/lab:vlans",
        &[("/lab:vlan[id=07]", json!({ "name": "seven" }))],
        &["/vlan[lab:id=0008]"],
    );
    let edit = edit(&models(), &told).unwrap();
    assert_eq!(edit.clear, [at("/vlans/vlan[id=8]")]);
    let set: Vec<_> = edit.set.keys().cloned().collect();
    assert_eq!(set, [at("/vlans/vlan[id=7]"), at("/vlans/vlan[id=7]/name")]);
}

#[test]
fn an_atomic_notification_replaces_what_stands_at_its_prefix() {
    let mut told = told("/system", &[("/motd", json!("hi"))], &[]);
    told.atomic = true;
    let edit = edit(&models(), &told).unwrap();
    assert_eq!(edit.clear, [at("/system")]);
    assert_eq!(edit.set.len(), 1);
}

#[test]
fn state_and_what_the_models_do_not_know_are_left_out() {
    let updates = [("/system/uptime", json!("7")), ("/vendor:box/x", json!(1))];
    let told = told("/", &updates, &["/system/uptime", "/vendor:box"]);
    assert_eq!(edit(&models(), &told).unwrap(), Edit::default());
}

#[test]
fn a_key_goes_with_its_entry() {
    let told = told("/", &[], &["/vlans/vlan[id=8]/id", "/vlans/vlan[id=9]/name"]);
    let edit = edit(&models(), &told).unwrap();
    assert_eq!(edit.clear, [at("/vlans/vlan[id=8]"), at("/vlans/vlan[id=9]/name")]);
}
