//! Set: what is refused, and with which code. Nothing changes in any of these.

use lockstep_gnmi::proto::gnmi::{SetRequest, typed_value};
use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
use lockstep_gnmi::proto::gnmi_ext::{Depth, Extension, History};
use serde_json::{Value, json};
use tonic::Code;

use crate::ask::{Ask, at};
use crate::stage::Stage;

/// Sends each to a device that has something to lose.
async fn refused(expected: Code, asks: Vec<Ask>) {
    let mut stage = Stage::new().await;
    let ports = json!({"interface": [{"name": "a", "enabled": false}]});
    let set = Ask::new().update("/system/motd", json!("x")).update("/interfaces", ports);
    set.send(&mut stage.client).await.unwrap();
    let before = stage.device().configuration();
    for ask in asks {
        let shown = format!("{:?}", ask.0);
        let (code, message) = ask.send(&mut stage.client).await.expect_err(&shown);
        assert_eq!(code, expected, "{message}: {shown}");
        assert!(!message.is_empty());
        assert_eq!(stage.device().configuration(), before);
    }
}

fn update(path: &str, value: Value) -> Ask {
    Ask::new().update(path, value)
}

#[tokio::test]
async fn paths_that_are_not_in_the_schema() {
    let asks = vec![
        update("/system/colour", json!("red")),
        Ask::new().replace("/colours", json!({})),
        Ask::new().delete("/system/colour"),
        Ask::new().delete("/syst"),
    ];
    refused(Code::NotFound, asks).await;
}

#[tokio::test]
async fn paths_that_name_no_single_node() {
    let port = || json!({"mtu": 1400});
    let asks = vec![
        update("/interfaces/interface", port()),
        update("/interfaces/interface[name=*]", port()),
        update("/interfaces/interface/mtu", json!(1400)),
        update("/*/motd", json!("y")),
        update("/interfaces/interface[id=a]", port()),
        update("/system/uptime", json!("5")),
    ];
    refused(Code::InvalidArgument, asks).await;
}

#[tokio::test]
async fn values_that_do_not_fit() {
    let entry = "/interfaces/interface[name=a]";
    let other = || json!({"name": "b", "mtu": 1400});
    let asks = vec![
        update("/interfaces/interface[name=a]/mtu", json!("wide")),
        update("/interfaces/interface[name=a]/mtu", json!(67)),
        update("/system/motd", json!(null)),
        update("/system/motd", json!({"a": 1})),
        update("/system", json!("motd")),
        update("/system", json!({"colour": "red"})),
        update("/system", json!({"uptime": "5"})),
        update(entry, other()),
        Ask::new().replace(entry, other()),
        Ask::new().replace(entry, json!({})),
        update("/interfaces", json!({"interface": [{"mtu": 1400}]})),
        Ask::new().typed("/system/motd", typed_value::Value::JsonIetfVal(b"{".to_vec())),
    ];
    refused(Code::InvalidArgument, asks).await;
}

#[tokio::test]
async fn configurations_that_break_a_rule() {
    let asks = vec![
        update("/interfaces/interface[name=a]/access-vlan", json!(7)),
        update("/interfaces/interface[name=a]/mtu", json!(9000)),
        update("/system/name-server", json!(["1", "2", "3", "4"])),
    ];
    refused(Code::InvalidArgument, asks).await;
}

#[tokio::test]
async fn a_broken_rule_is_named_with_its_path() {
    let mut stage = Stage::new().await;
    let ports = json!({"interface": [{"name": "a", "enabled": false, "mtu": 9000}]});
    let (_, message) = update("/interfaces", ports).send(&mut stage.client).await.unwrap_err();
    let rule = "A jumbo MTU needs an interface that is enabled.";
    assert_eq!(message, format!("/interfaces/interface[name=a]/mtu: {rule}"));
}

#[tokio::test]
async fn a_reference_may_come_with_what_it_refers_to() {
    let mut stage = Stage::new().await;
    let set = update("/interfaces/interface[name=a]/access-vlan", json!(7))
        .update("/vlans", json!({"vlan": [{"id": 7}]}));
    set.send(&mut stage.client).await.unwrap();
    let gone = Ask::new().delete("/vlans/vlan[id=7]").code(&mut stage.client).await;
    assert_eq!(gone, Code::InvalidArgument);
}

#[tokio::test]
async fn what_is_not_there_yet() {
    let union = SetRequest {
        union_replace: update("/system/motd", json!("y")).0.update,
        ..SetRequest::default()
    };
    let asks = vec![
        Ask::new().typed("/system/motd", typed_value::Value::AsciiVal("x".into())),
        Ask::new().typed("/system/motd", typed_value::Value::ProtoBytes(Vec::new())),
        Ask(union.clone()),
    ];
    refused(Code::Unimplemented, asks).await;
    let mixed = SetRequest { delete: vec![at("/system/motd")], ..union };
    refused(Code::InvalidArgument, vec![Ask(mixed)]).await;
}

#[tokio::test]
async fn extensions_that_go_elsewhere() {
    let with = |ext| Ask::new().delete("/system/motd").extension(Extension { ext: Some(ext) });
    let asks = vec![with(Ext::Depth(Depth { level: 0 })), with(Ext::History(History::default()))];
    refused(Code::InvalidArgument, asks).await;
}
