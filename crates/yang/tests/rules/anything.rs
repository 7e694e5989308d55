//! Whatever comes in, there is an answer; and what is accepted can be shown, checked and read back.

use lockstep_types::{Configuration, Element, Path};
use lockstep_yang::{Data, DataForm, Form, ModelSet, Operation};
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};
use serde_json::{Value as Json, json};

use crate::common::{LAB, TYPES, after, path};

/// Names that mean something to the models, and some that do not.
fn name() -> impl Strategy<Value = String> {
    let known = [
        "types:all",
        "all",
        "int8",
        "uint64",
        "types:string",
        "string",
        "extra:string",
        "bits",
        "identity",
        "empty",
        "instance",
        "mixed",
        "wide-or-text",
        "numbers",
        "steps",
        "keyed",
        "by-number",
        "by-identity",
        "by-union",
        "rule",
        "part",
        "id",
        "name",
        "colour",
        "n",
        "note",
        "state",
        "choices",
        "port",
        "line",
        "speed",
        "wave",
        "nm",
        "defaults",
        "present",
        "blob",
        "same",
        "rules",
        "lab:system",
        "system",
        "hostname",
        "interfaces",
        "interface",
        "mtu",
        "vlans",
        "vlan",
        "*",
        "...",
        "nope",
        ":",
        "@x",
    ];
    prop_oneof![9 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => any::<String>()]
}

fn text() -> impl Strategy<Value = String> {
    let known =
        ["", "1", "007", "true", "red", "base:red", "*", "zulu", "AQ==", "/types:all/int8", "\0"];
    prop_oneof![4 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => any::<String>()]
}

fn json() -> impl Strategy<Value = Json> {
    let scalar = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        (-3..300_i64).prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        text().prop_map(Json::from),
        Just(Json::Array(vec![Json::Null])),
    ];
    scalar.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::btree_map(name(), inner, 0..5)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

fn element() -> impl Strategy<Value = Element> {
    let keys = prop::collection::btree_map(name(), text(), 0..3);
    (name(), keys).prop_filter_map("an element", |(name, keys)| {
        let bare = Element::new(name).ok()?;
        keys.into_iter().try_fold(bare, |element, (key, value)| element.with_key(key, value).ok())
    })
}

/// Mostly paths of the models, so that more than the first element is looked at.
fn place() -> impl Strategy<Value = Path> {
    let known = [
        "/",
        "/all",
        "/all/mixed",
        "/all/bits",
        "/keyed",
        "/keyed/by-number",
        "/keyed/by-number[id=7]",
        "/keyed/by-identity[colour=red][name=a]",
        "/keyed/rule",
        "/keyed/rule[name=b]/part",
        "/choices",
        "/choices/line",
        "/defaults/present",
        "/system",
        "/interfaces/interface[name=a]",
        "/vlans/vlan",
    ];
    let known = prop::sample::select(known.to_vec()).prop_map(path);
    let below = prop::collection::vec(element(), 0..3).prop_map(Path::new);
    (
        prop_oneof![4 => known, 1 => Just(Path::root())],
        prop_oneof![2 => Just(Path::root()), 1 => below],
    )
        .prop_map(|(known, below)| known.join(&below))
}

/// An object of some of these members.
fn some(members: Json) -> impl Strategy<Value = Json> {
    let members: Vec<_> = members.as_object().unwrap().clone().into_iter().collect();
    let length = members.len();
    prop::sample::subsequence(members, 0..=length)
        .prop_map(|members| Json::Object(members.into_iter().collect()))
}

/// Some of these items, in any order.
fn items(items: Json) -> impl Strategy<Value = Json> {
    let items = items.as_array().unwrap().clone();
    let length = items.len();
    prop::sample::subsequence(items, 0..=length).prop_shuffle().prop_map(Json::from)
}

fn all() -> impl Strategy<Value = Json> {
    some(json!({
        "int8": -1, "uint64": "18446744073709551615", "decimal": "1.25", "boolean": true, "types:string": "x",
        "extra:string": 1, "added": "x", "enumeration": "up", "bits": "mike zulu", "binary": "AQID",
        "identity": "base:red", "empty": [null], "instance": "/types:all/int8", "uint16": 3, "ref": 3,
        "narrow-or-text": "7", "wide-or-text": "8", "mixed": "base:green", "numbers": ["2", "1"],
        "steps": ["b", "a"],
    }))
}

fn rules() -> impl Strategy<Value = Json> {
    items(json!([
        {"name": "b", "part": [{"n": 2}, {"n": 1}]}, {"name": "a", "action": "x"}, {"name": "c"}, {"name": "]"},
    ]))
}

fn keyed() -> impl Strategy<Value = Json> {
    let colours = items(json!([
        {"colour": "base:red", "name": "a", "note": "x"}, {"colour": "types:local", "name": ""},
    ]));
    let unions = items(json!([{"id": 7}, {"id": "x"}, {"id": "*"}]));
    (rules(), colours, unions)
        .prop_map(|(rules, colours, unions)| json!({"rule": rules, "by-identity": colours, "by-union": unions}))
}

fn choices() -> impl Strategy<Value = Json> {
    prop_oneof![
        some(json!({"port": 1, "window": 2})),
        some(json!({"line": {"speed": 1}, "flags": ["x"]})),
        Just(json!({"band": "x"})),
        Just(json!({"wave": [{"nm": 1}]})),
        some(json!({"port": 1, "band": "x"})),
    ]
}

fn defaults() -> impl Strategy<Value = Json> {
    some(
        json!({"plain": 8, "percent": 50, "colours": ["base:green"], "sometimes": "x", "present": {}, "other": "x"}),
    )
}

/// A place with what may stand there.
fn fitting() -> impl Strategy<Value = (Path, Json)> {
    let whole = (all(), keyed(), choices(), defaults()).prop_map(|(all, keyed, choices, defaults)| {
        json!({"types:all": all, "types:keyed": keyed, "types:choices": choices, "types:defaults": defaults})
    });
    let rule = some(json!({"name": "b", "action": "y", "part": [{"n": 3}, {"n": 2}]}));
    prop_oneof![
        whole.prop_map(|json| (path("/"), json)),
        all().prop_map(|json| (path("/all"), json)),
        keyed().prop_map(|json| (path("/keyed"), json)),
        rules().prop_map(|json| (path("/keyed/rule"), json)),
        rule.prop_map(|json| (path("/keyed/rule[name=b]"), json)),
        choices().prop_map(|json| (path("/choices"), json)),
        defaults().prop_map(|json| (path("/defaults"), json)),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    let form = prop_oneof![Just(DataForm::Ietf), Just(DataForm::Json), Just(DataForm::Scalar)];
    let wild = (form, place(), json()).prop_map(|(form, path, json)| (path, Data { form, json }));
    let fitting = fitting().prop_map(|(path, json)| (path, Data { form: DataForm::Ietf, json }));
    (0..4, prop_oneof![1 => wild, 2 => fitting]).prop_map(|(kind, (path, data))| match kind {
        0 => Operation::Delete(path),
        1 => Operation::Replace(path, data),
        _ => Operation::Update(path, data),
    })
}

fn try_all(set: &ModelSet, operations: &[Operation]) {
    let mut tree = Configuration::new();
    for operation in operations {
        if let Ok(next) = after(set, &tree, std::slice::from_ref(operation)) {
            tree = next;
        }
        let (Operation::Delete(path) | Operation::Replace(path, _) | Operation::Update(path, _)) =
            operation;
        assert_eq!(set.check(path).is_ok(), set.get(&tree, path, Form::Json).is_ok());
        if let Operation::Replace(path, data) | Operation::Update(path, data) = operation {
            let _ = set.read(path, data);
        }
    }
    // Only rules between values can be broken, for each value was looked at when it came in.
    for violation in set.validate(&tree) {
        assert!(!violation.message.starts_with("This is not in the models"), "{violation:?}");
    }
    for form in [Form::Ietf, Form::Json] {
        for (path, json) in set.get(&tree, &Path::root(), form).unwrap() {
            let read = set.read(&path, &Data { form: DataForm::Ietf, json }).unwrap();
            assert_eq!(read.outside, Vec::<String>::new());
            for (path, content) in tree.iter() {
                // A union may read plain JSON as another of its members.
                if form == Form::Ietf || !path.to_string().contains("-or-text") {
                    assert_eq!(read.units.get(path), Some(content), "{path}");
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn there_is_always_an_answer(operations in prop::collection::vec(operation(), 0..6)) {
        try_all(&TYPES, &operations);
        try_all(&LAB, &operations);
    }
}
