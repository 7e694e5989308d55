//! Lists whose order the user gives.

use lockstep_types::{Configuration, Content, Delta, Keys};
use lockstep_yang::{Data, DataForm, Form, ModelSet, Options};
use serde_json::{Value as Json, json};

use crate::common::{TYPES, after, at, delete, path, replace, update, with};

fn rules(names: &[&str]) -> Json {
    names.iter().map(|name| json!({"name": name})).collect()
}

fn standing(names: &[&str]) -> Configuration {
    with(&TYPES, json!({"types:keyed": {"rule": rules(names)}}))
}

fn order(tree: &Configuration) -> Vec<String> {
    let json = at(&TYPES, tree, "/keyed", Form::Json);
    let names = json["rule"].as_array().into_iter().flatten();
    let names: Vec<String> = names.map(|rule| rule["name"].as_str().unwrap().to_owned()).collect();
    let keys = |name: &String| Keys::from([("name".to_owned(), name.clone())]);
    let expected = Content::Order(names.iter().map(keys).collect());
    assert_eq!(tree.get(&path("/keyed/rule")), Some(&expected));
    assert_eq!(TYPES.validate(tree), []);
    names
}

#[test]
fn the_order_given_is_kept() {
    assert_eq!(order(&standing(&["c", "a", "b"])), ["c", "a", "b"]);
}

#[test]
fn a_new_entry_goes_to_the_end_and_a_known_one_stays() {
    let tree = standing(&["c", "b"]);
    let tree = after(&TYPES, &tree, &[update("/keyed/rule[name=a]", json!({}))]).unwrap();
    assert_eq!(order(&tree), ["c", "b", "a"]);
    let tree = after(&TYPES, &tree, &[update("/keyed/rule", rules(&["b", "d", "c"]))]).unwrap();
    assert_eq!(order(&tree), ["c", "b", "a", "d"]);
    let edit = TYPES.edit(&[update("/keyed/rule[name=b]/action", json!("x"))]).unwrap();
    assert!(!edit.set.contains_key(&path("/keyed/rule")), "an order that stays is not written");
}

#[test]
fn replace_gives_a_new_order_but_not_of_one_entry() {
    let tree = standing(&["c", "b", "a"]);
    let whole = after(&TYPES, &tree, &[replace("/keyed/rule", rules(&["a", "b"]))]).unwrap();
    assert_eq!(order(&whole), ["a", "b"]);
    let above = replace("/keyed", json!({"rule": rules(&["b", "c"])}));
    assert_eq!(order(&after(&TYPES, &tree, &[above]).unwrap()), ["b", "c"]);
    let one = replace("/keyed/rule[name=c]", json!({"action": "x"}));
    assert_eq!(order(&after(&TYPES, &tree, &[one]).unwrap()), ["c", "b", "a"]);
}

#[test]
fn a_deleted_entry_leaves_the_order() {
    let tree = standing(&["c", "b", "a"]);
    let tree = after(&TYPES, &tree, &[delete("/keyed/rule[name=b]")]).unwrap();
    assert_eq!(order(&tree), ["c", "a"]);
    let again = [delete("/keyed/rule[name=c]"), update("/keyed/rule[name=c]/action", json!("x"))];
    assert_eq!(order(&after(&TYPES, &tree, &again).unwrap()), ["a", "c"]);
    for all in ["/keyed/rule", "/keyed/rule[name=*]", "/keyed", "/", "/*/*[name=*]"] {
        assert!(after(&TYPES, &tree, &[delete(all)]).unwrap().is_empty(), "{all}");
    }
    let each = [delete("/keyed/rule[name=a]"), delete("/keyed/rule[name=c]")];
    assert!(after(&TYPES, &tree, &each).unwrap().is_empty());
}

#[test]
fn orders_are_nested() {
    let parts = json!({"name": "a", "part": [{"n": 10}, {"n": 9}]});
    let tree = after(&TYPES, &Configuration::new(), &[update("/keyed/rule", json!([parts]))]);
    let tree = tree.unwrap();
    let tree = after(&TYPES, &tree, &[update("/keyed/rule[name=a]/part[n=1]", json!({}))]).unwrap();
    assert_eq!(
        at(&TYPES, &tree, "/keyed/rule[name=a]", Form::Ietf),
        json!({"types:name": "a", "types:part": [{"n": 10}, {"n": 9}, {"n": 1}]})
    );
    assert_eq!(TYPES.validate(&tree), []);
}

#[test]
fn an_order_is_read_and_written() {
    let data = Data { form: DataForm::Ietf, json: json!({"rule": rules(&["b", "a"])}) };
    let read = TYPES.read(&path("/keyed"), &data).unwrap();
    assert_eq!(order(&read.units), ["b", "a"]);
    let content = read.units.get(&path("/keyed/rule")).unwrap();
    let json = TYPES.encode(&path("/keyed/rule"), content, Form::Json).unwrap();
    assert_eq!(json, rules(&["b", "a"]));
}

/// A set of one module.
fn of(body: &str) -> ModelSet {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("module m {{ namespace \"urn:m\"; prefix m; {body} }}");
    std::fs::write(folder.path().join("m.yang"), text).unwrap();
    ModelSet::load(&Options { path: folder.path().to_owned(), ..Options::default() }).unwrap()
}

const LIST: &str =
    "list l { key k; ordered-by user; leaf k { type string; } leaf v { type string; } }";

fn named(keys: &[&str]) -> Content {
    Content::Order(
        keys.iter().map(|key| Keys::from([("k".to_owned(), (*key).to_owned())])).collect(),
    )
}

#[test]
fn an_order_without_entries_keeps_no_rule() {
    let set = of(&format!("container c {{ must \"l\" {{ error-message \"None.\"; }} {LIST} }}"));
    let units = [("/c/l", named(&["a", "b"])), ("/c/l[k=a]", Content::Entry)];
    let before: Configuration = units.into_iter().map(|(at, unit)| (path(at), unit)).collect();
    assert_eq!(set.validate(&before), []);
    // The order goes on to name an entry that never was.
    let news = [("/c/l", Some(named(&["b"]))), ("/c/l[k=a]", None)];
    let delta: Delta = news.into_iter().map(|(at, unit)| (path(at), unit)).collect();
    let mut after = before.clone();
    after.apply_values(&delta);
    let told: Vec<String> =
        set.validate(&after).into_iter().map(|violation| violation.message).collect();
    assert_eq!(told, ["None."]);
    assert_eq!(set.validate_change(&before, &delta), set.validate(&after));
}

#[test]
fn defaults_follow_the_order() {
    let leaf = "leaf d { type string; default \"on\"; when \"../l[1]/v = 'x'\"; }";
    let set = of(&format!("list o {{ key n; leaf n {{ type string; }} {LIST} {leaf} }}"));
    let entry = |name: &str, first: Json, second: Json| json!({"n": name, "l": [first, second]});
    let (x, y) = (json!({"k": "a", "v": "x"}), json!({"k": "b", "v": "y"}));
    let tree = with(
        &set,
        json!({"m:o": [entry("p", x.clone(), y.clone()), entry("q", y.clone(), x.clone())]}),
    );
    let shown = set.with_defaults(&tree);
    assert_eq!(shown.get(&path("/o[n=p]/d")), Some(&Content::leaf("on")));
    assert_eq!(shown.get(&path("/o[n=q]/d")), None);
}
