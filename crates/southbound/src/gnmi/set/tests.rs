//! Deltas, and the operations they become.

use std::path::Path as FilePath;
use std::sync::OnceLock;

use lockstep_gnmi::{path, proto, value};
use lockstep_types::{Configuration, Content, Delta, Keys, Path};
use lockstep_yang::{ModelSet, Options};

use super::{Encoding, request, to_be_read};

fn load(origin: Option<&str>) -> ModelSet {
    let path = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    let (modules, features, origin) = (Vec::new(), Vec::new(), origin.map(str::to_owned));
    ModelSet::load(&Options { path, modules, features, origin }).unwrap()
}

fn models() -> &'static ModelSet {
    static MODELS: OnceLock<ModelSet> = OnceLock::new();
    MODELS.get_or_init(|| load(None))
}

type Units<'a> = Vec<(&'a str, Option<Content>)>;

fn delta(units: Units<'_>) -> Delta {
    units.into_iter().map(|(text, content)| (text.parse().unwrap(), content)).collect()
}

/// The operations in the order in which a device runs them, one line each.
fn sent_to(held: Units<'_>, encoding: Encoding, units: Units<'_>) -> Vec<String> {
    let held =
        held.into_iter().filter_map(|(path, content)| Some((path.parse().unwrap(), content?)));
    let held: Configuration = held.collect::<Vec<(Path, Content)>>().into_iter().collect();
    let request = request(models(), encoding, &delta(units), &held).unwrap();
    let show = |wire: &proto::gnmi::Path| path::read(None, wire).unwrap().to_string();
    let update = |kind: &str, update: &proto::gnmi::Update| {
        let (_, json) = value::read(update.val.as_ref().unwrap()).unwrap();
        format!("{kind} {} {json}", show(update.path.as_ref().unwrap()))
    };
    let deletes = request.delete.iter().map(|path| format!("delete {}", show(path)));
    let replaces = request.replace.iter().map(|one| update("replace", one));
    let updates = request.update.iter().map(|one| update("update", one));
    deletes.chain(replaces).chain(updates).collect()
}

fn sent(units: Units<'_>) -> Vec<String> {
    sent_to(vec![], Encoding::JsonIetf, units)
}

fn text(text: &str) -> Option<Content> {
    Some(Content::leaf(text))
}

fn order(names: &[&str]) -> Option<Content> {
    let keys = |name: &&str| Keys::from([("name".to_owned(), (*name).to_owned())]);
    Some(Content::Order(names.iter().map(keys).collect()))
}

const ENTRY: Option<Content> = Some(Content::Entry);

#[test]
fn nothing_is_an_empty_request() {
    assert_eq!(sent(vec![]), [""; 0]);
}

#[test]
fn leaves_are_updates_and_leaf_lists_replaces() {
    let units = vec![
        ("/top/text", text("hello")),
        ("/top/count", Some(Content::leaf(9_007_199_254_740_993_u64))),
        ("/top/tag", Some(Content::leaf_list(["a", "b"]))),
    ];
    assert_eq!(
        sent(units.clone()),
        [
            r#"replace /top/tag ["a","b"]"#,
            r#"update /top/count "9007199254740993""#,
            r#"update /top/text "hello""#,
        ]
    );
    let plain = sent_to(vec![], Encoding::Json, units);
    assert_eq!(plain[1], "update /top/count 9007199254740993");
}

#[test]
fn absent_leaves_are_deleted_one_by_one() {
    let units = vec![("/top/text", None), ("/top/plain/inner", None), ("/top/tag", None)];
    assert_eq!(sent(units), ["delete /top/plain/inner", "delete /top/tag", "delete /top/text"]);
}

#[test]
fn an_entry_or_presence_container_goes_with_all_under_it() {
    let units = vec![
        ("/top/presence", None),
        ("/top/presence/inner", None),
        ("/top/pair[one=a][two=1]", None),
        ("/top/pair[one=a][two=1]/text", None),
        ("/top/pair[one=a][two=1]/part[id=x]", None),
        ("/top/pair[one=a][two=2]/text", None),
    ];
    assert_eq!(
        sent(units),
        [
            "delete /top/pair[one=a][two=1]",
            "delete /top/pair[one=a][two=2]/text",
            "delete /top/presence",
        ]
    );
}

#[test]
fn what_is_created_by_what_is_under_it_is_not_sent_apart() {
    let units = vec![
        ("/top/presence", Some(Content::Presence)),
        ("/top/presence/inner", text("x")),
        ("/top/pair[one=a][two=1]", ENTRY),
        ("/top/pair[one=a][two=1]/part[id=x]", ENTRY),
    ];
    assert_eq!(
        sent(units),
        [
            r#"update /top/pair[one=a][two=1]/part[id=x] {"shapes:id":"x"}"#,
            r#"update /top/presence/inner "x""#,
        ]
    );
}

#[test]
fn bare_entries_and_presence_containers_are_sent() {
    let units = vec![
        ("/top/presence", Some(Content::Presence)),
        ("/top/pair[one=a][two=1]", ENTRY),
        ("/top/pair[one=a][two=1]/text", None),
    ];
    assert_eq!(
        sent(units),
        [
            "delete /top/pair[one=a][two=1]/text",
            r#"update /top/pair[one=a][two=1] {"shapes:one":"a","shapes:two":1}"#,
            "update /top/presence {}",
        ]
    );
}

#[test]
fn a_removed_list_is_removed_entry_by_entry() {
    let units = vec![
        ("/top/rule", None),
        ("/top/rule[name=a]", None),
        ("/top/rule[name=a]/action", None),
        ("/top/rule[name=b]", None),
    ];
    assert_eq!(sent(units), ["delete /top/rule[name=a]", "delete /top/rule[name=b]"]);
}

#[test]
fn new_entries_are_created_in_their_order() {
    let units = vec![
        ("/top/rule", order(&["old", "z", "a"])),
        ("/top/rule[name=a]", ENTRY),
        ("/top/rule[name=a]/action", text("drop")),
        ("/top/rule[name=a]/port", Some(Content::leaf_list([80_u64]))),
        ("/top/rule[name=z]", ENTRY),
        ("/top/rule[name=z]/action", text("pass")),
    ];
    assert_eq!(
        sent(units),
        [
            "delete /top/rule[name=a]/port",
            r#"update /top/rule[name=z]/action "pass""#,
            r#"update /top/rule[name=a]/action "drop""#,
            "update /top/rule[name=a]/port [80]",
        ]
    );
}

#[test]
fn an_order_that_lost_entries_needs_no_words() {
    let units = vec![("/top/rule", order(&["a"])), ("/top/rule[name=b]", None)];
    assert_eq!(sent(units), ["delete /top/rule[name=b]"]);
}

/// A list with three rules, each with an action and the last with ports.
fn rules() -> Units<'static> {
    vec![
        ("/top/rule", order(&["a", "b", "c"])),
        ("/top/rule[name=a]", ENTRY),
        ("/top/rule[name=a]/action", text("one")),
        ("/top/rule[name=b]", ENTRY),
        ("/top/rule[name=b]/action", text("two")),
        ("/top/rule[name=c]", ENTRY),
        ("/top/rule[name=c]/port", Some(Content::leaf_list([80_u64, 443]))),
    ]
}

#[test]
fn another_order_creates_entries_again_from_the_first_difference_on() {
    let units = vec![("/top/rule", order(&["a", "c", "b"]))];
    assert_eq!(
        sent_to(rules(), Encoding::JsonIetf, units),
        [
            "delete /top/rule[name=b]",
            "delete /top/rule[name=c]",
            "update /top/rule[name=c]/port [80,443]",
            r#"update /top/rule[name=b]/action "two""#,
        ]
    );
}

#[test]
fn an_entry_in_the_middle_moves_those_behind_it() {
    let units = vec![
        ("/top/rule", order(&["a", "new", "c"])),
        ("/top/rule[name=b]", None),
        ("/top/rule[name=b]/action", None),
        ("/top/rule[name=new]", ENTRY),
        ("/top/rule[name=c]/action", text("three")),
    ];
    assert_eq!(
        sent_to(rules(), Encoding::JsonIetf, units),
        [
            "delete /top/rule[name=b]",
            "delete /top/rule[name=c]",
            r#"update /top/rule[name=new] {"shapes:name":"new"}"#,
            r#"update /top/rule[name=c]/action "three""#,
            "update /top/rule[name=c]/port [80,443]",
        ]
    );
}

#[test]
fn entries_at_the_end_move_nothing() {
    let units = vec![("/top/rule", order(&["a", "b", "c", "d"])), ("/top/rule[name=d]", ENTRY)];
    let sent = sent_to(rules(), Encoding::JsonIetf, units);
    assert_eq!(sent, [r#"update /top/rule[name=d] {"shapes:name":"d"}"#]);
}

#[test]
fn what_the_device_holds_is_read_only_where_an_order_is_set() {
    let units = vec![("/top/rule", order(&["a"])), ("/top/text", text("x"))];
    let read: Vec<String> = to_be_read(&delta(units)).iter().map(Path::to_string).collect();
    assert_eq!(read, ["/top"]);
    assert!(to_be_read(&delta(vec![("/top/text", text("x"))])).is_empty());
}

#[test]
fn the_origin_of_the_models_goes_with_each_path() {
    let units = vec![("/top/text", text("x")), ("/top/count", None), ("/top/tag", None)];
    let with_origin = load(Some("shapes"));
    let request =
        request(&with_origin, Encoding::JsonIetf, &delta(units), &Configuration::new()).unwrap();
    let updated = request.update.iter().filter_map(|update| update.path.as_ref());
    let origins: Vec<&str> =
        request.delete.iter().chain(updated).map(|path| path.origin.as_str()).collect();
    assert_eq!(origins, ["shapes"; 3]);
}

#[test]
fn a_unit_outside_the_models_is_not_sent() {
    let path: Path = "/top/nothing".parse().unwrap();
    let delta = Delta::from_iter([(path, text("x"))]);
    let failure = request(models(), Encoding::JsonIetf, &delta, &Configuration::new()).unwrap_err();
    assert!(failure.message.contains("/top/nothing"), "{failure:?}");
}
