//! What the laws are tried on.

use std::collections::BTreeMap;

use lockstep_types::{
    Binary, Configuration, Content, Decimal64, Delta, Element, IdentityRef, Index, Keys, Path,
    Unit, Value,
};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::select;

/// Text made of everything that could upset a parser or a printer.
pub(crate) fn nasty_text() -> impl Strategy<Value = String> {
    let upsetting =
        select("ab/[]=\\*. -:'\"\n\r\t\0\u{7f}\u{85}é🦀\u{301}nru0".chars().collect::<Vec<_>>());
    vec(prop_oneof![9 => upsetting, 1 => any::<char>()], 0..6).prop_map(String::from_iter)
}

fn nasty_keys() -> impl Strategy<Value = Keys> {
    btree_map(nasty_text(), nasty_text(), 0..3).prop_map(Keys::from_iter)
}

fn nasty_element() -> impl Strategy<Value = Element> {
    let name = nasty_text().prop_filter("no name", |name| !name.is_empty());
    (name, nasty_keys()).prop_map(|(name, keys)| element(&name, &keys))
}

/// Paths that need every escape.
pub(crate) fn nasty_path() -> impl Strategy<Value = Path> {
    vec(nasty_element(), 0..4).prop_map(Path::new)
}

/// An element with all the keys that it can have.
fn element(name: &str, keys: &Keys) -> Element {
    let bare = Element::new(name).expect("a name");
    keys.iter()
        .fold(bare, |element, (key, value)| element.clone().with_key(key, value).unwrap_or(element))
}

/// Keys of all shapes on the same names, more than a schema would allow.
fn few_keys(values: &'static [&'static str]) -> impl Strategy<Value = Keys> {
    btree_map(select(&["j", "k", "m"][..]).prop_map_into(), select(values).prop_map_into(), 0..3)
        .prop_map(Keys::from_iter)
}

fn few_elements(
    names: &'static [&'static str],
    values: &'static [&'static str],
) -> impl Strategy<Value = Path> {
    let elements = (select(names), few_keys(values)).prop_map(|(name, keys)| element(name, &keys));
    vec(elements, 0..4).prop_map(Path::new)
}

/// Paths of all shapes over few names.
pub(crate) fn few_paths() -> impl Strategy<Value = Path> {
    prop_oneof![known_paths(), few_elements(&["a", "b", "a-b"], &["1", "2"])]
}

/// Paths so few that changes meet, with lists and containers as a schema has them.
pub(crate) fn known_paths() -> impl Strategy<Value = Path> {
    let list = ["/a", "/a/b", "/a/b[k=1]", "/a/b[k=1]/a", "/a/b[k=2]", "/a/b[k=2]/a"];
    let others = ["/a-b", "/b", "/b/a"];
    let known: Vec<_> = list.into_iter().chain(others).collect();
    select(known).prop_map(|text| text.parse().expect("a path"))
}

/// Patterns that often match [`few_paths`].
pub(crate) fn few_patterns() -> impl Strategy<Value = Path> {
    few_elements(&["a", "b", "*", "..."], &["1", "2", "*"])
}

fn values() -> impl Strategy<Value = Value> {
    let name = || select(&["up", "down", "a b", ""][..]);
    let identity = select(&["m:a", "m:b", "n.1:a"][..]);
    prop_oneof![
        any::<i64>().prop_map(Value::Int),
        any::<u64>().prop_map(Value::Uint),
        decimals().prop_map(Value::Decimal64),
        any::<bool>().prop_map(Value::Bool),
        nasty_text().prop_map(Value::from),
        name().prop_map(Value::enumeration),
        btree_set(name(), 0..3).prop_map(Value::bits),
        vec(any::<u8>(), 0..9).prop_map(|bytes| Binary::new(bytes).into()),
        identity.prop_map(|text| text.parse::<IdentityRef>().expect("an identity").into()),
        Just(Value::Empty),
        nasty_path().prop_map(Value::InstanceIdentifier),
    ]
}

/// Numbers of all sizes, those at the ends of the range more often than chance has it.
pub(crate) fn decimals() -> impl Strategy<Value = Decimal64> {
    let digits = prop_oneof![any::<i64>(), -200..200_i64, select(&[i64::MIN, i64::MAX][..])];
    (digits, 1..=18_u8).prop_map(|(digits, fraction_digits)| {
        Decimal64::new(digits, fraction_digits).expect("digits after the point")
    })
}

/// Contents of every kind.
pub(crate) fn contents() -> impl Strategy<Value = Content> {
    prop_oneof![
        4 => values().prop_map(Content::Leaf),
        1 => vec(values(), 0..3).prop_map(|values| Content::LeafList(values.into())),
        1 => Just(Content::Entry),
        1 => Just(Content::Presence),
        1 => vec(nasty_keys(), 0..3).prop_map(|order| Content::Order(order.into())),
    ]
}

/// Contents so few that two changes often agree.
pub(crate) fn few_contents() -> impl Strategy<Value = Content> {
    (0..3_i64).prop_map(Content::leaf)
}

/// Deltas over [`known_paths`].
pub(crate) fn deltas() -> impl Strategy<Value = Delta> {
    btree_map(known_paths(), option::of(few_contents()), 0..6).prop_map(Delta::from_iter)
}

/// Units of any writer, among them those that were never written.
pub(crate) fn units() -> impl Strategy<Value = Unit> {
    let writer = (0..4_u64).prop_map(Index::new);
    (option::of(few_contents()), writer).prop_map(|(content, writer)| Unit { content, writer })
}

/// Configurations over [`few_paths`], tombstones included.
pub(crate) fn configurations() -> impl Strategy<Value = Configuration> {
    btree_map(few_paths(), units(), 0..24).prop_map(BTreeMap::into_iter).prop_map(Iterator::collect)
}
