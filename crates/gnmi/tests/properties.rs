//! What holds for all paths, values and options.

#![allow(clippy::expect_used, reason = "a test says what went wrong by panicking")]

use std::collections::BTreeMap;

use lockstep_gnmi::proto::gnmi::{self, TypedValue};
use lockstep_gnmi::proto::lockstep::v1::SetOptions;
use lockstep_gnmi::{extension, path, value};
use lockstep_types::{Element, Path};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use prost::Message;
use serde_json::Value;

fn paths() -> impl Strategy<Value = Path> {
    let keys = btree_map("[a-z\\PC]{1,6}", "\\PC{0,8}|[\\]\\[/=*\\\\]{1,4}", 0..3);
    vec(("[a-z][a-z:._-]{0,8}|\\PC{1,4}", keys), 0..6)
        .prop_map(|elements| elements.into_iter().filter_map(element).collect())
}

fn element((name, keys): (String, BTreeMap<String, String>)) -> Option<Element> {
    let named = Element::new(name).ok()?;
    keys.into_iter().try_fold(named, |element, (key, value)| element.with_key(key, value)).ok()
}

fn documents() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map("\\PC{1,6}", inner, 0..4).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

fn options() -> impl Strategy<Value = SetOptions> {
    let time = || option::of((any::<i64>(), any::<i32>()));
    (any::<[bool; 3]>(), "\\PC{0,9}", [time(), time()], "\\PC{0,9}").prop_map(
        |([queued, r#async, dry_run], comment, times, id)| {
            let [deadline, confirm] = times
                .map(|time| time.map(|(seconds, nanos)| prost_types::Duration { seconds, nanos }));
            SetOptions { queued, r#async, dry_run, comment, deadline, id, confirm }
        },
    )
}

proptest! {
    /// A path that was sent is the path that arrives, wherever the prefix ends.
    #[test]
    fn paths_survive_the_wire(sent in paths(), cut in 0_usize..6) {
        let bytes = path::write(&sent).encode_to_vec();
        let mut whole = gnmi::Path::decode(bytes.as_slice()).expect("what was just encoded");
        prop_assert_eq!(&path::read(None, &whole).expect("a path"), &sent);
        let rest = whole.elem.split_off(cut.min(whole.elem.len()));
        let rest = gnmi::Path { elem: rest, ..gnmi::Path::default() };
        prop_assert_eq!(path::read(Some(&whole), &rest).expect("a path"), sent);
    }

    /// A path sent in the old way is the same path.
    #[test]
    fn old_paths_are_the_same(sent in paths()) {
        let element = sent.elements().iter().map(ToString::to_string).collect();
        let wire = gnmi::Path { element, ..gnmi::Path::default() };
        prop_assert_eq!(path::read(None, &wire).expect("a path"), sent);
    }

    /// Whatever texts claim to be elements, reading them is no panic.
    #[test]
    fn any_elements_are_read_or_refused(names in vec("\\PC{0,6}", 0..4)) {
        let wire = gnmi::Path { element: names, ..gnmi::Path::default() };
        let _either = path::read(Some(&wire), &wire);
    }

    /// JSON arrives as it was sent, and as what it was sent.
    #[test]
    fn documents_survive_the_wire(sent in documents(), ietf in any::<bool>()) {
        let bytes = value::json(&sent, ietf).encode_to_vec();
        let wire = TypedValue::decode(bytes.as_slice()).expect("what was just encoded");
        let form = if ietf { value::Form::Ietf } else { value::Form::Json };
        prop_assert_eq!(value::read(&wire).expect("a value"), (form, sent));
    }

    /// Whatever a typed value holds, reading it is no panic.
    #[test]
    fn any_value_is_read_or_refused(bytes in vec(any::<u8>(), 0..40)) {
        if let Ok(wire) = TypedValue::decode(bytes.as_slice()) {
            let _either = value::read(&wire);
        }
    }

    /// Options arrive as they were sent; with one more field of any kind they are refused.
    #[test]
    fn options_survive_the_wire_whole(
        sent in options(),
        field in 7_u32..100_000,
        content in vec(any::<u8>(), 0..9),
    ) {
        let extension = extension::with_options(&sent);
        prop_assert_eq!(extension::options(&[extension]), Ok(Some(sent.clone())));

        let mut bytes = sent.encode_to_vec();
        prost::encoding::bytes::encode(field, &content, &mut bytes);
        let newer = newer(bytes);
        let refused = Err(extension::Error::UnknownOption { number: field });
        prop_assert_eq!(extension::options(&[newer]), refused);
    }

    /// Whatever bytes claim to be options, reading them is no panic, and agrees with the decoder.
    #[test]
    fn any_options_are_read_or_refused(bytes in vec(any::<u8>(), 0..24)) {
        if let Ok(Some(read)) = extension::options(&[newer(bytes.clone())]) {
            prop_assert!(SetOptions::decode(bytes.as_slice()).expect("was read") == read);
        }
    }
}

/// An extension with these bytes as our options.
fn newer(bytes: Vec<u8>) -> lockstep_gnmi::proto::gnmi_ext::Extension {
    use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
    use lockstep_gnmi::proto::gnmi_ext::{Extension, RegisteredExtension};
    let any = prost_types::Any {
        type_url: "type.googleapis.com/lockstep.v1.SetOptions".into(),
        value: bytes,
    };
    let registered = RegisteredExtension { id: 999, msg: any.encode_to_vec() };
    Extension { ext: Some(Ext::RegisteredExt(registered)) }
}
