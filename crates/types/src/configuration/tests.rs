//! Configurations as examples; the laws are in the property tests.

use super::Configuration;
use crate::{Content, Delta, Edit, Index, Patch, Path, Undo, Unit};

fn path(text: &str) -> Path {
    text.parse().unwrap()
}

fn index(number: u64) -> Index {
    Index::new(number)
}

fn leaf(number: i64, writer: u64) -> Unit {
    Unit::present(Content::leaf(number), index(writer))
}

fn device<const N: usize>(leaves: [(&str, i64); N]) -> Configuration {
    leaves.into_iter().map(|(text, number)| (path(text), Content::leaf(number))).collect()
}

/// Writes a delta as a transaction does, and gives back its undo.
fn write(tree: &mut Configuration, writer: u64, changes: &[(&str, Option<i64>)]) -> Undo {
    let content = |number: &Option<i64>| number.map(Content::leaf);
    let delta: Delta = changes.iter().map(|(text, n)| (path(text), content(n))).collect();
    let undo = tree.before(&delta);
    tree.patch(&delta.written_by(index(writer)));
    undo
}

#[test]
fn a_removal_leaves_a_tombstone() {
    let mut tree = Configuration::new();
    write(&mut tree, 1, &[("/a", Some(1))]);
    write(&mut tree, 2, &[("/a", None), ("/b", None)]);
    assert_eq!(tree.get(&path("/a")), None);
    assert_eq!(tree.unit(&path("/a")), Unit::absent(index(2)));
    assert_eq!(tree.unit(&path("/c")), Unit::NEVER);
    assert_eq!((tree.len(), tree.is_empty(), tree.units().count()), (0, true, 2));
    assert_eq!(tree.iter().count(), 0);
    assert_eq!(tree.digest(), Configuration::new().digest());
    assert!(tree.same_values(&Configuration::new()));
    assert_ne!(tree, Configuration::new());
}

#[test]
fn the_last_writer_gives_back_what_stood_before() {
    let mut tree = Configuration::new();
    write(&mut tree, 1, &[("/a", Some(1))]);
    let before = tree.clone();
    let undo = write(&mut tree, 2, &[("/a", Some(2)), ("/b", Some(2))]);
    let expected = Patch::from_iter([(path("/a"), leaf(1, 1)), (path("/b"), Unit::NEVER)]);
    assert_eq!(tree.without(index(2), &undo), expected);
    assert_eq!(tree.patched(&expected), before);
    assert_eq!(undo.delta().get(&path("/b")), Some(&None));
}

#[test]
fn an_earlier_writer_leaves_the_later_one_alone() {
    let mut tree = Configuration::new();
    let first = write(&mut tree, 1, &[("/a", Some(1)), ("/b", Some(1))]);
    let mut second = write(&mut tree, 2, &[("/a", Some(2))]);
    tree.patch(&tree.without(index(1), &first));
    assert_eq!(tree.unit(&path("/a")), leaf(2, 2));
    assert_eq!(tree.unit(&path("/b")), Unit::NEVER);
    assert!(second.relink(index(1), &first));
    assert_eq!(second.units[&path("/a")], Unit::NEVER);
    assert!(!second.relink(index(1), &first));
    tree.patch(&tree.without(index(2), &second));
    assert_eq!(tree, Configuration::new());
}

#[test]
fn a_subtree_is_found_by_its_path() {
    let tree = device([
        ("/c/l[k=1]/x", 1),
        ("/c/l[k=1]/y", 2),
        ("/c/l[k=2]/x", 3),
        ("/c/la/x", 4),
        ("/d", 5),
    ]);
    let under = |text: &str| {
        let found = tree.under(&path(text)).map(|(path, _)| path.to_string());
        found.collect::<Vec<_>>()
    };
    assert_eq!(under("/c/l[k=1]"), ["/c/l[k=1]/x", "/c/l[k=1]/y"]);
    assert_eq!(under("/c/l"), ["/c/l[k=1]/x", "/c/l[k=1]/y", "/c/l[k=2]/x"]);
    assert_eq!(under("/c/l/x"), ["/c/l[k=1]/x", "/c/l[k=2]/x"]);
    assert_eq!(under("/c/*/x"), ["/c/l[k=1]/x", "/c/l[k=2]/x", "/c/la/x"]);
    assert_eq!(under("/c/l[k=*]/y"), ["/c/l[k=1]/y"]);
    assert_eq!(under("/.../y"), ["/c/l[k=1]/y"]);
    assert_eq!(under("/c/l[k=3]"), Vec::<String>::new());
    assert_eq!(under("/").len(), 5);
}

/// What is covered may sort before the path that covers it.
#[test]
fn a_key_that_is_left_out_may_come_first() {
    let tree = device([("/l[j=1][k=1]/x", 1), ("/l[j=1][k=2]/x", 2), ("/l[j=2][k=1]/x", 3)]);
    let found: Vec<_> = tree.under(&path("/l[k=1]")).map(|(path, _)| path.clone()).collect();
    assert_eq!(found, ["/l[j=1][k=1]/x", "/l[j=2][k=1]/x"].map(path));
}

#[test]
fn a_device_removes_one_unit_at_a_time() {
    let mut tree = device([("/p/x", 1)]);
    tree.assign(path("/p"), Unit { content: Some(Content::Presence), writer: Index::ZERO });
    tree.apply_values(&Delta::from_iter([(path("/p"), None)]));
    assert_eq!(tree, device([("/p/x", 1)]));
}

#[test]
fn an_edit_clears_what_stands_and_then_sets() {
    let tree = device([("/l[k=1]/x", 1), ("/l[k=2]/x", 2), ("/l-1", 3)]);
    let set = [(path("/l[k=2]/x"), Content::leaf(9))].into();
    let edit = Edit { clear: vec![path("/l")], set, ..Edit::default() };
    let delta = edit.onto(&tree);
    let nine = Some(Content::leaf(9));
    let expected = [(path("/l[k=1]/x"), None), (path("/l[k=2]/x"), nine)];
    assert_eq!(delta, Delta::from_iter(expected));
    assert!(edit.touches(&path("/l[k=7]")) && !edit.touches(&path("/l-1")));
}

#[test]
fn json_is_a_map_of_units() {
    let mut tree = device([("/a", 1)]);
    tree.assign(path("/b"), Unit::absent(index(2)));
    let json =
        r#"{"/a":{"content":{"leaf":{"int":1}},"writer":0},"/b":{"content":null,"writer":2}}"#;
    assert_eq!(serde_json::to_string(&tree).unwrap(), json);
    assert_eq!(serde_json::from_str::<Configuration>(json).unwrap(), tree);
}

#[test]
fn json_that_was_never_written_is_refused() {
    for (json, reason) in [
        (r#"{"/a":{"content":null,"writer":0}}"#, "`/a` is absent and nobody removed it"),
        (
            r#"{"/a":{"content":null,"writer":1},"a":{"content":null,"writer":1}}"#,
            "`/a` is there twice",
        ),
        (r#"{"/a[":{"content":null,"writer":1}}"#, "expected the name of a key"),
        (r#"{"/a":{"content":null,"writer":1,"x":1}}"#, "unknown field `x`"),
        (r#"{"/a":{"content":null}}"#, "missing field `writer`"),
        ("[]", "a map with each key once"),
    ] {
        let error = serde_json::from_str::<Configuration>(json).unwrap_err().to_string();
        assert!(error.contains(reason), "{json}: {error}");
    }
}

#[test]
fn snapshots_do_not_see_later_changes() {
    let mut tree = device([("/a", 1)]);
    let snapshot = tree.clone();
    tree.apply_values(&Delta::from_iter([(path("/a"), Some(Content::leaf(2)))]));
    assert_eq!(snapshot.get(&path("/a")), Some(&Content::leaf(1)));
    assert_ne!(snapshot.digest(), tree.digest());
}

#[test]
fn configurations_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Configuration>();
}

/// There is one for each leaf of each device, so a word more is felt.
#[test]
fn a_unit_takes_four_words() {
    assert_eq!(size_of::<Unit>(), 4 * size_of::<u64>());
    assert_eq!(size_of::<crate::Value>(), 3 * size_of::<u64>());
}
