//! Edits onto what stands.

use super::{Addition, Edit};
use crate::{Configuration, Content, Keys, Path, Value};

fn path(text: &str) -> Path {
    text.parse().unwrap()
}

fn keys(name: &str) -> Keys {
    Keys::from([("name".to_owned(), name.to_owned())])
}

fn order(names: &[&str]) -> Content {
    Content::Order(names.iter().map(|name| keys(name)).collect())
}

fn rules(names: &[&str]) -> Configuration {
    let entries = names.iter().map(|name| (path(&format!("/rule[name={name}]")), Content::Entry));
    entries.chain((!names.is_empty()).then(|| (path("/rule"), order(names)))).collect()
}

/// What stands after an edit.
fn after(mut standing: Configuration, edit: &Edit) -> Configuration {
    standing.apply_values(&edit.onto(&standing));
    standing
}

fn append(names: &[&str]) -> Edit {
    let set = names.iter().map(|name| (path(&format!("/rule[name={name}]")), Content::Entry));
    let add = Addition::Entries(names.iter().map(|name| keys(name)).collect());
    Edit { set: set.collect(), add: [(path("/rule"), add)].into(), ..Edit::default() }
}

fn delete(paths: &[&str]) -> Edit {
    Edit { clear: paths.iter().map(|text| path(text)).collect(), ..Edit::default() }
}

#[test]
fn entries_keep_their_place_and_new_ones_go_to_the_end() {
    assert_eq!(after(rules(&[]), &append(&["b", "a"])), rules(&["b", "a"]));
    assert_eq!(after(rules(&["b", "a"]), &append(&["c", "b"])), rules(&["b", "a", "c"]));
}

#[test]
fn entries_that_go_leave_the_order() {
    assert_eq!(after(rules(&["b", "a", "c"]), &delete(&["/rule[name=a]"])), rules(&["b", "c"]));
    assert_eq!(after(rules(&["a"]), &delete(&["/rule[name=a]"])), rules(&[]));
    assert_eq!(after(rules(&["b", "a"]), &delete(&["/rule[name=*]"])), rules(&[]));
    assert_eq!(after(rules(&["b", "a"]), &delete(&["/rule"])), rules(&[]));
    let delta = delete(&["/rule[name=x]"]).onto(&rules(&["a"]));
    assert!(delta.is_empty(), "{delta:?}");
}

#[test]
fn an_entry_that_is_emptied_keeps_its_place_and_one_that_goes_does_not() {
    let emptied = Edit { clear: vec![path("/rule[name=a]/*")], ..append(&["a"]) };
    assert_eq!(after(rules(&["a", "b"]), &emptied), rules(&["a", "b"]));
    let anew = Edit { clear: vec![path("/rule[name=a]")], ..append(&["a"]) };
    assert_eq!(after(rules(&["a", "b"]), &anew), rules(&["b", "a"]));
}

#[test]
fn values_are_added_to_those_there() {
    let add = |values: &[&str], sorted| {
        let values = values.iter().map(|text| Value::string(*text)).collect();
        let addition = Addition::Values { values, sorted };
        Edit { add: [(path("/server"), addition)].into(), ..Edit::default() }
    };
    let servers = |values: &[&str]| -> Configuration {
        [(path("/server"), Content::leaf_list(values.iter().copied()))].into_iter().collect()
    };
    assert_eq!(after(Configuration::new(), &add(&["b", "a"], false)), servers(&["b", "a"]));
    assert_eq!(after(servers(&["c"]), &add(&["b", "c"], false)), servers(&["c", "b"]));
    assert_eq!(after(servers(&["c"]), &add(&["a"], true)), servers(&["a", "c"]));
    let anew = Edit { clear: vec![path("/server")], ..add(&["a"], true) };
    assert_eq!(after(servers(&["c"]), &anew), servers(&["a"]));
}
