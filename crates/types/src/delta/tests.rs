//! Deltas as examples; the laws are in the property tests.

use super::Delta;
use crate::{Content, Path};

fn path(text: &str) -> Path {
    text.parse().unwrap()
}

fn delta<const N: usize>(changes: [(&str, Option<i64>); N]) -> Delta {
    changes.into_iter().map(|(text, number)| (path(text), number.map(Content::leaf))).collect()
}

#[test]
fn the_later_change_wins() {
    let first = delta([("/a", Some(1)), ("/b", Some(1)), ("/c", None)]);
    let second = delta([("/b", None), ("/c", Some(2)), ("/d", Some(2))]);
    let both = delta([("/a", Some(1)), ("/b", None), ("/c", Some(2)), ("/d", Some(2))]);
    assert_eq!(first.compose(&second), both);
}

#[test]
fn a_subtree_is_deleted_once() {
    let removed = delta([
        ("/l[k=1]", None),
        ("/l[k=1]/k", None),
        ("/l[k=1]/m[j=1]", None),
        ("/l[k=2]/x", None),
        ("/l-1", None),
        ("/set", Some(1)),
    ]);
    let expected = ["/l[k=1]", "/l[k=2]/x", "/l-1"].map(path);
    assert_eq!(removed.removals(), expected.iter().collect::<Vec<_>>());
    assert_eq!(removed.sets().collect::<Vec<_>>(), [(&path("/set"), &Content::leaf(1))]);
}

#[test]
fn an_empty_user_ordered_list_is_deleted_once() {
    let removed = delta([
        ("/c/l", None),
        ("/c/l[k=1]", None),
        ("/c/l[k=1]/x", None),
        ("/c/l[k=2]", None),
        ("/c/la", None),
    ]);
    assert_eq!(removed.removals(), [&path("/c/l"), &path("/c/la")]);
}

#[test]
fn a_set_ancestor_deletes_nothing() {
    let mut changed = delta([("/p/x", None)]);
    changed.insert(path("/p"), Some(Content::Presence));
    assert_eq!(changed.removals(), [&path("/p/x")]);
}

#[test]
fn what_changes_is_told_from_what_does_not() {
    let changed = delta([("/a", None)]);
    assert_eq!(changed.get(&path("/a")), Some(&None));
    assert_eq!(changed.get(&path("/b")), None);
    assert!(Delta::new().is_empty() && changed.len() == 1);
}

#[test]
fn json_says_absent_as_null_and_refuses_what_is_there_twice() {
    let changed = delta([("/a", Some(1)), ("/b", None)]);
    let json = r#"{"/a":{"leaf":{"int":1}},"/b":null}"#;
    assert_eq!(serde_json::to_string(&changed).unwrap(), json);
    assert_eq!(serde_json::from_str::<Delta>(json).unwrap(), changed);
    let error = serde_json::from_str::<Delta>(r#"{"/a":null,"a":null}"#).unwrap_err().to_string();
    assert!(error.contains("`/a` is there twice"), "{error}");
}
