//! Every way in which operations are refused, with what is said.

use lockstep_yang::error::Shape;
use lockstep_yang::{DataError, EditError, Operation, PathError, Violation};
use serde_json::{Value as Json, json};

use crate::common::{LAB, TYPES, delete, ietf, path, plain, replace, scalar, update};

fn refused(operation: Operation) -> EditError {
    let set = if format!("{operation:?}").contains("lab-") { &LAB } else { &TYPES };
    set.edit(&[operation]).unwrap_err()
}

fn path_error(operation: Operation) -> PathError {
    match refused(operation) {
        EditError::Path(error) => error,
        error @ EditError::Data(_) => panic!("{error:?}"),
    }
}

fn data_error(operation: Operation) -> DataError {
    match refused(operation) {
        EditError::Data(error) => error,
        error @ EditError::Path(_) => panic!("{error:?}"),
    }
}

#[test]
fn paths_that_are_not_in_the_models() {
    for operation in
        [delete("/all/nope"), update("/all/nope", json!(1)), replace("/all/nope/more", json!(1))]
    {
        let error = path_error(operation);
        let PathError::Unknown { name, parent, .. } = &error else { panic!("{error:?}") };
        assert_eq!((name.as_str(), parent), ("nope", &path("/all")));
        assert!(error.to_string().contains("there is no `nope` in /all"), "{error}");
    }
    let error = path_error(delete("/nope"));
    assert_eq!(error.to_string(), "/nope: there is no `nope` at the top in these models");
    let error = path_error(delete("/al/int8"));
    assert_eq!(
        error.to_string(),
        "/al/int8: there is no `al` at the top in these models; did you mean `all`?"
    );
    let error = data_error(update("/all", json!({"int88": 1})));
    assert_eq!(
        error.to_string(),
        "/all: there is no `int88` here in these models; did you mean `int8`?"
    );
    assert!(matches!(path_error(delete("/*/nope")), PathError::Unknown { .. }));
    assert!(matches!(path_error(delete("/all/int8/nope")), PathError::Unknown { .. }));
    assert!(matches!(path_error(delete("/wrong:all")), PathError::Unknown { .. }));
}

#[test]
fn names_of_several_modules() {
    let error = path_error(update("/all/string", json!("x")));
    assert_eq!(
        error.to_string(),
        "/all/string: `string` may be of module types or extra; write `module:string`"
    );
    assert!(matches!(path_error(delete("/same")), PathError::Ambiguous { .. }));
    assert!(TYPES.edit(&[update("/all/extra:string", json!(1))]).is_ok());
    assert!(matches!(data_error(update("/", json!({"same": {}}))), DataError::Ambiguous { .. }));
}

#[test]
fn keys_that_are_missing_or_unknown() {
    let error = path_error(update("/keyed/by-number/note", json!("x")));
    assert_eq!(error.to_string(), "/keyed/by-number/note: list `by-number` needs its key `id`");
    for operation in [
        update("/keyed/by-identity[name=x]", json!({"note": "x"})),
        replace("/keyed/by-identity[name=x]", json!({"note": "x"})),
        update("/keyed/by-identity[colour=red]/note", json!("x")),
    ] {
        assert!(matches!(path_error(operation), PathError::MissingKey { .. }));
    }
    for operation in
        [delete("/keyed/by-number[no=1]"), delete("/all[id=1]"), delete("/all/int8[x=1]")]
    {
        assert!(matches!(path_error(operation), PathError::UnknownKey { .. }));
    }
    let error = path_error(delete("/keyed/by-number[idd=1]"));
    assert!(error.to_string().ends_with("has no key `idd`; did you mean `id`?"), "{error}");
}

#[test]
fn keys_that_their_type_does_not_have() {
    for operation in [
        delete("/keyed/by-number[id=x]"),
        update("/keyed/by-number[id=70000]", json!({})),
        delete("/keyed/by-identity[colour=blue]"),
        delete("/keyed/by-bool[id=maybe]/wide"),
    ] {
        let error = path_error(operation);
        assert!(matches!(error, PathError::WrongKey { .. }), "{error:?}");
        assert!(!error.to_string().contains("internal"), "{error}");
    }
    let error = path_error(delete("/keyed/by-number[id=70000]"));
    assert_eq!(
        error.to_string(),
        "/keyed/by-number[id=70000]: key `id`: Value \"70000\" is out of type uint16 min/max bounds."
    );
}

#[test]
fn wildcards_where_one_node_is_meant() {
    for text in ["/keyed/by-number[id=*]/note", "/*", "/all/.../x", "/..."] {
        let error = path_error(update(text, json!("x")));
        assert_eq!(error, PathError::Wildcard { path: path(text) });
    }
}

#[test]
fn state_is_read_only() {
    let at = "/keyed/by-identity[colour=red][name=a]/state";
    for operation in [delete(at), update(at, json!("x")), delete("/keyed/by-identity/state")] {
        assert!(matches!(path_error(operation), PathError::ReadOnly { .. }));
    }
    let json = json!([{"colour": "base:red", "name": "a", "state": "x"}]);
    let error = data_error(update("/keyed/by-identity", json));
    assert_eq!(
        error,
        DataError::ReadOnly { path: path("/keyed/by-identity[colour=base:red][name=a]/state") }
    );
    assert!(TYPES.edit(&[delete("/keyed/by-identity")]).is_ok());
}

#[test]
fn keys_live_with_their_entry() {
    let error = path_error(delete("/keyed/by-number[id=1]/id"));
    assert_eq!(error, PathError::Key { path: path("/keyed/by-number[id=1]/id") });
    assert!(TYPES.edit(&[delete("/keyed/by-number[id=1]/*")]).is_ok());
}

#[test]
fn a_key_that_contradicts_the_path() {
    for operation in [
        update("/keyed/by-number[id=1]", json!({"id": 2})),
        replace("/keyed/by-number[id=1]", json!({"types:id": 2})),
        update("/keyed/by-number[id=1]/id", json!(2)),
    ] {
        let error = data_error(operation);
        assert_eq!(error.to_string(), "/keyed/by-number[id=1]: the value says `id` is \"2\"");
    }
}

#[test]
fn entries_without_keys_and_entries_twice() {
    let error = data_error(update("/keyed", json!({"by-number": [{"note": "x"}]})));
    assert_eq!(error.to_string(), "/keyed/by-number: an entry has no key `id`");
    let error = data_error(update("/keyed/by-number", json!([{"id": 1}, {"id": 1}])));
    assert_eq!(error, DataError::Duplicate { path: path("/keyed/by-number[id=1]") });
    let error = data_error(update("/all", json!({"int8": 1, "types:int8": 2})));
    assert_eq!(error, DataError::Duplicate { path: path("/all/int8") });
}

#[test]
fn nothing_is_no_value() {
    let error = data_error(replace("/keyed/by-number[id=1]", json!({})));
    assert_eq!(error, DataError::EmptyEntry { path: path("/keyed/by-number[id=1]") });
    for operation in [
        update("/all/int8", Json::Null),
        replace("/all/int8", Json::Null),
        update("/all", json!({"int8": null})),
        Operation::Replace(path("/all/int8"), scalar(Json::Null)),
    ] {
        assert_eq!(data_error(operation), DataError::Null { path: path("/all/int8") });
    }
}

#[test]
fn members_that_are_not_in_the_models() {
    let error = data_error(update("/all", json!({"nope": 1})));
    assert_eq!(
        error,
        DataError::Unknown { path: path("/all"), name: "nope".into(), nearest: None }
    );
    let error = data_error(update("/keyed", json!({"by-number": [{"id": 5, "nope": 1}]})));
    assert_eq!(
        error.to_string(),
        "/keyed/by-number[id=5]: there is no `nope` here in these models; did you mean `note`?"
    );
}

#[test]
fn json_of_another_shape() {
    for (at, json, expected, found) in [
        ("/all", json!([]), Shape::Object, "an array"),
        ("/", json!("x"), Shape::Object, "a string"),
        ("/keyed/by-number", json!({"id": 1}), Shape::Array, "an object"),
        ("/keyed/by-number[id=1]", json!([{"id": 1}]), Shape::Object, "an array"),
        ("/all/numbers", json!("1"), Shape::Array, "a string"),
        ("/all/int8", json!({"int8": 1}), Shape::Scalar, "an object"),
        ("/all/int8", json!([1]), Shape::Scalar, "an array"),
    ] {
        let error = data_error(update(at, json));
        assert_eq!(error, DataError::Shape { path: path(at), expected, found });
    }
}

#[test]
fn values_that_their_type_does_not_have() {
    for (leaf, json) in [
        ("int8", json!(128)),
        ("int8", json!("1")),
        ("uint64", json!(1)),
        ("uint8", json!(-1)),
        ("uint8", json!(1.5)),
        ("decimal", json!(1.5)),
        ("decimal", json!("1.0001")),
        ("boolean", json!("true")),
        ("boolean", json!(1)),
        ("types:string", json!("more than twenty characters")),
        ("types:string", json!(1)),
        ("enumeration", json!("left")),
        ("bits", json!("bravo")),
        ("binary", json!("?")),
        ("identity", json!("base:blue")),
        ("identity", json!("red")),
        ("empty", json!(true)),
        ("instance", json!("/types:nope")),
        ("ref", json!(70000)),
        ("mixed", json!("other")),
        ("numbers", json!(["1", "x"])),
    ] {
        let at = format!("/all/{leaf}");
        let error = data_error(update(&at, json.clone()));
        let found = misfit(&error);
        assert_eq!(found.path, path(&at), "{json}");
        let message = &found.message;
        assert!(!message.is_empty() && !message.contains("internal"), "{leaf} {json}: {message}");
        let sent = if leaf == "numbers" { json!("x") } else { json };
        assert_eq!(found.value, Some(sent.to_string()), "{leaf}");
    }
    let nested = json!({"keyed": {"by-number": [{"id": 3, "note": 4}]}});
    let error = data_error(Operation::Update(path("/"), plain(nested)));
    assert_eq!(misfit(&error).path, path("/keyed/by-number[id=3]/note"));
}

/// The one value that its type does not have.
fn misfit(error: &DataError) -> &Violation {
    match error {
        DataError::Values(values) if values.len() == 1 => &values[0],
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_value_that_does_not_fit_is_told() {
    let operations = [
        update("/rules/more", json!({"this": "x", "tagged": 300, "ranged": 10, "sized": "x"})),
        update("/rules/picky", json!("ABC")),
        update("/all/int16", json!(7)),
        update("/keyed/by-number", json!([{"id": 1, "note": 1}, {"id": -1}, {"id": 2, "note": 2}])),
        Operation::Update(path("/all/uint8"), scalar("many")),
        update("/keyed/by-number[id=7]/id", json!("seven")),
    ];
    let error = TYPES.edit(&operations).unwrap_err();
    let EditError::Data(DataError::Values(values)) = &error else { panic!("{error:?}") };
    let found: Vec<(String, &str, &str)> = values
        .iter()
        .map(|one| {
            let (value, tag) = (one.value.as_deref(), one.app_tag.as_deref());
            (one.path.to_string(), value.unwrap_or_default(), tag.unwrap_or_default())
        })
        .collect();
    let found: Vec<(&str, &str, &str)> =
        found.iter().map(|(path, value, tag)| (path.as_str(), *value, *tag)).collect();
    assert_eq!(
        found,
        [
            ("/rules/more/ranged", "10", "one-to-nine"),
            ("/rules/more/sized", "\"x\"", "two-to-four"),
            ("/rules/more/tagged", "300", ""),
            ("/rules/picky", "\"ABC\"", "letters"),
            ("/keyed/by-number[id=1]/note", "1", ""),
            ("/keyed/by-number/id", "-1", ""),
            ("/keyed/by-number[id=2]/note", "2", ""),
            ("/all/uint8", "\"many\"", ""),
            ("/keyed/by-number[id=7]/id", "\"seven\"", ""),
        ]
    );
    let told = error.to_string();
    assert!(told.contains("letters only (value \"ABC\", error-app-tag letters)"), "{told}");
    assert!(told.contains("uint8 value \"many\". (value \"many\")"), "{told}");
}

#[test]
fn anydata_has_no_units() {
    assert!(matches!(path_error(update("/blob", json!({}))), PathError::Unsupported { .. }));
    assert!(matches!(path_error(delete("/blob")), PathError::Unsupported { .. }));
    let error = data_error(Operation::Update(path("/"), ietf(json!({"types:blob": {}}))));
    assert!(matches!(error, DataError::Unsupported { .. }));
}
