//! How much is shown: depth, modules, with and without defaults.

use lockstep_types::{Configuration, Content};
use lockstep_yang::{Form, ModelSet, Options, Show};
use serde_json::{Value as Json, json};

use crate::common::{LAB, TYPES, path, with};

fn tree() -> Configuration {
    with(
        &TYPES,
        json!({
            "types:all": {"int8": 1, "numbers": ["1"], "extra:added": "x"},
            "types:keyed": {
                "by-number": [{"id": 1, "note": "n"}, {"id": 2}],
                "rule": [{"name": "r", "part": [{"n": 1}]}],
            },
            "types:defaults": {"present": {}},
        }),
    )
}

fn shown(text: &str, show: Show) -> Vec<(String, Json)> {
    let found = TYPES.get(&tree(), &path(text), show).unwrap();
    found.into_iter().map(|(path, json)| (path.to_string(), json)).collect()
}

fn json_form() -> Show {
    Show::from(Form::Json)
}

#[test]
fn depth_counts_levels_below_what_was_asked_for() {
    let depth = |text: &str, depth| shown(text, Show { depth, defaults: false, ..json_form() });
    let one = |text: &str, json: Json| vec![(text.to_owned(), json)];
    assert_eq!(depth("/keyed", 1), one("/keyed", json!({})).split_off(1));
    assert_eq!(
        depth("/keyed", 2),
        one(
            "/keyed",
            json!({"by-number": [{"id": 1, "note": "n"}, {"id": 2}], "rule": [{"name": "r"}]})
        )
    );
    assert_eq!(depth("/keyed/rule", 1), one("/keyed/rule[name=r]", json!({"name": "r"})),);
    assert_eq!(
        depth("/keyed/rule[name=r]", 2),
        one("/keyed/rule[name=r]", json!({"name": "r", "part": [{"n": 1}]})),
    );
    assert_eq!(depth("/keyed/rule", 0), depth("/keyed/rule", 2));
    assert_eq!(depth("/all", 1), one("/all", json!({"int8": 1, "numbers": [1], "added": "x"})));
    assert_eq!(depth("/all/int8", 1), one("/all/int8", json!(1)));
    assert_eq!(depth("/", 1), []);
}

#[test]
fn depth_is_for_defaults_too() {
    let show = Show { depth: 1, ..json_form() };
    let expected = json!({"plain": 7, "percent": 50, "colours": ["red", "local"]});
    assert_eq!(shown("/defaults", show), [("/defaults".to_owned(), expected)]);
}

#[test]
fn only_some_modules() {
    let of = |module: &str| Show {
        modules: [module.to_owned()].into(),
        defaults: false,
        ..Show::from(Form::Ietf)
    };
    let extra = json!({"types:all": {"extra:added": "x"}});
    assert_eq!(shown("/", of("extra")), [("/".to_owned(), extra)]);
    let all = json!({"types:int8": 1, "types:numbers": ["1"]});
    assert_eq!(shown("/all", of("types")), [("/all".to_owned(), all)]);
    assert_eq!(shown("/keyed", of("extra")), []);
    assert_eq!(shown("/", of("nobody")), []);
}

#[test]
fn defaults_may_be_left_out() {
    let without = Show { defaults: false, ..json_form() };
    let present = json!({"present": {}});
    assert_eq!(shown("/defaults", without.clone()), [("/defaults".to_owned(), present)]);
    let lab = with(&LAB, json!({"lab:interfaces": {"interface": [{"name": "a"}]}}));
    let found = LAB.get(&lab, &path("/interfaces/interface[name=a]"), without).unwrap();
    assert_eq!(found[0].1, json!({"name": "a"}));
}

#[test]
fn a_default_that_another_default_rules_out_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let module = "module a { namespace 'urn:a'; prefix a; \
        leaf d { type uint8; when \"not(/a:c/a:x = '1')\"; default 2; } \
        container c { leaf x { type uint8; default 1; } leaf y { type uint8; } } }";
    std::fs::write(folder.path().join("a.yang"), module).unwrap();
    let path = folder.path().to_owned();
    let set = ModelSet::load(&Options { path, ..Options::default() }).unwrap();
    let shown = |tree: &Configuration| {
        let found = set.get(tree, &"/".parse().unwrap(), Form::Ietf).unwrap();
        found.into_iter().map(|(_, json)| json).collect::<Vec<_>>()
    };
    // The container by itself, with something else in it, and with what lets the other in.
    assert_eq!(shown(&Configuration::new()), [json!({"a:c": {"x": 1}})]);
    let beside = with(&set, json!({"a:c": {"y": 5}}));
    assert_eq!(shown(&beside), [json!({"a:c": {"x": 1, "y": 5}})]);
    let other = with(&set, json!({"a:c": {"x": 3}}));
    assert_eq!(shown(&other), [json!({"a:c": {"x": 3}, "a:d": 2})]);
}

/// Conditions of an entry and of a default in it, which are all to be heeded.
#[test]
fn a_default_in_an_entry_under_a_condition() {
    let folder = tempfile::tempdir().unwrap();
    let module = "module a { namespace 'urn:a'; prefix a; choice o { \
        case l { list l { when \"not(../z)\"; key k; leaf k { type string; } \
            leaf d { type string; default on; } leaf x { type string; } \
            leaf e { type string; when \"../x = 'y'\"; default off; } } } \
        case z { leaf z { type string; } } } }";
    std::fs::write(folder.path().join("a.yang"), module).unwrap();
    let set =
        ModelSet::load(&Options { path: folder.path().to_owned(), ..Options::default() }).unwrap();
    let of = |tree: &Configuration| {
        let leaves = set.leaves(tree, &path("/l[k=a]")).unwrap().into_iter();
        leaves.map(|(path, _)| path.to_string()).collect::<Vec<_>>()
    };
    // An entry that is there only for what is in it, which comes to be read with the other case.
    let units = [(path("/l[k=a]/d"), Content::leaf("mine"))];
    assert_eq!(of(&units.into_iter().collect()), ["/l[k=a]/d"]);
    // What was read there says nothing of this one.
    assert_eq!(of(&with(&set, json!({"a:l": [{"k": "a"}]}))), ["/l[k=a]/d", "/l[k=a]/k"]);
    let lets = with(&set, json!({"a:l": [{"k": "a", "x": "y"}]}));
    assert_eq!(of(&lets), ["/l[k=a]/d", "/l[k=a]/e", "/l[k=a]/k", "/l[k=a]/x"]);
}
