//! What is left of a value for somebody who may not see all of it.

use lockstep_types::Path;
use lockstep_yang::{Fate, Form};
use serde_json::{Value as Json, json};

use crate::common::{LAB, TYPES, at, path, with};

fn pruned(at: &str, value: Json, judge: impl Fn(&Path) -> Fate) -> Option<Json> {
    LAB.prune(&path(at), value, &json!("***"), &judge)
}

/// Keeps what is at or below one path, and masks what is at or below another.
fn only(keep: &str, mask: &str) -> impl Fn(&Path) -> Fate {
    let (keep, mask) = (path(keep), path(mask));
    move |at| match (mask.covers(at), keep.covers(at)) {
        (true, _) => Fate::Mask,
        (false, true) => Fate::Keep,
        (false, false) => Fate::Drop,
    }
}

fn standing() -> Json {
    json!({
        "lab:system": {"hostname": "leaf1", "name-server": ["a", "b"]},
        "lab:interfaces": {"interface": [
            {"name": "a", "mtu": 9000, "description": "x"},
            {"name": "b"},
        ]},
    })
}

#[test]
fn what_is_kept_keeps_its_form() {
    assert_eq!(pruned("/", standing(), |_| Fate::Keep), Some(standing()));
    assert_eq!(pruned("/", standing(), |_| Fate::Drop), None);
    let plain = json!({"system": {"hostname": "leaf1"}});
    assert_eq!(pruned("/", plain.clone(), |_| Fate::Keep), Some(plain));
}

#[test]
fn an_entry_is_left_with_its_keys_if_anything_of_it_is() {
    let left = pruned("/", standing(), only("/interfaces/interface/description", "/none"));
    let entry = json!({"name": "a", "description": "x"});
    assert_eq!(left, Some(json!({"lab:interfaces": {"interface": [entry]}})));
    let one = pruned("/", standing(), only("/interfaces/interface[name=b]", "/none"));
    assert_eq!(one, Some(json!({"lab:interfaces": {"interface": [{"name": "b"}]}})));
}

#[test]
fn what_is_masked_is_still_there() {
    let left =
        pruned("/system", json!({"lab:hostname": "leaf1", "lab:name-server": ["a", "b"]}), |_| {
            Fate::Mask
        });
    assert_eq!(left, Some(json!({"lab:hostname": "***", "lab:name-server": ["***"]})));
    assert_eq!(pruned("/system/hostname", json!("leaf1"), |_| Fate::Mask), Some(json!("***")));
    // Keys are in the path, so there is nothing to hide.
    let left =
        pruned("/interfaces", json!({"interface": [{"name": "a", "mtu": 1}]}), |_| Fate::Mask);
    assert_eq!(left, Some(json!({"interface": [{"name": "a", "mtu": "***"}]})));
}

#[test]
fn what_nobody_knows_is_left_out() {
    let strange = json!({"lab:system": {"hostname": "leaf1", "strange": 1}, "other:x": {}});
    let left = pruned("/", strange, |_| Fate::Keep);
    assert_eq!(left, Some(json!({"lab:system": {"hostname": "leaf1"}})));
    assert_eq!(pruned("/interfaces", json!({"interface": [{"mtu": 1}]}), |_| Fate::Keep), None);
    assert_eq!(pruned("/nowhere", json!(1), |_| Fate::Keep), None);
}

#[test]
fn nothing_is_lost_of_what_is_shown_whole() {
    let tree = with(&TYPES, json!({"types:defaults": {"present": {}, "plain": 8}}));
    for form in [Form::Ietf, Form::Json] {
        let whole = at(&TYPES, &tree, "/", form);
        let kept = TYPES.prune(&path("/"), whole.clone(), &json!("***"), &|_| Fate::Keep);
        assert_eq!(kept, Some(whole));
    }
}
