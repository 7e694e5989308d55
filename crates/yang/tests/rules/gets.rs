//! What is at a path: defaults, wildcards, names.

use lockstep_types::Configuration;
use lockstep_yang::Form;
use serde_json::{Value as Json, json};

use crate::common::{LAB, TYPES, all, at, path, with};

fn lab() -> Configuration {
    with(
        &LAB,
        json!({
            "lab:system": {"hostname": "leaf1"},
            "lab:interfaces": {"interface": [{"name": "a", "mtu": 9000}, {"name": "b"}]},
        }),
    )
}

#[test]
fn defaults_are_there_where_their_parent_is() {
    assert_eq!(
        at(&TYPES, &Configuration::new(), "/defaults", Form::Ietf),
        json!({
            "types:plain": 7,
            "types:percent": 50,
            "types:colours": ["base:red", "types:local"],
            "types:nested": {"big": "18446744073709551615"},
        })
    );
    assert_eq!(all(&TYPES, &Configuration::new(), "/defaults/present"), []);
    let tree = with(&TYPES, json!({"types:defaults": {"present": {}, "plain": 8}}));
    assert_eq!(
        at(&TYPES, &tree, "/defaults", Form::Json),
        json!({
            "plain": 8,
            "percent": 50,
            "colours": ["red", "local"],
            "sometimes": "eight",
            "shared": "s",
            "guarded": {"inner": "i"},
            "picked": "p",
            "augmented": "a",
            "nested": {"big": u64::MAX},
            "present": {"level": 1.5},
        })
    );
    assert_eq!(at(&TYPES, &tree, "/defaults/present/level", Form::Ietf), json!("1.5"));
    assert_eq!(all(&LAB, &lab(), "/interfaces/interface[name=none]/mtu"), []);
}

/// A part of the configuration is looked at where that is enough; it must not be told from the whole.
#[test]
fn one_leaf_is_as_in_the_whole() {
    let defaults = |json: Json| with(&TYPES, json!({ "types:defaults": json }));
    for tree in [
        Configuration::new(),
        defaults(json!({"plain": 7})),
        defaults(json!({"plain": 8, "present": {}})),
        defaults(json!({"plain": 8, "other": "x"})),
        with(&TYPES, json!({"types:choices": {"line": {"speed": 1}}})),
    ] {
        let whole = at(&TYPES, &tree, "/", Form::Json);
        for leaf in [
            "defaults/plain",
            "defaults/percent",
            "defaults/colours",
            "defaults/sometimes",
            "defaults/shared",
            "defaults/guarded",
            "defaults/guarded/inner",
            "defaults/picked",
            "defaults/augmented",
            "defaults/nested",
            "defaults/nested/big",
            "defaults/present",
            "defaults/present/level",
            "choices/port",
            "choices",
        ] {
            let expected = leaf.split('/').try_fold(&whole, |json, name| json.get(name)).cloned();
            let found = all(&TYPES, &tree, leaf).into_iter().next().map(|(_, json)| json);
            assert_eq!(found, expected, "{leaf} in {whole}");
        }
    }
}

#[test]
fn no_data_is_nothing() {
    for text in ["/system", "/system/hostname", "/interfaces", "/", "/system/uptime", "/*", "/..."]
    {
        assert_eq!(all(&LAB, &Configuration::new(), text), [], "{text}");
    }
    assert_eq!(all(&LAB, &lab(), "/system/motd"), []);
}

#[test]
fn wildcards_give_concrete_paths() {
    let a = json!({"name": "a", "mtu": 9000, "enabled": true});
    let b = json!({"name": "b", "mtu": 1500, "enabled": true});
    let named =
        |name: &str, json: &Json| (format!("/interfaces/interface[name={name}]"), json.clone());
    for text in
        ["/interfaces/interface", "/interfaces/interface[name=*]", "/interfaces/*", "/*/interface"]
    {
        assert_eq!(all(&LAB, &lab(), text), [named("a", &a), named("b", &b)], "{text}");
    }
    let mtus = [
        ("/interfaces/interface[name=a]/mtu".to_owned(), json!(9000)),
        ("/interfaces/interface[name=b]/mtu".to_owned(), json!(1500)),
    ];
    for text in [
        "/interfaces/interface/mtu",
        "/.../mtu",
        "/interfaces/.../mtu",
        "/*/*/mtu",
        "/.../interface/.../mtu",
    ] {
        assert_eq!(all(&LAB, &lab(), text), mtus, "{text}");
    }
    assert_eq!(
        all(&LAB, &lab(), "/interfaces/interface[name=b]/*"),
        [
            ("/interfaces/interface[name=b]/name".to_owned(), json!("b")),
            ("/interfaces/interface[name=b]/enabled".to_owned(), json!(true)),
            ("/interfaces/interface[name=b]/mtu".to_owned(), json!(1500)),
        ]
    );
    let top: Vec<String> = all(&LAB, &lab(), "/*").into_iter().map(|(path, _)| path).collect();
    assert_eq!(top, ["/interfaces", "/system"]);
    let everything = all(&LAB, &lab(), "/...");
    assert_eq!(everything.len(), 1);
    assert_eq!(everything[0].0, "/");
}

/// `...` again and again leads to the same places in very many ways.
#[test]
fn a_pattern_of_many_wildcards_ends() {
    let text = "/.../*/.../*/.../.../.../.../...".to_owned();
    assert_eq!(all(&LAB, &lab(), &text).len(), 3);
    let text = "/...".repeat(60) + "/mtu";
    assert_eq!(all(&LAB, &lab(), &text).len(), 2);
    assert!(TYPES.check(&path(&text.replace("mtu", "note"))).is_ok());
}

#[test]
fn a_key_in_a_pattern_may_be_of_several_types() {
    let keyed = json!({"by-number": [{"id": 7}], "by-union": [{"id": "x"}, {"id": 7}], "by-bool": [{"id": true}]});
    let tree = with(&TYPES, json!({ "types:keyed": keyed }));
    let found =
        |text: &str| all(&TYPES, &tree, text).into_iter().map(|(path, _)| path).collect::<Vec<_>>();
    assert_eq!(found("/keyed/*[id=7]"), ["/keyed/by-number[id=7]", "/keyed/by-union[id=7]"]);
    assert_eq!(found("/keyed/*[id=x]"), ["/keyed/by-union[id=x]"]);
    assert_eq!(found("/*/*[id=true]"), ["/keyed/by-bool[id=true]"]);
}

#[test]
fn defaults_can_be_had_as_units() {
    let tree = with(&LAB, json!({"lab:interfaces": {"interface": [{"name": "a"}]}}));
    let filled = LAB.with_defaults(&tree);
    assert_eq!(
        filled.get(&path("/interfaces/interface[name=a]/mtu")),
        Some(&lockstep_types::Content::leaf(1500_u64))
    );
    assert_eq!(filled.len(), 3);
}

#[test]
fn a_key_is_a_leaf_too() {
    assert_eq!(at(&LAB, &lab(), "/interfaces/interface[name=a]/name", Form::Json), json!("a"));
    let tree = with(&TYPES, json!({"types:keyed": {"by-number": [{"id": 7}]}}));
    assert_eq!(at(&TYPES, &tree, "/keyed/by-number[id=7]/id", Form::Ietf), json!(7));
    assert_eq!(
        all(&TYPES, &tree, "/keyed/by-number/id"),
        [("/keyed/by-number[id=7]/id".to_owned(), json!(7))]
    );
}

// rule: value-json-ietf
#[test]
fn names_are_qualified_where_the_module_changes() {
    let tree = with(
        &TYPES,
        json!({
            "types:all": {"int8": 1, "types:string": "s", "extra:string": 3, "extra:added": "a"},
            "types:same": {"x": "1"},
            "extra:same": {"y": "2"},
            "extra:part": {"z": "3"},
        }),
    );
    assert_eq!(
        at(&TYPES, &tree, "/", Form::Ietf)["types:all"],
        json!({"int8": 1, "string": "s", "extra:string": 3, "extra:added": "a"})
    );
    assert_eq!(
        at(&TYPES, &tree, "/all", Form::Ietf),
        json!({"types:int8": 1, "types:string": "s", "extra:string": 3, "extra:added": "a"})
    );
    assert_eq!(
        at(&TYPES, &tree, "/all", Form::Json),
        json!({"int8": 1, "types:string": "s", "extra:string": 3, "added": "a"})
    );
    assert_eq!(at(&TYPES, &tree, "/types:same/x", Form::Json), json!("1"));
    assert_eq!(at(&TYPES, &tree, "/extra:same", Form::Json), json!({"y": "2"}));
    assert_eq!(at(&TYPES, &tree, "/part/z", Form::Json), json!("3"));
    assert_eq!(TYPES.validate(&tree), []);
}

#[test]
fn keys_are_written_by_their_type() {
    let keyed = json!({"types:keyed": {
        "by-bool": [{"id": true, "wide": "5"}],
        "by-identity": [{"colour": "base:red", "name": "a"}],
        "by-number": [{"id": 9}, {"id": 10}],
        "by-union": [{"id": 10}, {"id": "x"}],
    }});
    let tree = with(&TYPES, keyed);
    assert_eq!(
        at(&TYPES, &tree, "/keyed", Form::Json),
        json!({
            "by-bool": [{"id": true, "wide": 5}],
            "by-identity": [{"colour": "red", "name": "a"}],
            "by-number": [{"id": 10}, {"id": 9}],
            "by-union": [{"id": 10}, {"id": "x"}],
        })
    );
    assert_eq!(
        at(&TYPES, &tree, "/keyed/by-identity[colour=red][name=a]", Form::Ietf),
        json!({"types:colour": "base:red", "types:name": "a"})
    );
    assert_eq!(TYPES.validate(&tree), []);
}

#[test]
fn paths_that_are_not_in_the_models_are_refused() {
    for text in ["/nope", "/interfaces/interface[name=a]/nope", "/interfaces/interface[id=1]"] {
        assert!(LAB.get(&lab(), &path(text), Form::Json).is_err(), "{text}");
    }
}

#[test]
fn a_changed_configuration_is_seen() {
    let first = lab();
    assert_eq!(at(&LAB, &first, "/system/hostname", Form::Json), json!("leaf1"));
    let second = with(&LAB, json!({"lab:system": {"hostname": "leaf2"}}));
    assert_eq!(at(&LAB, &second, "/system/hostname", Form::Json), json!("leaf2"));
    assert_eq!(at(&LAB, &first, "/system/hostname", Form::Json), json!("leaf1"));
}
