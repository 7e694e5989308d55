//! The rules of Set, one by one.

use lockstep_types::{Configuration, Content, Edit};
use lockstep_yang::{Form, Operation};
use serde_json::json;

use crate::common::{
    LAB, TYPES, after, at, delete, ietf, path, paths, plain, replace, scalar, update, with,
};

fn lab() -> Configuration {
    with(
        &LAB,
        json!({
            "lab:system": {"hostname": "leaf1", "motd": "hello", "name-server": ["b", "a"]},
            "lab:vlans": {"vlan": [{"id": 10, "name": "ten"}, {"id": 20}]},
            "lab:interfaces": {"interface": [
                {"name": "eth1/1", "mtu": 9000, "access-vlan": 10},
                {"name": "eth1/2", "description": "spare"},
            ]},
        }),
    )
}

#[test]
fn an_edit_is_clears_and_sets() {
    let edit = LAB.edit(&[replace("/vlans/vlan[id=10]", json!({"name": "x"}))]).unwrap();
    let set = [
        (path("/vlans/vlan[id=10]"), Content::Entry),
        (path("/vlans/vlan[id=10]/name"), Content::leaf("x")),
    ];
    assert_eq!(
        edit,
        Edit { clear: vec![path("/vlans/vlan[id=10]/*")], set: set.into(), ..Edit::default() }
    );
    let edit = LAB.edit(&[update("/system/motd", json!("x"))]).unwrap();
    let set = [(path("/system/motd"), Content::leaf("x"))].into();
    assert_eq!(edit, Edit { set, ..Edit::default() });
    assert_eq!(LAB.edit(&[]).unwrap(), Edit::default());
}

#[test]
fn update_merges_and_never_deletes() {
    let tree = after(
        &LAB,
        &lab(),
        &[
            update("/interfaces/interface[name=eth1/1]", json!({"description": "up"})),
            update("/vlans", json!({"vlan": [{"id": 30}]})),
            update("/vlans/vlan", json!([{"id": 40, "name": "forty"}])),
            update("/", json!({"lab:system": {"motd": "bye"}})),
        ],
    )
    .unwrap();
    assert_eq!(
        at(&LAB, &tree, "/", Form::Ietf),
        json!({
            "lab:system": {"hostname": "leaf1", "motd": "bye", "name-server": ["b", "a"]},
            "lab:vlans": {"vlan": [
                {"id": 10, "name": "ten"}, {"id": 20}, {"id": 30}, {"id": 40, "name": "forty"},
            ]},
            "lab:interfaces": {"interface": [
                {"name": "eth1/1", "description": "up", "mtu": 9000, "access-vlan": 10, "enabled": true},
                {"name": "eth1/2", "description": "spare", "mtu": 1500, "enabled": true},
            ]},
        })
    );
}

#[test]
fn update_adds_to_a_leaf_list() {
    let servers = |tree: &Configuration| at(&LAB, tree, "/system/name-server", Form::Json);
    let add = || update("/system/name-server", json!(["c", "a"]));
    assert_eq!(servers(&after(&LAB, &lab(), &[add()]).unwrap()), json!(["b", "a", "c"]));
    let operations = [replace("/system/name-server", json!(["x"])), add()];
    assert_eq!(servers(&after(&LAB, &lab(), &operations).unwrap()), json!(["x", "c", "a"]));
    let operations = [delete("/system/name-server"), add()];
    assert_eq!(servers(&after(&LAB, &lab(), &operations).unwrap()), json!(["c", "a"]));
    let numbers = with(&TYPES, json!({"types:all": {"numbers": ["10", "30"]}}));
    let operations = [update("/all", json!({"numbers": ["20", "10"]}))];
    let numbers = after(&TYPES, &numbers, &operations).unwrap();
    assert_eq!(at(&TYPES, &numbers, "/all/numbers", Form::Json), json!([10, 20, 30]));
}

#[test]
fn replace_of_a_container_takes_away_the_rest() {
    let tree = after(&LAB, &lab(), &[replace("/system", json!({"motd": "only"}))]).unwrap();
    assert_eq!(at(&LAB, &tree, "/system", Form::Json), json!({"motd": "only"}));
    assert_eq!(LAB.get(&tree, &path("/vlans/vlan"), Form::Json).unwrap().len(), 2);
    let tree = after(&LAB, &tree, &[replace("/system", json!({}))]).unwrap();
    assert_eq!(LAB.get(&tree, &path("/system"), Form::Json).unwrap(), []);
}

#[test]
fn replace_of_an_entry_sets_the_rest_to_default() {
    let operation = replace("/interfaces/interface[name=eth1/1]", json!({"name": "eth1/1"}));
    let tree = after(&LAB, &lab(), &[operation]).unwrap();
    assert_eq!(
        at(&LAB, &tree, "/interfaces/interface[name=eth1/1]", Form::Json),
        json!({"name": "eth1/1", "mtu": 1500, "enabled": true})
    );
    assert_eq!(tree.get(&path("/interfaces/interface[name=eth1/1]/mtu")), None);
}

#[test]
fn replace_of_a_list_removes_the_other_entries() {
    let tree = after(&LAB, &lab(), &[replace("/vlans/vlan", json!([{"id": 20}]))]).unwrap();
    assert_eq!(at(&LAB, &tree, "/vlans", Form::Json), json!({"vlan": [{"id": 20}]}));
    let tree = after(&LAB, &tree, &[replace("/vlans/vlan", json!([]))]).unwrap();
    assert_eq!(LAB.get(&tree, &path("/vlans"), Form::Json).unwrap(), []);
}

#[test]
fn replace_of_everything() {
    let tree = after(&LAB, &lab(), &[replace("/", json!({"lab:system": {"motd": "x"}}))]).unwrap();
    assert_eq!(paths(&tree), ["/system/motd"]);
    let tree = after(&LAB, &tree, &[replace("/", json!({}))]).unwrap();
    assert!(tree.is_empty());
}

#[test]
fn replace_of_a_leaf_or_leaf_list() {
    let operations =
        [replace("/system/motd", json!("new")), replace("/system/name-server", json!(["c"]))];
    let tree = after(&LAB, &lab(), &operations).unwrap();
    assert_eq!(
        at(&LAB, &tree, "/system", Form::Json),
        json!({"hostname": "leaf1", "motd": "new", "name-server": ["c"]})
    );
    let tree = after(&LAB, &tree, &[replace("/system/name-server", json!([]))]).unwrap();
    assert_eq!(tree.get(&path("/system/name-server")), None);
}

#[test]
fn delete_is_recursive() {
    let tree = after(&LAB, &lab(), &[delete("/interfaces")]).unwrap();
    assert!(paths(&tree).iter().all(|path| !path.starts_with("/interfaces")));
    let tree = after(&LAB, &lab(), &[delete("/")]).unwrap();
    assert!(tree.is_empty());
}

// rule: set-delete
#[test]
fn delete_expands_wildcards_and_partial_keys() {
    for pattern in [
        "/interfaces/interface/mtu",
        "/interfaces/interface[name=*]/mtu",
        "/interfaces/*/mtu",
        "/.../mtu",
        "/*/*/mtu",
    ] {
        let tree = after(&LAB, &lab(), &[delete(pattern)]).unwrap();
        let left = paths(&tree);
        assert!(left.iter().all(|path| !path.ends_with("/mtu")), "{pattern}: {left:?}");
        assert_eq!(left.len(), lab().len() - 1, "{pattern}");
    }
    let keyed = with(
        &TYPES,
        json!({"types:keyed": {"by-identity": [
            {"colour": "base:red", "name": "a", "note": "x"},
            {"colour": "base:red", "name": "b"},
            {"colour": "types:local", "name": "a"},
        ]}}),
    );
    for (pattern, left) in [
        ("/keyed/by-identity[colour=red]", 1),
        ("/keyed/by-identity[colour=base:red]", 1),
        ("/keyed/by-identity[name=a]", 1),
        ("/keyed/by-identity[colour=*][name=b]", 2),
        ("/keyed/by-identity", 0),
    ] {
        let tree = after(&TYPES, &keyed, &[delete(pattern)]).unwrap();
        let entries = tree.iter().filter(|(_, content)| **content == Content::Entry).count();
        assert_eq!(entries, left, "{pattern}");
    }
}

#[test]
fn delete_of_nothing_is_fine() {
    let operations =
        [delete("/system/motd"), delete("/interfaces/interface[name=none]"), delete("/vlans")];
    let tree = after(&LAB, &Configuration::new(), &operations).unwrap();
    assert!(tree.is_empty());
}

// rule: mistake-prefix
#[test]
fn a_name_is_not_a_prefix() {
    let before = with(&TYPES, json!({"types:all": {"int8": 1, "int16": 2}}));
    let tree = after(&TYPES, &before, &[delete("/all/int8")]).unwrap();
    assert_eq!(paths(&tree), ["/all/int16"]);
}

#[test]
fn the_last_one_on_a_path_wins() {
    let tree = after(
        &LAB,
        &lab(),
        &[
            delete("/system"),
            replace("/system/motd", json!("first")),
            update("/system/motd", json!("second")),
            update("/system/motd", json!("third")),
        ],
    )
    .unwrap();
    assert_eq!(at(&LAB, &tree, "/system", Form::Json), json!({"motd": "third"}));
}

#[test]
fn what_is_deleted_can_be_made_again_below() {
    let operations = [
        delete("/interfaces/interface[name=eth1/1]"),
        update("/interfaces/interface[name=eth1/1]/mtu", json!(1400)),
    ];
    let tree = after(&LAB, &lab(), &operations).unwrap();
    assert_eq!(
        at(&LAB, &tree, "/interfaces/interface[name=eth1/1]", Form::Json),
        json!({"name": "eth1/1", "mtu": 1400, "enabled": true})
    );
    // The other way round, what was set goes as well.
    let operations = [update("/system/motd", json!("x")), delete("/system")];
    let tree = after(&LAB, &lab(), &operations).unwrap();
    assert_eq!(LAB.get(&tree, &path("/system"), Form::Json).unwrap(), []);
}

#[test]
fn what_is_above_comes_to_be() {
    let operations = [update("/interfaces/interface[name=a]/mtu", json!(1400))];
    let tree = after(&LAB, &Configuration::new(), &operations).unwrap();
    assert_eq!(
        paths(&tree),
        ["/interfaces/interface[name=a]", "/interfaces/interface[name=a]/mtu"]
    );
    let operations = [update("/defaults/present/level", json!("2.5"))];
    let tree = after(&TYPES, &Configuration::new(), &operations).unwrap();
    assert_eq!(tree.get(&path("/defaults/present")), Some(&Content::Presence));
    let operations = [update("/interfaces/interface[name=b]/name", json!("b"))];
    let tree = after(&LAB, &Configuration::new(), &operations).unwrap();
    assert_eq!(paths(&tree), ["/interfaces/interface[name=b]"]);
    let operations = [update("/interfaces/interface[name=c]", json!({}))];
    let tree = after(&LAB, &Configuration::new(), &operations).unwrap();
    assert_eq!(paths(&tree), ["/interfaces/interface[name=c]"]);
}

#[test]
fn a_presence_container_is_set_by_an_empty_object() {
    for operation in
        [update("/defaults/present", json!({})), replace("/defaults/present", json!({}))]
    {
        let tree = after(&TYPES, &Configuration::new(), &[operation]).unwrap();
        assert_eq!(tree.get(&path("/defaults/present")), Some(&Content::Presence));
    }
}

#[test]
fn any_character_may_stand_in_a_key() {
    for name in [
        "eth1/1",
        "10.0.0.0/8",
        "a]b",
        "[",
        "a=b",
        "'",
        "\"",
        "\\",
        "é",
        " ",
        "a'b\"c",
        "\u{1F600}",
    ] {
        let entry = lockstep_types::Element::new("interface").unwrap().with_key("name", name);
        let at = path("/interfaces").child(entry.unwrap());
        let operation = Operation::Update(at.clone(), ietf(json!({"mtu": 1400})));
        let tree = after(&LAB, &Configuration::new(), &[operation]).unwrap();
        assert_eq!(LAB.validate(&tree), []);
        let expected = json!({"name": name, "mtu": 1400, "enabled": true});
        assert_eq!(LAB.get(&tree, &at, Form::Json).unwrap(), [(at, expected)]);
        let operation = update("/interfaces", json!({"interface": [{"name": name, "mtu": 1400}]}));
        assert_eq!(after(&LAB, &Configuration::new(), &[operation]).unwrap(), tree);
    }
}

#[test]
fn keys_become_canonical() {
    for (given, canonical) in [
        ("/keyed/by-number[id=007]", "/keyed/by-number[id=7]"),
        ("/types:keyed/types:by-number[types:id=7]", "/keyed/by-number[id=7]"),
        ("/keyed/by-identity[colour=red][name=x]", "/keyed/by-identity[colour=base:red][name=x]"),
        (
            "/keyed/by-identity[colour=local][name=x]",
            "/keyed/by-identity[colour=types:local][name=x]",
        ),
        ("/keyed/by-union[id=010]", "/keyed/by-union[id=10]"),
        ("/keyed/by-union[id=x]", "/keyed/by-union[id=x]"),
        ("/keyed/by-bool[id=true]", "/keyed/by-bool[id=true]"),
    ] {
        let operation = Operation::Update(path(given), ietf(json!({})));
        let tree = after(&TYPES, &Configuration::new(), &[operation]).unwrap();
        assert_eq!(paths(&tree), [canonical]);
        assert_eq!(TYPES.validate(&tree), []);
    }
}

#[test]
fn a_key_in_the_value_may_repeat_the_path() {
    for json in [json!({"id": 7}), json!({"types:id": 7}), json!({"id": 7, "note": "x"})] {
        let operation = replace("/keyed/by-number[id=7]", json);
        assert!(after(&TYPES, &Configuration::new(), &[operation]).is_ok());
    }
    let short = Operation::Update(
        path("/keyed/by-identity[colour=base:red][name=a]"),
        plain(json!({"colour": "red", "name": "a"})),
    );
    assert!(TYPES.edit(&[short]).is_ok());
}

#[test]
fn an_explicit_default_stays() {
    let operations = [update("/interfaces/interface[name=a]/mtu", json!(1500))];
    let tree = after(&LAB, &Configuration::new(), &operations).unwrap();
    assert_eq!(
        tree.get(&path("/interfaces/interface[name=a]/mtu")),
        Some(&Content::leaf(1500_u64))
    );
}

#[test]
fn names_may_be_qualified_anywhere() {
    let operations = [
        update("/lab:system/lab:motd", json!("x")),
        Operation::Update(path("/system"), plain(json!({"lab:hostname": "h"}))),
        Operation::Update(path("/"), plain(json!({"vlans": {"vlan": [{"id": 1}]}}))),
        Operation::Update(path("/vlans/vlan[id=1]/name"), scalar("one")),
    ];
    let tree = after(&LAB, &Configuration::new(), &operations).unwrap();
    assert_eq!(
        paths(&tree),
        ["/system/hostname", "/system/motd", "/vlans/vlan[id=1]", "/vlans/vlan[id=1]/name"]
    );
}
