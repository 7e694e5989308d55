//! Lists whose order the user gives.

use lockstep_types::{Configuration, Content, Keys};
use lockstep_yang::{Data, DataForm, Form};
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
