//! What devices say beside what was set: defaults, and state.

use lockstep_types::{Configuration, Content, Path};
use lockstep_yang::{Form, Show};
use serde_json::json;

use crate::common::LAB;

fn units<const N: usize>(units: [(&str, Content); N]) -> Configuration {
    units.into_iter().map(|(path, content)| (path.parse().unwrap(), content)).collect()
}

const A: &str = "/interfaces/interface[name=a]";
const ENABLED: &str = "/interfaces/interface[name=a]/enabled";
const MTU: &str = "/interfaces/interface[name=a]/mtu";

#[test]
fn a_default_that_nobody_set_is_left_out() {
    let shown = units([
        (A, Content::Entry),
        (ENABLED, Content::leaf(true)),
        (MTU, Content::leaf(1500_u64)),
    ]);
    let wanted = units([(A, Content::Entry)]);
    let folded = LAB.fold(&shown, &wanted);
    assert_eq!(folded, wanted);
    assert!(folded.is_one_with(&wanted), "whoever compares them has nothing to do");
}

#[test]
fn a_default_that_somebody_set_is_there_though_it_is_not_shown() {
    let shown = units([(A, Content::Entry)]);
    let wanted = units([(A, Content::Entry), (MTU, Content::leaf(1500_u64))]);
    assert_eq!(LAB.fold(&shown, &wanted), wanted);
}

#[test]
fn anything_but_a_default_is_a_difference() {
    let shown = units([(A, Content::Entry), (MTU, Content::leaf(9000_u64))]);
    let wanted = units([(A, Content::Entry), (ENABLED, Content::leaf(false))]);
    let folded = LAB.fold(&shown, &wanted);
    assert_eq!(folded, shown);
    assert_eq!(folded.diff(&wanted).len(), 2);
}

#[test]
fn an_entry_that_is_not_wanted_is_shown_whole() {
    let shown = units([(A, Content::Entry), (ENABLED, Content::leaf(true))]);
    assert_eq!(LAB.fold(&shown, &Configuration::new()), shown);
}

fn laid_over(path: &str, config: serde_json::Value, state: serde_json::Value) -> serde_json::Value {
    let path: Path = path.parse().unwrap();
    let config = Some(config).filter(|config| !config.is_null());
    LAB.overlay(&path, config, &state, Form::Ietf).unwrap().unwrap_or_default()
}

#[test]
fn state_is_the_devices_and_configuration_is_not() {
    let config = json!({ "lab:system": { "motd": "ours" } });
    let state = json!({ "system": { "motd": "theirs", "uptime": "7", "unknown": 1 } });
    let both = json!({ "lab:system": { "motd": "ours", "uptime": "7" } });
    assert_eq!(laid_over("/", config, state.clone()), both);
    let state_alone = json!({ "lab:system": { "uptime": "7" } });
    assert_eq!(laid_over("/", json!(null), state), state_alone);
    assert_eq!(laid_over("/system/uptime", json!(null), json!("7")), json!("7"));
    assert_eq!(laid_over("/system", json!(null), json!({ "unknown": 1 })), json!(null));
}

#[test]
fn entries_with_the_same_keys_are_the_same() {
    let config = json!({ "lab:vlan": [ { "id": 7, "name": "seven" } ] });
    let state = json!({ "lab:vlan": [ { "id": "7" }, { "id": 8 } ] });
    let both = json!({ "lab:vlan": [ { "id": 7, "name": "seven" }, { "id": 8 } ] });
    assert_eq!(laid_over("/vlans", config, state), both);
}

#[test]
fn state_is_told_leaf_by_leaf() {
    let told = |path: &str, state| LAB.state_leaves(&path.parse().unwrap(), &state);
    let uptime = vec![("/system/uptime".parse().unwrap(), Content::leaf(7_u64))];
    // In either form, at any path, and never what is configuration.
    assert_eq!(told("/", json!({ "lab:system": { "uptime": "7", "motd": "x" } })), uptime);
    assert_eq!(told("/system", json!({ "uptime": 7, "unknown": 1 })), uptime);
    assert_eq!(told("/system/uptime", json!("7")), uptime);
    assert_eq!(told("/system", json!({ "uptime": "soon" })), []);
    assert_eq!(told("/nowhere", json!(1)), []);
}

#[test]
fn state_is_limited_as_configuration_is() {
    let state = json!({ "system": { "uptime": "7" } });
    let show = |depth, module: &str| Show {
        depth,
        modules: [module.to_owned()].into(),
        ..Show::from(Form::Ietf)
    };
    let laid = |show| LAB.overlay(&Path::root(), None, &state, show).unwrap();
    assert_eq!(laid(show(2, "lab")), Some(json!({ "lab:system": { "uptime": "7" } })));
    assert_eq!(laid(show(1, "lab")), None);
    assert_eq!(laid(show(0, "other")), None);
}
