//! Paths from the wire, and what is wrong with some.

use std::collections::BTreeMap;

use super::{Error, Place, origin, read, target, write};
use crate::proto::gnmi;

fn elem(name: &str, keys: &[(&str, &str)]) -> gnmi::PathElem {
    let key = keys.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    gnmi::PathElem { name: name.into(), key }
}

fn wire(elem: Vec<gnmi::PathElem>) -> gnmi::Path {
    gnmi::Path { elem, ..gnmi::Path::default() }
}

fn old(elements: &[&str]) -> gnmi::Path {
    let element = elements.iter().map(ToString::to_string).collect();
    gnmi::Path { element, ..gnmi::Path::default() }
}

fn named(target: &str, origin: &str) -> gnmi::Path {
    gnmi::Path { target: target.into(), origin: origin.into(), ..gnmi::Path::default() }
}

#[test]
fn the_prefix_comes_first() {
    let prefix = wire(vec![elem("interfaces", &[])]);
    let path = wire(vec![elem("interface", &[("name", "eth1/1")]), elem("mtu", &[])]);
    let joined = read(Some(&prefix), &path).unwrap();
    assert_eq!(joined.to_string(), "/interfaces/interface[name=eth1/1]/mtu");
    assert_eq!(read(Some(&prefix), &wire(vec![])).unwrap().to_string(), "/interfaces");
    assert!(read(None, &wire(vec![])).unwrap().is_root());
}

#[test]
fn any_character_may_stand_in_a_key() {
    for value in ["10.0.0.0/8", "a]b", "[x=y]", "\\", "", "é\n", "*"] {
        let path = wire(vec![elem("list", &[("key", value), ("other", "x")])]);
        let types = read(None, &path).unwrap();
        assert_eq!(types.last().and_then(|last| last.key("key")), Some(value));
        assert_eq!(write(&types), path);
    }
}

#[test]
fn elements_as_texts_are_read_where_there_are_no_others() {
    let path = old(&["interfaces", "interface[name=eth1/1]", "mtu"]);
    assert_eq!(
        read(None, &path).unwrap(),
        "/interfaces/interface[name=eth1/1]/mtu".parse().unwrap()
    );
    let both = gnmi::Path { elem: vec![elem("a", &[])], ..old(&["b"]) };
    assert_eq!(read(None, &both).unwrap().to_string(), "/a");
}

#[test]
fn errors_name_the_element() {
    let error = read(Some(&wire(vec![elem("a", &[]), elem("", &[])])), &wire(vec![])).unwrap_err();
    assert_eq!(error.to_string(), "element 2 of the prefix: path element has an empty name");
    let error = read(None, &wire(vec![elem("...", &[("k", "v")])])).unwrap_err();
    assert!(matches!(error, Error::Element { place: Place::Path, number: 1, .. }), "{error}");
    let error = read(None, &old(&["a", "b/c"])).unwrap_err();
    assert_eq!(error.to_string(), "element 2 of the path, `b/c`, is not one element");
    let error = read(None, &old(&["a[k"])).unwrap_err();
    assert!(error.to_string().starts_with("element 1 of the path, `a[k`: path has"), "{error}");
}

#[test]
fn a_target_is_given_once_or_alike() {
    let one = |prefix: &str, path: &str| {
        target(Some(&named(prefix, "")), &named(path, "")).map(|found| found.map(|t| t.to_string()))
    };
    assert_eq!(one("", ""), Ok(None));
    assert_eq!(one("leaf1", ""), Ok(Some("leaf1".into())));
    assert_eq!(one("", "leaf1"), Ok(Some("leaf1".into())));
    assert_eq!(one("leaf1", "leaf1"), Ok(Some("leaf1".into())));
    let different = Error::Targets { prefix: "leaf1".into(), path: "leaf2".into() };
    assert_eq!(one("leaf1", "leaf2"), Err(different));
    let error = one("", "leaf\u{7}").unwrap_err();
    assert!(error.to_string().starts_with("target of the path: target name has"), "{error}");
    assert_eq!(target(None, &named("leaf1", "")).unwrap().unwrap().as_str(), "leaf1");
}

#[test]
fn an_origin_is_given_once() {
    let one = |prefix: &str, path: &str| origin(Some(&named("", prefix)), &named("", path));
    assert_eq!(one("", ""), Ok(None));
    assert_eq!(one("openconfig", ""), Ok(Some("openconfig".into())));
    assert_eq!(one("", "openconfig"), Ok(Some("openconfig".into())));
    assert!(one("openconfig", "openconfig").is_err());
    assert_eq!(origin(None, &named("", "")), Ok(None));
}

#[test]
fn keys_are_written_as_they_are() {
    let path = write(&"/l[b=2][a=1]".parse().unwrap());
    let keys = BTreeMap::from([("a".into(), "1".into()), ("b".into(), "2".into())]);
    assert_eq!(path.elem, [gnmi::PathElem { name: "l".into(), key: keys }]);
}
