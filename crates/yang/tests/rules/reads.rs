//! What devices report, and single units as JSON.

use lockstep_types::{Configuration, Content};
use lockstep_yang::{DataError, Form, PathError, Read};
use serde_json::json;

use crate::common::{LAB, TYPES, ietf, path, paths, plain, with};

#[test]
fn state_is_left_out_and_the_unknown_is_listed() {
    let report = json!({
        "lab:system": {"hostname": "a", "uptime": "5", "vendor:light": "on", "motd": 5},
        "lab:vlans": {"vlan": [{"id": 1, "name": "x"}, {"id": 5000}, {"name": "lost"}]},
        "vendor:secret": {"x": 1},
    });
    let read = LAB.read(&path("/"), &ietf(report)).unwrap();
    assert_eq!(
        paths(&read.units),
        ["/system/hostname", "/vlans/vlan[id=1]", "/vlans/vlan[id=1]/name"]
    );
    assert_eq!(read.outside.len(), 5, "{:?}", read.outside);
    for expected in [
        "/system/vendor:light",
        "/vendor:secret",
        "/system/motd: ",
        "/vlans/vlan/id: ",
        "an entry has no key `id`",
    ] {
        assert!(
            read.outside.iter().any(|text| text.contains(expected)),
            "{expected}: {:?}",
            read.outside
        );
    }
}

#[test]
fn a_report_below_a_path() {
    let read = LAB.read(&path("/interfaces/interface[name=a]/mtu"), &ietf(json!(1400))).unwrap();
    assert_eq!(
        paths(&read.units),
        ["/interfaces/interface[name=a]", "/interfaces/interface[name=a]/mtu"]
    );
    let read = LAB.read(&path("/vlans/vlan"), &plain(json!([{"id": 4}]))).unwrap();
    assert_eq!(paths(&read.units), ["/vlans/vlan[id=4]"]);
    assert_eq!(LAB.read(&path("/system/uptime"), &ietf(json!("5"))), Ok(Read::default()));
}

#[test]
fn devices_are_taken_leniently() {
    let report =
        json!({"types:all": {"uint64": 5, "decimal": 1.5, "identity": "red", "uint8": "7"}});
    let read = TYPES.read(&path("/"), &ietf(report)).unwrap();
    assert_eq!(read.outside, Vec::<String>::new());
    assert_eq!(read.units.len(), 4);
}

#[test]
fn a_report_of_another_shape_is_refused() {
    assert!(matches!(LAB.read(&path("/system"), &ietf(json!([]))), Err(DataError::Shape { .. })));
    let unknown = LAB.read(&path("/nope"), &ietf(json!({})));
    assert!(matches!(unknown, Err(DataError::Path(PathError::Unknown { .. }))));
}

#[test]
fn what_is_read_is_what_was_rendered() {
    let tree = with(
        &TYPES,
        json!({
            "types:all": {"uint64": "5", "bits": "mike zulu", "numbers": ["3", "1"], "extra:string": 1},
            "types:keyed": {"rule": [{"name": "b", "part": [{"n": 2}, {"n": 1}]}, {"name": "a"}]},
            "types:defaults": {"present": {}},
        }),
    );
    for form in [Form::Ietf, Form::Json] {
        let (_, json) = TYPES.get(&tree, &path("/"), form).unwrap().remove(0);
        let read = TYPES.read(&path("/"), &ietf(json)).unwrap();
        let explicit: Configuration = read
            .units
            .iter()
            .filter(|(path, _)| tree.get(path).is_some())
            .map(|(path, content)| (path.clone(), content.clone()))
            .collect();
        assert_eq!(explicit, tree, "{form:?}");
    }
}

#[test]
fn units_as_json() {
    for (text, content, json) in [
        ("/all/int64", Content::leaf(5_i64), json!("5")),
        ("/all/steps", Content::leaf_list(["b", "a"]), json!(["b", "a"])),
        ("/keyed/by-number[id=7]", Content::Entry, json!({"types:id": 7})),
        ("/defaults/present", Content::Presence, json!({})),
    ] {
        assert_eq!(TYPES.encode(&path(text), &content, Form::Ietf).unwrap(), json, "{text}");
    }
    for (text, content) in [
        ("/all", Content::Presence),
        ("/all/int64", Content::Entry),
        ("/keyed/by-number", Content::Entry),
    ] {
        let error = TYPES.encode(&path(text), &content, Form::Ietf).unwrap_err();
        assert_eq!(error, PathError::Content { path: path(text) });
    }
}
