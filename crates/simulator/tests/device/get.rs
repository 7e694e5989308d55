//! Get: what stands, and how it is written.

use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::{Encoding, GetRequest, ModelData, Path, typed_value};
use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
use lockstep_gnmi::proto::gnmi_ext::{Depth, Extension, History};
use serde_json::json;
use tonic::Code;

use crate::ask::{Ask, at, get, ietf, read, send, values};
use crate::stage::{Client, Stage};

async fn code(client: &mut Client, request: GetRequest) -> Code {
    send(client, request).await.expect_err("a refusal").0
}

async fn with_ports() -> Stage {
    let mut stage = Stage::new().await;
    let ports = json!({"interface": [
        {"name": "eth0", "description": "up"},
        {"name": "eth1/1", "mtu": 9000},
    ]});
    let set = Ask::new().update("/interfaces", ports).update("/system/motd", json!("hi"));
    set.send(&mut stage.client).await.unwrap();
    stage
}

#[tokio::test]
async fn the_encoding_is_plain_json_unless_asked_otherwise() {
    let mut stage = with_ports().await;
    let plain = send(&mut stage.client, get(&["/system"])).await.unwrap();
    assert_eq!(values(&plain), [("/system".into(), json!({"motd": "hi"}))]);
    let value = plain.notification[0].update[0].val.as_ref().and_then(|one| one.value.as_ref());
    assert!(matches!(value, Some(typed_value::Value::JsonVal(_))), "{value:?}");

    let qualified = send(&mut stage.client, ietf("/")).await.unwrap();
    let [(path, json)] = values(&qualified).try_into().unwrap();
    assert_eq!((path.as_str(), &json["lab:system"]), ("/", &json!({"motd": "hi"})));
}

#[tokio::test]
async fn one_notification_for_each_path() {
    let mut stage = with_ports().await;
    let answer = send(&mut stage.client, get(&["/system/motd", "/system"])).await.unwrap();
    assert_eq!(answer.notification.len(), 2);
    assert!(answer.notification.iter().all(|one| one.timestamp > 0 && one.update.len() == 1));
    let answer = send(&mut stage.client, get(&[])).await.unwrap();
    assert_eq!(values(&answer)[0].0, "/");
}

#[tokio::test]
async fn defaults_are_told() {
    let mut stage = with_ports().await;
    let mtu = read(&mut stage.client, "/interfaces/interface[name=eth0]/mtu").await.unwrap();
    assert_eq!(mtu, json!(1500));
    let nobody = read(&mut stage.client, "/interfaces/interface[name=eth9]/mtu").await;
    assert_eq!(nobody.unwrap_err().0, Code::NotFound);
}

#[tokio::test]
async fn wildcards_are_answered_with_concrete_paths() {
    let mut stage = with_ports().await;
    let expected = [
        ("/interfaces/interface[name=eth0]/mtu".into(), json!(1500)),
        ("/interfaces/interface[name=eth1/1]/mtu".into(), json!(9000)),
    ];
    for pattern in ["/interfaces/interface[name=*]/mtu", "/interfaces/interface/mtu", "/.../mtu"] {
        let answer = send(&mut stage.client, get(&[pattern])).await.unwrap();
        assert_eq!(answer.notification.len(), 1);
        assert_eq!(values(&answer), expected, "{pattern}");
    }
}

#[tokio::test]
async fn paths_are_below_the_prefix_they_came_with() {
    let mut stage = with_ports().await;
    let prefix = Path { target: "leaf1".into(), ..at("/interfaces/interface[name=eth0]") };
    let request = GetRequest { prefix: Some(prefix.clone()), ..get(&["/mtu"]) };
    let answer = send(&mut stage.client, request).await.unwrap();
    assert_eq!(answer.notification[0].prefix, Some(prefix));
    assert_eq!(values(&answer), [("/mtu".into(), json!(1500))]);

    // A prefix that stands for several is none of what it stands for.
    let prefix = Path { target: "leaf1".into(), ..at("/interfaces/interface") };
    let request = GetRequest { prefix: Some(prefix), ..get(&["/mtu"]) };
    let answer = send(&mut stage.client, request).await.unwrap();
    let bare = Path { target: "leaf1".into(), ..Path::default() };
    assert_eq!(answer.notification[0].prefix, Some(bare));
    assert_eq!(values(&answer)[1].0, "/interfaces/interface[name=eth1/1]/mtu");
}

#[tokio::test]
async fn nothing_is_not_found_except_at_the_root() {
    let mut stage = Stage::new().await;
    assert_eq!(read(&mut stage.client, "/").await.unwrap(), json!({}));
    for path in ["/system", "/system/motd", "/interfaces/interface[name=*]/mtu", "/system/uptime"] {
        assert_eq!(code(&mut stage.client, get(&[path])).await, Code::NotFound, "{path}");
    }
    // One path without data fails the whole Get.
    Ask::new().update("/system/motd", json!("x")).send(&mut stage.client).await.unwrap();
    let both = get(&["/system/motd", "/system/hostname"]);
    assert_eq!(code(&mut stage.client, both).await, Code::NotFound);
}

#[tokio::test]
async fn what_the_models_do_not_have_is_invalid() {
    let mut stage = Stage::new().await;
    for path in ["/system/colour", "/syst", "/system[name=x]", "/interfaces/interface[id=x]"] {
        assert_eq!(code(&mut stage.client, get(&[path])).await, Code::InvalidArgument, "{path}");
    }
    let mut empty = get(&["/system"]);
    empty.path[0].elem[0].name.clear();
    assert_eq!(code(&mut stage.client, empty).await, Code::InvalidArgument);
}

#[tokio::test]
async fn kinds_and_encodings_that_are_not_there() {
    let mut stage = with_ports().await;
    let base = get(&["/system"]);
    for kind in [DataType::All, DataType::Config] {
        let request = GetRequest { r#type: kind.into(), ..base.clone() };
        send(&mut stage.client, request).await.unwrap();
    }
    for kind in [DataType::State, DataType::Operational] {
        let request = GetRequest { r#type: kind.into(), ..base.clone() };
        // No state of these models mirrors configuration, so there is none.
        assert_eq!(code(&mut stage.client, request).await, Code::NotFound, "{kind:?}");
    }
    for encoding in [Encoding::Bytes, Encoding::Proto, Encoding::Ascii] {
        let request = GetRequest { encoding: encoding.into(), ..base.clone() };
        assert_eq!(code(&mut stage.client, request).await, Code::Unimplemented, "{encoding:?}");
    }
    let nonsense = GetRequest { encoding: 77, ..base.clone() };
    assert_eq!(code(&mut stage.client, nonsense).await, Code::InvalidArgument);
    let nonsense = GetRequest { r#type: 77, ..base.clone() };
    assert_eq!(code(&mut stage.client, nonsense).await, Code::InvalidArgument);
    let limited = GetRequest { use_models: vec![ModelData::default()], ..base };
    assert_eq!(code(&mut stage.client, limited).await, Code::InvalidArgument);
}

#[tokio::test]
async fn extensions_that_go_elsewhere_are_refused() {
    let mut stage = with_ports().await;
    let history = Extension { ext: Some(Ext::History(History::default())) };
    let request = |extension| GetRequest { extension: vec![extension], ..get(&["/system"]) };
    assert_eq!(code(&mut stage.client, request(history)).await, Code::InvalidArgument);
    send(&mut stage.client, request(Extension::default())).await.unwrap();
}

#[tokio::test]
async fn depth_is_counted_from_the_path() {
    let mut stage = with_ports().await;
    let mut at_depth = async |path: &str, level| {
        let depth = Extension { ext: Some(Ext::Depth(Depth { level })) };
        let request = GetRequest { extension: vec![depth], ..get(&[path]) };
        values(&send(&mut stage.client, request).await.unwrap())
    };
    let eth0 = json!({"name": "eth0", "description": "up", "enabled": true, "mtu": 1500});
    let eth1 = json!({"name": "eth1/1", "enabled": true, "mtu": 9000});
    let ports = json!({"interface": [eth0.clone(), eth1]});
    let all = json!({"interfaces": ports.clone(), "system": {"motd": "hi"}});
    let one = "/interfaces/interface[name=eth0]";
    let table = [
        ("/", 0, all.clone()),
        ("/", 1, json!({})),
        ("/", 2, json!({"interfaces": {}, "system": {"motd": "hi"}})),
        ("/", 3, all),
        ("/interfaces", 1, json!({})),
        ("/interfaces", 2, ports),
        (one, 1, eth0),
        ("/system/motd", 1, json!("hi")),
    ];
    for (path, level, expected) in table {
        let found = at_depth(path, level).await;
        assert_eq!(found, [(path.to_owned(), expected)], "{path} at {level}");
    }
    let each = at_depth("/interfaces/interface", 1).await;
    assert_eq!(each.len(), 2, "{each:?}");
}
