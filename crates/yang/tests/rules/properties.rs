//! Laws that hold for all values.

use std::collections::BTreeMap;

use lockstep_types::{Binary, Configuration, Content, Decimal64, Path, Value};
use lockstep_yang::{Data, DataForm, Form, Operation};
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};
use serde_json::{Value as Json, json};

use crate::common::{LAB, TYPES, after, at, delete, ietf, path, replace, update, with};

/// A leaf of the test models with a value of its type.
fn leaf() -> impl Strategy<Value = (&'static str, Value)> {
    let decimal =
        |digits: i64, fraction| Value::Decimal64(Decimal64::new(digits, fraction).unwrap());
    let numbers = prop_oneof![
        any::<i8>().prop_map(|n| ("int8", Value::from(n))),
        any::<i16>().prop_map(|n| ("int16", Value::from(n))),
        any::<i32>().prop_map(|n| ("int32", Value::from(n))),
        any::<i64>().prop_map(|n| ("int64", Value::from(n))),
        any::<u8>().prop_map(|n| ("uint8", Value::from(n))),
        any::<u16>().prop_map(|n| ("uint16", Value::from(n))),
        any::<u32>().prop_map(|n| ("uint32", Value::from(n))),
        any::<u64>().prop_map(|n| ("uint64", Value::from(n))),
        any::<i64>().prop_map(move |n| ("decimal", decimal(n, 3))),
        any::<i64>().prop_map(move |n| ("precise", decimal(n, 18))),
    ];
    let texts = prop_oneof![
        any::<bool>().prop_map(|truth| ("boolean", Value::from(truth))),
        text().prop_map(|text| ("types:string", Value::from(text))),
        prop_oneof![Just("up"), Just("down")].prop_map(|n| ("enumeration", Value::enumeration(n))),
        prop::sample::subsequence(vec!["zulu", "alpha", "mike"], 0..=3)
            .prop_map(|names| ("bits", Value::bits(names))),
        prop::collection::vec(any::<u8>(), 0..40)
            .prop_map(|bytes| ("binary", Value::from(Binary::new(bytes)))),
        prop_oneof![Just("base:red"), Just("base:green"), Just("types:local")]
            .prop_map(|name| ("identity", Value::IdentityRef(name.parse().unwrap()))),
        Just(("empty", Value::Empty)),
    ];
    prop_oneof![numbers, texts]
}

fn unions() -> impl Strategy<Value = (&'static str, Value)> {
    let decimal = |digits: i64| Value::Decimal64(Decimal64::new(digits, 2).unwrap());
    prop_oneof![
        any::<u16>().prop_map(|n| ("narrow-or-text", Value::from(n))),
        text().prop_map(|text| ("narrow-or-text", Value::from(text))),
        any::<i64>().prop_map(|n| (
            "wide-or-text",
            match u64::try_from(n) {
                Ok(n) => Value::Uint(n),
                Err(_) => Value::Int(n),
            }
        )),
        any::<i64>().prop_map(move |n| ("wide-or-text", decimal(n))),
        "[a-z][a-z ]{0,9}".prop_map(|text| ("wide-or-text", Value::from(text))),
        any::<bool>().prop_map(|truth| ("mixed", Value::from(truth))),
        Just(("mixed", Value::string("auto"))),
    ]
}

/// Characters that XML allows, as YANG's strings do.
fn text() -> impl Strategy<Value = String> {
    "[\\x20-\\x7e\n\té€\u{1F600}]{0,20}"
}

fn unit(leaf: &str, value: Value) -> (Path, Content) {
    (path(&format!("/all/{leaf}")), Content::Leaf(value))
}

fn round_trip(leaf: &str, value: &Value, form: Form, as_form: DataForm) {
    let (at, content) = unit(leaf, value.clone());
    let json = TYPES.encode(&at, &content, form).unwrap();
    let data = Data { form: as_form, json: json.clone() };
    let edit = TYPES.edit(&[Operation::Update(at.clone(), data.clone())]);
    let edit = edit.unwrap_or_else(|error| panic!("{leaf} {value:?} {json}: {error}"));
    assert_eq!(edit.set.get(&at), Some(&content), "{json}");
    let read = TYPES.read(&at, &data).unwrap();
    assert_eq!(read.outside, Vec::<String>::new());
    assert_eq!(read.units.get(&at), Some(&content), "{json}");
    assert_eq!(TYPES.get(&read.units, &at, form).unwrap(), [(at, json)]);
}

fn vlans() -> impl Strategy<Value = BTreeMap<u16, Option<String>>> {
    prop::collection::btree_map(1..8_u16, prop::option::of("[a-z]{1,3}"), 0..6)
}

fn vlan(id: u16, name: &Option<String>) -> Json {
    match name {
        Some(name) => json!({"id": id, "name": name}),
        None => json!({"id": id}),
    }
}

fn list(vlans: &BTreeMap<u16, Option<String>>) -> Json {
    vlans.iter().map(|(id, name)| vlan(*id, name)).collect()
}

#[derive(Clone, Debug)]
enum Step {
    DeleteAll,
    Delete(u16),
    DeleteName(u16),
    DeleteNames,
    Replace(u16, Option<String>),
    ReplaceAll(BTreeMap<u16, Option<String>>),
    Update(u16, Option<String>),
    UpdateAll(BTreeMap<u16, Option<String>>),
}

fn step() -> impl Strategy<Value = Step> {
    let name = || prop::option::of("[a-z]{1,3}");
    prop_oneof![
        Just(Step::DeleteAll),
        (1..8_u16).prop_map(Step::Delete),
        (1..8_u16).prop_map(Step::DeleteName),
        Just(Step::DeleteNames),
        (1..8_u16, name()).prop_map(|(id, name)| Step::Replace(id, name)),
        vlans().prop_map(Step::ReplaceAll),
        (1..8_u16, name()).prop_map(|(id, name)| Step::Update(id, name)),
        vlans().prop_map(Step::UpdateAll),
    ]
}

impl Step {
    fn operation(&self) -> Operation {
        let entry = |id: &u16| format!("/vlans/vlan[id={id}]");
        match self {
            Self::DeleteAll => delete("/vlans"),
            Self::Delete(id) => delete(&entry(id)),
            Self::DeleteName(id) => delete(&format!("{}/name", entry(id))),
            Self::DeleteNames => delete("/vlans/vlan/name"),
            Self::Replace(id, name) => replace(&entry(id), vlan(*id, name)),
            Self::ReplaceAll(all) => replace("/vlans/vlan", list(all)),
            Self::Update(id, name) => update(&entry(id), vlan(*id, name)),
            Self::UpdateAll(all) => update("/vlans", json!({"vlan": list(all)})),
        }
    }

    /// What it means.
    fn apply(&self, vlans: &mut BTreeMap<u16, Option<String>>) {
        let merge = |vlans: &mut BTreeMap<_, _>, id: u16, name: &Option<String>| {
            let old = vlans.remove(&id).flatten();
            vlans.insert(id, name.clone().or(old));
        };
        match self {
            Self::DeleteAll => vlans.clear(),
            Self::Delete(id) => drop(vlans.remove(id)),
            Self::DeleteName(id) => {
                if let Some(name) = vlans.get_mut(id) {
                    *name = None;
                }
            }
            Self::DeleteNames => vlans.values_mut().for_each(|name| *name = None),
            Self::Replace(id, name) => drop(vlans.insert(*id, name.clone())),
            Self::ReplaceAll(all) => vlans.clone_from(all),
            Self::Update(id, name) => merge(vlans, *id, name),
            Self::UpdateAll(all) => all.iter().for_each(|(id, name)| merge(vlans, *id, name)),
        }
    }
}

proptest! {
    #[test]
    fn a_value_comes_back((leaf, value) in leaf()) {
        round_trip(leaf, &value, Form::Ietf, DataForm::Ietf);
        round_trip(leaf, &value, Form::Json, DataForm::Json);
        round_trip(leaf, &value, Form::Json, DataForm::Scalar);
    }

    /// In plain JSON a union may read a text as a number, which is why only RFC 7951 is held to this.
    #[test]
    fn a_value_of_a_union_comes_back((leaf, value) in unions()) {
        let json = TYPES.encode(&unit(leaf, value.clone()).0, &Content::Leaf(value.clone()), Form::Ietf);
        let (at, _) = unit(leaf, value.clone());
        let edit = TYPES.edit(&[Operation::Update(at.clone(), ietf(json.unwrap()))]).unwrap();
        assert_eq!(edit.set.get(&at), Some(&Content::Leaf(value)));
    }

    #[test]
    fn a_key_comes_back(name in text().prop_filter("no wildcard", |name| name != "*")) {
        let entry = json!({"name": name, "mtu": 1400});
        let tree = with(&LAB, json!({"lab:interfaces": {"interface": [entry]}}));
        assert_eq!(LAB.validate(&tree), []);
        let found = LAB.get(&tree, &path("/interfaces/interface"), Form::Json).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].1, json!({"name": name, "mtu": 1400, "enabled": true}));
        let again = Operation::Update(found[0].0.clone(), ietf(json!({})));
        assert_eq!(after(&LAB, &tree, &[again]).unwrap(), tree);
        let gone = after(&LAB, &tree, &[Operation::Delete(found[0].0.clone())]).unwrap();
        assert!(gone.is_empty());
    }

    #[test]
    fn operations_do_what_they_say(
        before in vlans(),
        first in prop::collection::vec(step(), 0..4),
        second in prop::collection::vec(step(), 0..4),
    ) {
        let mut vlans = before.clone();
        let mut tree = with(&LAB, json!({"lab:vlans": {"vlan": list(&before)}}));
        for request in [first, second] {
            let operations: Vec<_> = request.iter().map(Step::operation).collect();
            tree = after(&LAB, &tree, &operations).unwrap();
            request.iter().for_each(|step| step.apply(&mut vlans));
            let expected = with(&LAB, json!({"lab:vlans": {"vlan": list(&vlans)}}));
            assert_eq!(tree, expected);
            assert_eq!(LAB.validate(&tree), []);
        }
        if !vlans.is_empty() {
            assert_eq!(at(&LAB, &tree, "/vlans", Form::Ietf),
                json!({"lab:vlan": list(&vlans)}));
        }
    }

    #[test]
    fn entries_keep_the_order_they_are_given(names in prop::collection::vec("[a-e]", 1..8)) {
        let mut order: Vec<String> = Vec::new();
        let mut tree = Configuration::new();
        for name in names {
            let known = order.iter().position(|known| *known == name);
            let entry = format!("/keyed/rule[name={name}]");
            let operation = match known {
                // Every second time it goes again.
                Some(place) => {
                    order.remove(place);
                    delete(&entry)
                }
                None => {
                    order.push(name);
                    update(&entry, json!({}))
                }
            };
            tree = after(&TYPES, &tree, &[operation]).unwrap();
            let rules: Json = order.iter().map(|name| json!({"name": name})).collect();
            let expected = with(&TYPES, json!({"types:keyed": {"rule": rules}}));
            assert_eq!(tree, expected);
        }
    }
}
