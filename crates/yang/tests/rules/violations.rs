//! The rules of the models, and how a broken one is told.

use lockstep_types::{Configuration, Content};
use lockstep_yang::{ModelSet, Options};
use serde_json::{Value as Json, json};

use crate::common::{LAB, TYPES, path, with};

/// Where, which tag, and how the words begin.
fn broken(rules: Json) -> Vec<(String, String, String)> {
    let tree = with(&TYPES, json!({"types:rules": rules}));
    let violations = TYPES.validate(&tree).into_iter().map(|violation| {
        let tag = violation.app_tag.unwrap_or_default();
        (violation.path.to_string(), tag, violation.message)
    });
    violations.collect()
}

fn one(rules: Json, path: &str, tag: &str, words: &str) {
    let found = broken(rules.clone());
    let [(at, app_tag, message)] = found.as_slice() else { panic!("{rules}: {found:?}") };
    assert_eq!((at.as_str(), app_tag.as_str()), (path, tag), "{rules}: {message}");
    assert!(message.starts_with(words), "{rules}: {message}");
}

#[test]
fn every_rule_is_kept() {
    one(json!({"low": 5, "high": 5}), "/rules/low", "low-high", "low is not low.");
    one(json!({"high": 13}), "/rules/high", "must-violation", "Must condition");
    one(json!({"to": "x"}), "/rules/to", "instance-required", "Invalid leafref value \"x\"");
    one(json!({"needs": {}}), "/rules/needs", "", "Mandatory node \"must-be\"");
    one(json!({"few": ["a", "b"]}), "/rules/few", "too-many-elements", "Too many \"few\"");
    one(
        json!({"one": [{"k": "a"}, {"k": "b"}, {"k": "c"}]}),
        "/rules/one[k=c]",
        "too-many-elements",
        "Too many \"one\"",
    );
    one(
        json!({"one": [{"k": "a", "u": "x"}, {"k": "b", "u": "x"}]}),
        "/rules/one[k=b]",
        "data-not-unique",
        "Unique data leaf(s) \"u\"",
    );
    assert_eq!(broken(json!({"low": 1, "high": 2, "one": [{"k": "x"}], "to": "x"})), []);
}

#[test]
fn every_rule_of_what_is_inside_is_kept() {
    let more = |json: Json| {
        let mut more = json!({"least": [{"k": "a"}, {"k": "b"}], "this": "x"});
        let all = more.as_object_mut().unwrap();
        all.extend(json.as_object().unwrap().clone());
        all.retain(|_, value| !value.is_null());
        json!({"more": more})
    };
    assert_eq!(broken(more(json!({"points": "/types:rules/more/least[k='a']"}))), []);
    let least = json!({"least": [{"k": "a"}]});
    one(more(least), "/rules/more/least[k=a]", "too-few-elements", "Too few \"least\"");
    let none = json!({"this": null});
    one(more(none), "/rules/more", "missing-choice", "Mandatory choice \"which\"");
    let tagged = json!({"tagged": 5});
    one(more(tagged), "/rules/more/tagged", "not-five", "Must condition");
    let points = json!({"points": "/types:rules/more/least[k='c']"});
    let words = "Invalid instance-identifier \"/types:rules/more/least[k='c']\"";
    one(more(points), "/rules/more/points", "instance-required", words);
}

/// What a client sent is told with what is wrong with it.
#[test]
fn the_value_is_told() {
    let tree = with(
        &TYPES,
        json!({"types:rules": {"low": 5, "high": 13, "to": "x", "needs": {}, "few": ["a", "b"]}}),
    );
    let told: Vec<String> = TYPES.validate(&tree).iter().map(ToString::to_string).collect();
    let ends = [
        "(value [\"a\",\"b\"], error-app-tag too-many-elements)",
        "(value 13, error-app-tag must-violation)",
        "Mandatory node \"must-be\" instance does not exist.",
        "(value \"x\", error-app-tag instance-required)",
    ];
    assert_eq!(told.len(), ends.len(), "{told:?}");
    for (told, end) in told.iter().zip(ends) {
        assert!(told.starts_with("/rules/") && told.ends_with(end), "{told}");
    }
}

#[test]
fn all_violations_are_told() {
    let found = broken(json!({"low": 5, "high": 13, "to": "x", "needs": {}, "few": ["a", "b"]}));
    let mut places: Vec<&str> = found.iter().map(|(path, _, _)| path.as_str()).collect();
    places.sort_unstable();
    assert_eq!(places, ["/rules/few", "/rules/high", "/rules/needs", "/rules/to"]);
    let tree = with(
        &LAB,
        json!({"lab:interfaces": {"interface": [
            {"name": "eth1/1", "mtu": 9000, "enabled": false},
            {"name": "a]'b", "access-vlan": 7, "mtu": 9000, "enabled": false},
        ]}}),
    );
    let found = LAB.validate(&tree);
    let mut places: Vec<String> =
        found.iter().map(|violation| violation.path.to_string()).collect();
    places.sort();
    assert_eq!(
        places,
        [
            r"/interfaces/interface[name=a\]'b]/access-vlan",
            r"/interfaces/interface[name=a\]'b]/mtu",
            "/interfaces/interface[name=eth1/1]/mtu",
        ]
    );
}

#[test]
fn a_value_twice_in_a_leaf_list() {
    let tree = with(&TYPES, json!({"types:all": {"numbers": ["1", "2", "1"]}}));
    let violations = TYPES.validate(&tree);
    assert_eq!(violations.len(), 1, "{violations:?}");
    assert_eq!(violations[0].path, path("/all/numbers"));
    assert!(violations[0].message.starts_with("Duplicate instance"), "{violations:?}");
}

#[test]
fn a_when_that_is_false() {
    let tree = with(&TYPES, json!({"types:defaults": {"sometimes": "x"}}));
    let violations = TYPES.validate(&tree);
    assert_eq!(violations.len(), 1, "{violations:?}");
    assert_eq!(violations[0].path, path("/defaults/sometimes"));
    assert!(violations[0].message.starts_with("When condition"), "{violations:?}");
}

/// The condition of what is missing reads the one that is broken; libyang calls that an error of its own.
#[test]
fn a_when_on_what_a_false_when_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let module = "module a { namespace 'urn:a'; prefix a; leaf s { type string; } \
        leaf x { type string; when \"../s = 'a'\"; } \
        container p { presence p; leaf m { type string; mandatory true; when '../../x'; } } }";
    std::fs::write(folder.path().join("a.yang"), module).unwrap();
    let set =
        ModelSet::load(&Options { path: folder.path().to_owned(), ..Options::default() }).unwrap();
    let violations = set.validate(&with(&set, json!({"a:x": "x", "a:p": {}})));
    assert_eq!(violations.len(), 1, "{violations:?}");
    assert_eq!(violations[0].path, path("/x"));
    assert!(violations[0].message.starts_with("When condition"), "{violations:?}");
}

/// As they may be found when a target is bound to other models.
#[test]
fn units_that_do_not_fit_the_models() {
    let tree: Configuration = [
        (path("/nope/x"), Content::leaf("x")),
        (path("/all/int8"), Content::leaf("text")),
        (path("/all/uint8"), Content::leaf(300_u64)),
        (path("/all"), Content::Presence),
        (path("/keyed/by-number"), Content::Entry),
        (path("/keyed/by-number[wrong=1]"), Content::Entry),
        (path("/keyed/by-number[id=x]"), Content::Entry),
        (path("/all/steps"), Content::leaf("x")),
    ]
    .into_iter()
    .collect();
    let violations = TYPES.validate(&tree);
    let mut places: Vec<String> =
        violations.iter().map(|violation| violation.path.to_string()).collect();
    places.sort();
    places.dedup();
    assert_eq!(
        places,
        [
            "/all",
            "/all/int8",
            "/all/steps",
            "/all/uint8",
            "/keyed/by-number",
            "/keyed/by-number[id=x]/id",
            "/keyed/by-number[wrong=1]",
            "/nope",
        ]
    );
}

#[test]
fn nothing_at_all_is_valid() {
    assert_eq!(TYPES.validate(&Configuration::new()), []);
    assert_eq!(LAB.validate(&Configuration::new()), []);
}

#[test]
fn many_threads_at_once() {
    let good = with(&LAB, json!({"lab:system": {"hostname": "a"}}));
    let bad =
        with(&LAB, json!({"lab:interfaces": {"interface": [{"name": "a", "access-vlan": 1}]}}));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(LAB.validate(&good), []);
                    assert_eq!(LAB.validate(&bad).len(), 1);
                }
            });
        }
    });
}

/// libyang has words for each comparison of an instance-identifier with what is none.
#[test]
fn a_comparison_is_no_violation() {
    let folder = tempfile::tempdir().unwrap();
    let module = "module a { namespace 'urn:a'; prefix a; leaf i { type instance-identifier; \
        must \". != 'x' and . != '/nope' and . != '[' and . != '/a:i x'\"; } \
        leaf n { type uint8; must '. < 5'; } }";
    std::fs::write(folder.path().join("a.yang"), module).unwrap();
    let path = folder.path().to_owned();
    let set = ModelSet::load(&Options { path, ..Options::default() }).unwrap();
    let good = with(&set, json!({"a:i": "/a:n", "a:n": 1}));
    assert_eq!(set.validate(&good), []);
    let bad = with(&set, json!({"a:i": "/a:n", "a:n": 7}));
    let found = set.validate(&bad);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].path, crate::common::path("/n"));
}
