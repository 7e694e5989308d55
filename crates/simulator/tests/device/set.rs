//! Set: what each operation does, and in which order.

use lockstep_gnmi::path;
use lockstep_gnmi::proto::gnmi::update_result::Operation as Op;
use lockstep_gnmi::proto::gnmi::{ScalarArray, TypedValue, Update, Value, typed_value};
use serde_json::{Value as Json, json};
use tonic::Code;

use crate::ask::{Ask, at, read};
use crate::stage::{Client, Stage};

async fn system(client: &mut Client) -> Json {
    read(client, "/system").await.unwrap()
}

/// The names of the interfaces that are there.
async fn ports(client: &mut Client) -> Vec<String> {
    let Ok(interfaces) = read(client, "/interfaces").await else { return Vec::new() };
    let entries = interfaces["interface"].as_array().unwrap();
    entries.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

fn two_ports() -> Json {
    json!({"interface": [{"name": "a", "description": "one", "mtu": 9000}, {"name": "b"}]})
}

#[tokio::test]
async fn an_update_merges() {
    let mut stage = Stage::new().await;
    let client = &mut stage.client;
    Ask::new().update("/system", json!({"motd": "a", "hostname": "h"})).send(client).await.unwrap();
    Ask::new().update("/system", json!({"motd": "b"})).send(client).await.unwrap();
    assert_eq!(system(client).await, json!({"motd": "b", "hostname": "h"}));
    Ask::new().update("/interfaces", two_ports()).send(client).await.unwrap();
    let more = json!({"interface": [{"name": "a", "mtu": 1400}, {"name": "c"}]});
    Ask::new().update("/interfaces", more).send(client).await.unwrap();
    assert_eq!(ports(client).await, ["a", "b", "c"]);
    let kept = read(client, "/interfaces/interface[name=a]/description").await.unwrap();
    assert_eq!(kept, json!("one"));
}

#[tokio::test]
async fn a_replace_leaves_nothing_else() {
    let mut stage = Stage::new().await;
    let client = &mut stage.client;
    Ask::new().update("/interfaces", two_ports()).send(client).await.unwrap();
    let entry = json!({"description": "new"});
    Ask::new().replace("/interfaces/interface[name=a]", entry).send(client).await.unwrap();
    assert_eq!(ports(client).await, ["a", "b"]);
    let mtu = read(client, "/interfaces/interface[name=a]/mtu").await.unwrap();
    assert_eq!(mtu, json!(1500), "back at its default");
    let list = json!({"interface": [{"name": "c"}]});
    Ask::new().replace("/interfaces", list).send(client).await.unwrap();
    assert_eq!(ports(client).await, ["c"]);
    Ask::new().replace("/interfaces", json!({})).send(client).await.unwrap();
    assert_eq!(ports(client).await, [""; 0]);
}

#[tokio::test]
async fn a_replace_of_a_list_removes_the_other_entries() {
    let mut stage = Stage::new().await;
    let client = &mut stage.client;
    Ask::new().update("/interfaces", two_ports()).send(client).await.unwrap();
    let list = json!([{"name": "b"}, {"name": "c"}]);
    Ask::new().replace("/interfaces/interface", list).send(client).await.unwrap();
    assert_eq!(ports(client).await, ["b", "c"]);
}

#[tokio::test]
async fn a_delete_takes_what_lies_below() {
    let mut stage = Stage::new().await;
    let client = &mut stage.client;
    let all = Ask::new().update("/interfaces", two_ports()).update("/system/motd", json!("x"));
    all.clone().send(client).await.unwrap();
    Ask::new().delete("/interfaces/interface[name=a]").send(client).await.unwrap();
    assert_eq!(ports(client).await, ["b"]);
    for everything in ["/interfaces/interface[name=*]", "/interfaces/interface", "/interfaces"] {
        all.clone().send(client).await.unwrap();
        Ask::new().delete(everything).send(client).await.unwrap();
        assert_eq!(ports(client).await, [""; 0], "{everything}");
    }
    assert_eq!(system(client).await, json!({"motd": "x"}));
    Ask::new().delete("/").send(client).await.unwrap();
    assert!(stage.device().configuration().is_empty());
}

#[tokio::test]
async fn a_delete_of_nothing_is_fine() {
    let mut stage = Stage::new().await;
    Ask::new().delete("/system/motd").send(&mut stage.client).await.unwrap();
    Ask::new().delete("/interfaces/interface[name=x]").send(&mut stage.client).await.unwrap();
}

#[tokio::test]
async fn deletes_then_replaces_then_updates() {
    let mut stage = Stage::new().await;
    let client = &mut stage.client;
    let old = json!({"motd": "old", "hostname": "h"});
    Ask::new().update("/system", old).send(client).await.unwrap();
    // Written in the opposite order.
    let set = Ask::new()
        .update("/system/motd", json!("updated"))
        .replace("/system", json!({"motd": "replaced", "name-server": ["1"]}))
        .delete("/system");
    set.send(client).await.unwrap();
    assert_eq!(system(client).await, json!({"motd": "updated", "name-server": ["1"]}));
    // A subtree that goes, and a child of it that comes back.
    let set = Ask::new().delete("/system").update("/system/motd", json!("again"));
    set.send(client).await.unwrap();
    assert_eq!(system(client).await, json!({"motd": "again"}));
    let set = Ask::new().update("/system/motd", json!("1")).update("/system/motd", json!("2"));
    set.send(client).await.unwrap();
    assert_eq!(system(client).await, json!({"motd": "2"}), "the last one wins");
}

#[tokio::test]
async fn all_or_nothing() {
    let mut stage = Stage::new().await;
    Ask::new().update("/system/motd", json!("old")).send(&mut stage.client).await.unwrap();
    let before = stage.device().configuration();
    let set = Ask::new()
        .delete("/system")
        .update("/interfaces", two_ports())
        .update("/interfaces/interface[name=a]/mtu", json!("wide"));
    assert_eq!(set.code(&mut stage.client).await, Code::InvalidArgument);
    assert_eq!(stage.device().configuration(), before);
}

#[tokio::test]
async fn scalars_and_old_values_are_taken() {
    let mut stage = Stage::new().await;
    let client = &mut stage.client;
    let text = |text: &str| typed_value::Value::StringVal(text.into());
    let element = ["9.9.9.9", "1.1.1.1"].map(|one| TypedValue { value: Some(text(one)) });
    let servers = typed_value::Value::LeaflistVal(ScalarArray { element: element.into() });
    let mut set = Ask::new()
        .typed("/interfaces/interface[name=a]/mtu", typed_value::Value::UintVal(9000))
        .typed("/interfaces/interface[name=a]/enabled", typed_value::Value::BoolVal(true))
        .typed("/system/hostname", text("h"))
        .typed("/system/name-server", servers);
    let old = Some(Value { value: b"\"hi\"".to_vec(), r#type: 0 });
    set.0.update.push(Update { path: Some(at("/system/motd")), value: old, ..Update::default() });
    set.send(client).await.unwrap();
    let expected = json!({"hostname": "h", "motd": "hi", "name-server": ["9.9.9.9", "1.1.1.1"]});
    assert_eq!(system(client).await, expected);
    let port = read(client, "/interfaces/interface[name=a]").await.unwrap();
    assert_eq!((&port["mtu"], &port["enabled"]), (&json!(9000), &json!(true)));
}

#[tokio::test]
async fn names_may_be_qualified_and_keys_hold_anything() {
    let mut stage = Stage::new().await;
    let client = &mut stage.client;
    Ask::new().update("/lab:system", json!({"lab:motd": "x"})).send(client).await.unwrap();
    assert_eq!(system(client).await, json!({"motd": "x"}));
    for name in ["eth1/1", "10.0.0.0/8", "a]b", "x=y", "with space", "'single'", "\"double\""] {
        let entry = json!({"interface": [{"name": name, "mtu": 1400}]});
        Ask::new().update("/interfaces", entry).send(client).await.unwrap();
        let mut mtu = at("/interfaces/interface[name=?]/mtu");
        mtu.elem[1].key.insert("name".into(), name.into());
        let mtu = path::read(None, &mtu).unwrap().to_string();
        assert_eq!(read(client, &mtu).await.unwrap(), json!(1400), "{mtu}");
        Ask::new().delete(&mtu).send(client).await.unwrap();
        assert_eq!(read(client, &mtu).await.unwrap(), json!(1500), "{mtu}");
    }
}

#[tokio::test]
async fn the_answer_has_a_result_for_each_operation() {
    let mut stage = Stage::new().await;
    let set = Ask::new()
        .prefix(at("/system"))
        .update("/motd", json!("m"))
        .update("/hostname", json!("h"))
        .replace("/name-server", json!(["1"]))
        .delete("/motd");
    let answer = set.clone().send(&mut stage.client).await.unwrap();
    let results: Vec<_> = answer.response.iter().map(|one| (one.op(), one.path.clone())).collect();
    let expected = [
        (Op::Delete, "/motd"),
        (Op::Replace, "/name-server"),
        (Op::Update, "/motd"),
        (Op::Update, "/hostname"),
    ];
    assert_eq!(results, expected.map(|(op, path)| (op, Some(at(path)))));
    assert_eq!(answer.prefix, set.0.prefix);
    assert!(answer.timestamp > 1_000_000_000_000_000_000, "nanoseconds");
}

#[tokio::test]
async fn an_empty_set_changes_nothing() {
    let mut stage = Stage::new().await;
    let answer = Ask::new().send(&mut stage.client).await.unwrap();
    assert!(answer.response.is_empty());
    assert!(stage.device().configuration().is_empty());
}
