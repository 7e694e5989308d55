//! Subscribe once and by polls, and what is refused in every mode.

use lockstep_gnmi::proto::gnmi::subscribe_request::Request;
use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi::{
    AliasList, Encoding, ModelData, Path, Poll, SubscribeRequest, Subscription, SubscriptionList,
    SubscriptionMode,
};
use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
use lockstep_gnmi::proto::gnmi_ext::{Depth, Extension, History, TimeRange, history};
use lockstep_simulator::journal::{Effect, Kind};
use serde_json::{Value, json};
use tonic::Code;

use crate::ask::{Ask, at};
use crate::listen::{Heard, list, listen, message, paths, to};
use crate::stage::{Stage, mirror};

pub(crate) async fn with_ports() -> Stage {
    let mut stage = Stage::new().await;
    let ports = json!({"interface": [
        {"name": "eth0", "description": "up"},
        {"name": "eth1/1", "mtu": 9000},
    ]});
    let set = Ask::new().update("/interfaces", ports).update("/system/motd", json!("hi"));
    set.send(&mut stage.client).await.unwrap();
    stage
}

async fn once(stage: &mut Stage, list: SubscriptionList) -> Vec<(String, Value)> {
    let mut listener = listen(&mut stage.client, message(list)).await;
    let all = listener.pass().await;
    assert_eq!(listener.next().await, Heard::End);
    all
}

#[tokio::test]
async fn once_is_every_leaf_then_the_end() {
    let mut stage = with_ports().await;
    let all = once(&mut stage, paths(Mode::Once, &["/"])).await;
    let eth0 = |leaf: &str| format!("/interfaces/interface[name=eth0]/{leaf}");
    let eth1 = |leaf: &str| format!("/interfaces/interface[name=eth1/1]/{leaf}");
    let expected = [
        (eth0("description"), json!("up")),
        (eth0("enabled"), json!(true)),
        (eth0("mtu"), json!(1500)),
        (eth0("name"), json!("eth0")),
        (eth1("enabled"), json!(true)),
        (eth1("mtu"), json!(9000)),
        (eth1("name"), json!("eth1/1")),
        ("/system/motd".into(), json!("hi")),
    ];
    assert_eq!(all, expected);
    let entry = stage.device().journal().pop().unwrap();
    assert_eq!((entry.kind, entry.effect), (Kind::Subscribe, Effect::Done));
}

#[tokio::test]
async fn paths_may_stand_for_many() {
    let mut stage = with_ports().await;
    let table = [
        ("/interfaces/interface[name=*]/mtu", 2),
        ("/interfaces/interface/mtu", 2),
        ("/.../mtu", 2),
        ("/interfaces/*/name", 2),
        ("/interfaces/interface[name=eth0]", 4),
        ("/lab:system/lab:motd", 1),
        ("/system/hostname", 0),
        ("/vlans", 0),
    ];
    for (path, count) in table {
        let all = once(&mut stage, paths(Mode::Once, &[path])).await;
        assert_eq!(all.len(), count, "{path}: {all:?}");
    }
}

#[tokio::test]
async fn the_prefix_is_echoed_and_paths_go_on_from_it() {
    let mut stage = with_ports().await;
    let prefix = Path { target: "leaf1".into(), ..at("/interfaces/interface[name=eth0]") };
    let list = SubscriptionList {
        prefix: Some(prefix.clone()),
        encoding: Encoding::JsonIetf.into(),
        ..paths(Mode::Once, &["/mtu"])
    };
    let mut listener = listen(&mut stage.client, message(list)).await;
    let first = listener.raw().await.unwrap().unwrap();
    let text = format!("{first:?}");
    assert!(text.contains("JsonIetfVal") && text.contains("leaf1"), "{text}");
    assert_eq!(listener.pass().await, []);
}

#[tokio::test]
async fn depth_and_models_limit_what_is_sent() {
    let mut stage = with_ports().await;
    let depth = Extension { ext: Some(Ext::Depth(Depth { level: 1 })) };
    let request = |path: &str| SubscribeRequest {
        extension: vec![depth.clone()],
        ..message(paths(Mode::Once, &[path]))
    };
    for (path, count) in [("/", 0), ("/system", 1), ("/interfaces/interface", 7)] {
        let all = listen(&mut stage.client, request(path)).await.pass().await;
        assert_eq!(all.len(), count, "{path}: {all:?}");
    }
    let mut stage = Stage::of(mirror()).await;
    let config = json!({"id": 7, "more:colour": "red"});
    let port = json!({"port": [{"id": 7, "config": config}]});
    Ask::new().update("/ports", port).send(&mut stage.client).await.unwrap();
    let use_models = vec![ModelData { name: "more".into(), ..ModelData::default() }];
    let limited = SubscriptionList { use_models, ..paths(Mode::Once, &["/"]) };
    let all = once(&mut stage, limited).await;
    assert_eq!(all, [("/ports/port[id=7]/config/colour".into(), json!("red"))]);
    let state = once(&mut stage, paths(Mode::Once, &["/ports/port[id=7]/state"])).await;
    assert_eq!(state.len(), 2, "{state:?}");
}

#[tokio::test]
async fn polls_are_answered_with_all_that_stands() {
    let mut stage = with_ports().await;
    let mut listener =
        listen(&mut stage.client, message(paths(Mode::Poll, &["/system/motd"]))).await;
    assert_eq!(listener.pass().await.len(), 1);
    Ask::new().update("/system/motd", json!("new")).send(&mut stage.client).await.unwrap();
    for _ in 0..2 {
        listener.poll().await;
        assert_eq!(listener.pass().await, [("/system/motd".into(), json!("new"))]);
    }
    listener.half_close();
    assert_eq!(listener.next().await, Heard::End);
}

#[tokio::test]
async fn updates_only_begins_with_the_sync() {
    let mut stage = with_ports().await;
    let only = |mode| SubscriptionList { updates_only: true, ..paths(mode, &["/system"]) };
    assert_eq!(once(&mut stage, only(Mode::Once)).await, []);
    let mut listener = listen(&mut stage.client, message(only(Mode::Poll))).await;
    assert_eq!(listener.pass().await, []);
    Ask::new().update("/system/hostname", json!("a")).send(&mut stage.client).await.unwrap();
    listener.poll().await;
    assert_eq!(listener.pass().await, [("/system/hostname".into(), json!("a"))]);
}

#[tokio::test]
async fn what_cannot_be_subscribed_to() {
    let mut stage = with_ports().await;
    let stream = |one: Subscription| message(list(Mode::Stream, vec![one]));
    let on_change = || to("/system", SubscriptionMode::OnChange);
    let invalid = [
        SubscribeRequest::default(),
        SubscribeRequest { request: Some(Request::Poll(Poll {})), extension: Vec::new() },
        message(SubscriptionList::default()),
        message(paths(Mode::Once, &["/nonsense"])),
        message(paths(Mode::Once, &["/interfaces/interface[id=7]"])),
        message(SubscriptionList { mode: 7, ..paths(Mode::Once, &["/"]) }),
        message(SubscriptionList { encoding: 7, ..paths(Mode::Once, &["/"]) }),
        stream(Subscription { mode: 7, ..on_change() }),
        stream(Subscription {
            sample_interval: 1_000_000_000,
            ..to("/system", SubscriptionMode::TargetDefined)
        }),
        stream(Subscription { sample_interval: 1, ..to("/system", SubscriptionMode::Sample) }),
        stream(Subscription { heartbeat_interval: 1, ..on_change() }),
        message(SubscriptionList {
            use_models: vec![ModelData { name: "nobody".into(), ..ModelData::default() }],
            ..paths(Mode::Once, &["/"])
        }),
    ];
    for request in invalid {
        let text = format!("{request:?}");
        let heard = listen(&mut stage.client, request).await.next().await;
        assert_eq!(heard, Heard::Error(Code::InvalidArgument), "{text}");
    }
    let aliases = Request::Aliases(AliasList::default());
    let proto = SubscriptionList { encoding: Encoding::Proto.into(), ..paths(Mode::Once, &["/"]) };
    let heard = listen(&mut stage.client, message(proto)).await.next().await;
    assert_eq!(heard, Heard::Error(Code::Unimplemented));
    for (mode, request, code) in [
        (Mode::Stream, Request::Subscribe(paths(Mode::Once, &["/"])), Code::InvalidArgument),
        (Mode::Poll, Request::Subscribe(paths(Mode::Once, &["/"])), Code::InvalidArgument),
        (Mode::Stream, Request::Poll(Poll {}), Code::InvalidArgument),
        (Mode::Stream, aliases, Code::Unimplemented),
    ] {
        let mut listener =
            listen(&mut stage.client, message(paths(mode, &["/system/hostname"]))).await;
        listener.pass().await;
        listener.say(request).await;
        assert_eq!(listener.next().await, Heard::Error(code));
    }
}

#[tokio::test]
async fn history_is_a_snapshot_with_once() {
    let mut stage = with_ports().await;
    let then = stage.device().journal()[0].timestamp;
    Ask::new().update("/system/motd", json!("new")).send(&mut stage.client).await.unwrap();
    let with = |mode, request| {
        let history = Extension { ext: Some(Ext::History(History { request })) };
        SubscribeRequest { extension: vec![history], ..message(paths(mode, &["/system/motd"])) }
    };
    let snapshot = |time| Some(history::Request::SnapshotTime(time));
    let range = || Some(history::Request::Range(TimeRange::default()));
    let mut listener = listen(&mut stage.client, with(Mode::Once, snapshot(then))).await;
    assert_eq!(listener.pass().await, [("/system/motd".into(), json!("hi"))]);
    for (mode, request, code) in [
        (Mode::Once, snapshot(1), Code::OutOfRange),
        (Mode::Stream, snapshot(then), Code::InvalidArgument),
        (Mode::Poll, range(), Code::InvalidArgument),
        (Mode::Stream, range(), Code::Unimplemented),
        (Mode::Once, None, Code::InvalidArgument),
    ] {
        let heard = listen(&mut stage.client, with(mode, request)).await.next().await;
        assert_eq!(heard, Heard::Error(code), "{mode:?}");
    }
}
