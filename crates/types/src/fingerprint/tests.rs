//! The digest may be stored and sent, so these numbers must never change.

use super::of;
use crate::{Binary, Content, Decimal64, IdentityRef, Keys, Path, Value};

fn hash(content: &Content) -> String {
    let path: Path = "/interfaces/interface[name=eth1/1]/x".parse().unwrap();
    format!("{:032x}", of(&path, content))
}

#[test]
fn every_content_has_its_number() {
    let decimal: Decimal64 = "1.5".parse().unwrap();
    let identity: IdentityRef = "module:name".parse().unwrap();
    let keys = Keys::from([("name".into(), "1".into())]);
    for (content, expected) in [
        (Content::leaf(-1), "0ce7f39dfa2d7339de78a52fe1d48220"),
        (Content::leaf(1_u64), "2845c37977ad45903196da4eb18f2abd"),
        (Content::leaf(decimal), "567245b3f7096ebcf1574a53eeed3b60"),
        (Content::leaf(true), "b4429addab953192388e03e18080db7a"),
        (Content::leaf("text"), "04e6267f32911097c0eacdcfda784724"),
        (Content::Leaf(Value::enumeration("text")), "b1daa404343d62ada666091bbc835eb6"),
        (Content::Leaf(Value::bits(["up", "down"])), "b2d6471fddf7e25e9abdf59946dd3ca5"),
        (Content::leaf(Binary::new(*b"text")), "4a9af83b8b0bf3aba29861c6e72f80c6"),
        (Content::leaf(identity), "ae0fb44ad35359011869dcc4fa5193f8"),
        (Content::Leaf(Value::Empty), "a3ccb214b6561c6f3ad27a66630ad63f"),
        (
            Content::Leaf(Value::InstanceIdentifier("/a".parse().unwrap())),
            "8029782ff225e30cfdb8b2739f5f4ef3",
        ),
        (Content::leaf_list([1, 2]), "4605bc0194159510d41593c545a4153d"),
        (Content::Entry, "ad528566683ceb2754b76a0d12127abc"),
        (Content::Presence, "1e3387c80c35ed04551cb8b72096bbe7"),
        (Content::Order([keys].into()), "95fbb36712827a749abed2c33007a00a"),
    ] {
        assert_eq!(hash(&content), expected, "{content:?}");
    }
}

#[test]
fn parts_do_not_run_into_each_other() {
    let list = |values: &[&str]| hash(&Content::leaf_list(values.iter().copied()));
    assert_ne!(list(&["ab", "c"]), list(&["a", "bc"]));
    assert_ne!(list(&["a"]), hash(&Content::leaf("a")));
    let at = |text: &str| of(&text.parse().unwrap(), &Content::Entry);
    assert_ne!(at("/ab/c"), at("/a/bc"));
    assert_ne!(at("/a[k=v]"), at("/a/k/v"));
}
