//! Subscribe to what becomes of things.

use std::time::Duration;

use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi::{
    SubscribeRequest, Subscription, SubscriptionList, SubscriptionMode,
};
use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
use lockstep_gnmi::proto::gnmi_ext::{
    ConfigSubscription, ConfigSubscriptionStart, Extension, config_subscription,
};
use lockstep_simulator::faults::{Does, Feature};
use lockstep_simulator::journal::Kind;
use serde_json::json;
use tokio::time::Instant;
use tonic::Code;

use crate::ask::Ask;
use crate::listen::{Heard, list, listen, message, paths, to};
use crate::stage::{Stage, mirror};
use crate::subscribe::with_ports;

fn motd(text: &str) -> Heard {
    Heard::News(vec![("/system/motd".into(), json!(text))], Vec::new())
}

fn update(path: &str, json: serde_json::Value) -> Ask {
    Ask::new().update(path, json)
}

#[tokio::test]
async fn changes_are_told_as_they_come() {
    let mut stage = with_ports().await;
    let mut client = stage.another().await;
    let mut listener = listen(&mut client, message(paths(Mode::Stream, &["/"]))).await;
    assert_eq!(listener.pass().await.len(), 8);
    update("/system/motd", json!("new")).send(&mut stage.client).await.unwrap();
    assert_eq!(listener.next().await, motd("new"));

    // A leaf back at its default is an update.
    let mtu = "/interfaces/interface[name=eth1/1]/mtu";
    Ask::new().delete(mtu).send(&mut stage.client).await.unwrap();
    assert_eq!(listener.next().await, Heard::News(vec![(mtu.into(), json!(1500))], Vec::new()));

    // What goes with an entry is not told apart; both sides of one Set are.
    let both = Ask::new().delete("/interfaces/interface[name=eth0]").delete("/system/motd");
    let both = both.update("/system/hostname", json!("leaf1"));
    both.send(&mut stage.client).await.unwrap();
    let updates = vec![("/system/hostname".into(), json!("leaf1"))];
    let deletes = vec!["/interfaces/interface[name=eth0]".into(), "/system/motd".into()];
    assert_eq!(listener.next().await, Heard::News(updates, deletes));

    // What is as it was, or refused, is not.
    update("/system/hostname", json!("leaf1")).send(&mut stage.client).await.unwrap();
    update("/system/hostname", json!("-")).send(&mut stage.client).await.unwrap_err();
    listener.silence().await;
    listener.half_close();
    stage.device().drift(&"/system/motd".parse().unwrap(), Some(json!("me"))).await.unwrap();
    assert_eq!(listener.next().await, motd("me"));
}

#[tokio::test]
async fn a_path_without_data_keeps_the_stream_open() {
    let mut stage = Stage::new().await;
    let mut client = stage.another().await;
    let wanted = vec![to("/vlans/vlan[id=7]/name", SubscriptionMode::TargetDefined)];
    let mut listener = listen(&mut client, message(list(Mode::Stream, wanted))).await;
    assert_eq!(listener.pass().await, []);
    update("/vlans/vlan[id=7]/name", json!("x")).send(&mut stage.client).await.unwrap();
    let news = vec![("/vlans/vlan[id=7]/name".into(), json!("x"))];
    assert_eq!(listener.next().await, Heard::News(news, Vec::new()));
}

#[tokio::test]
async fn updates_only_leaves_out_what_stands() {
    let mut stage = with_ports().await;
    let mut client = stage.another().await;
    let only = SubscriptionList { updates_only: true, ..paths(Mode::Stream, &["/system"]) };
    let mut listener = listen(&mut client, message(only)).await;
    assert_eq!(listener.pass().await, []);
    update("/system/motd", json!("new")).send(&mut stage.client).await.unwrap();
    assert_eq!(listener.next().await, motd("new"));
}

#[tokio::test]
async fn samples_come_again_and_again() {
    let mut stage = with_ports().await;
    let every = Subscription {
        sample_interval: 100_000_000,
        ..to("/system/motd", SubscriptionMode::Sample)
    };
    let mut client = stage.another().await;
    let mut listener = listen(&mut client, message(list(Mode::Stream, vec![every]))).await;
    listener.pass().await;
    let start = Instant::now();
    for _ in 0..2 {
        assert_eq!(listener.next().await, motd("hi"));
    }
    assert!(start.elapsed() >= Duration::from_millis(150), "{:?}", start.elapsed());
    Ask::new().delete("/system/motd").send(&mut stage.client).await.unwrap();
    let gone = Heard::News(Vec::new(), vec!["/system/motd".into()]);
    while listener.next().await != gone {}
}

#[tokio::test]
async fn redundant_samples_are_left_out_but_for_the_heartbeat() {
    let mut stage = with_ports().await;
    let quiet = Subscription {
        sample_interval: 100_000_000,
        suppress_redundant: true,
        ..to("/system/motd", SubscriptionMode::Sample)
    };
    let mut client = stage.another().await;
    let request = message(list(Mode::Stream, vec![quiet.clone()]));
    let mut listener = listen(&mut client, request).await;
    listener.pass().await;
    listener.silence().await;
    update("/system/motd", json!("new")).send(&mut stage.client).await.unwrap();
    assert_eq!(listener.next().await, motd("new"));
    listener.silence().await;

    let beats = Subscription { heartbeat_interval: 300_000_000, ..quiet };
    let mut listener = listen(&mut client, message(list(Mode::Stream, vec![beats]))).await;
    listener.pass().await;
    let start = Instant::now();
    assert_eq!(listener.next().await, motd("new"));
    assert!(start.elapsed() >= Duration::from_millis(250), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_heartbeat_repeats_what_did_not_change() {
    let mut stage = with_ports().await;
    let beats = Subscription {
        heartbeat_interval: 100_000_000,
        ..to("/system/motd", SubscriptionMode::OnChange)
    };
    let mut listener = listen(&mut stage.client, message(list(Mode::Stream, vec![beats]))).await;
    listener.pass().await;
    for _ in 0..2 {
        assert_eq!(listener.next().await, motd("hi"));
    }
}

#[tokio::test]
async fn state_follows_configuration() {
    let mut stage = Stage::of(mirror()).await;
    let mut client = stage.another().await;
    let state = "/ports/port[id=7]/state/speed";
    let mut listener = listen(&mut client, message(paths(Mode::Stream, &[state]))).await;
    listener.pass().await;
    let set = update("/ports/port[id=7]/config/speed", json!("10"))
        .update("/ports/port[id=7]/config/id", json!(7));
    set.send(&mut stage.client).await.unwrap();
    let news = vec![(state.to_owned(), json!(10))];
    assert_eq!(listener.next().await, Heard::News(news, Vec::new()));
}

#[tokio::test]
async fn a_config_subscription_says_where_each_commit_ends() {
    let mut stage = Stage::of(mirror()).await;
    let mut client = stage.another().await;
    let start = config_subscription::Action::Start(ConfigSubscriptionStart {});
    let start = Ext::ConfigSubscription(ConfigSubscription { action: Some(start) });
    let request = SubscribeRequest {
        extension: vec![Extension { ext: Some(start) }],
        ..message(paths(Mode::Stream, &["/"]))
    };
    let mut listener = listen(&mut client, request).await;
    listener.pass().await;
    for speed in ["10", "20"] {
        let set = update("/ports/port[id=7]/config/speed", json!(speed))
            .update("/ports/port[id=7]/config/id", json!(7));
        set.send(&mut stage.client).await.unwrap();
        let Heard::News(updates, _) = listener.next().await else { panic!("news") };
        assert!(updates.iter().all(|(path, _)| !path.contains("state")), "{updates:?}");
        let Heard::Done(done) = listener.next().await else { panic!("the end of a commit") };
        let Some(Ext::ConfigSubscription(done)) = done.ext else { panic!("{done:?}") };
        let Some(config_subscription::Action::SyncDone(done)) = done.action else { panic!() };
        assert!(done.done && !done.server_commit_id.is_empty());
    }
}

#[tokio::test]
async fn who_is_slow_hears_how_it_ended() {
    let mut stage = Stage::new().await;
    let mut client = stage.another().await;
    let mut listener = listen(&mut client, message(paths(Mode::Stream, &["/system"]))).await;
    assert_eq!(listener.pass().await, []);
    // Far more than may wait, each too large for the windows of the connection.
    let text = "x".repeat(20_000);
    for round in 0..300 {
        let set = update("/system/motd", json!(format!("{text}{round}")));
        set.send(&mut stage.client).await.unwrap();
    }
    let mut heard = 0;
    loop {
        heard += 1;
        if listener.next().await == motd(&format!("{text}299")) {
            break;
        }
    }
    assert!(heard < 300, "{heard}");
}

#[tokio::test]
async fn a_restart_ends_every_stream() {
    let stage = Stage::new().await;
    let mut client = stage.another().await;
    let mut listener = listen(&mut client, message(paths(Mode::Stream, &["/"]))).await;
    listener.pass().await;
    stage.device().restart(true).await.unwrap();
    assert!(matches!(listener.next().await, Heard::Error(_)));
}

#[tokio::test]
async fn faults_act_on_subscribe() {
    let mut stage = Stage::new().await;
    stage.device().set_faults(Does::Lack(Feature::Subscribe).once());
    let request = || message(paths(Mode::Once, &["/system"]));
    let heard = listen(&mut stage.client, request()).await.next().await;
    assert_eq!(heard, Heard::Error(Code::Unimplemented));
    let refuse = Does::Refuse { code: Code::DataLoss, message: String::new(), after: false };
    let system = "/system/motd".parse().unwrap();
    stage.device().set_faults(refuse.always().on([Kind::Subscribe]).at(system));
    let heard = listen(&mut stage.client, request()).await.next().await;
    assert_eq!(heard, Heard::Error(Code::DataLoss));
    let other = message(paths(Mode::Once, &["/vlans"]));
    listen(&mut stage.client, other).await.pass().await;
    stage.device().set_faults(Does::Drop { after: false }.once().on([Kind::Subscribe]));
    let mut client = stage.another().await;
    let dropped = client.subscribe(tokio_stream::iter([request()])).await;
    let dropped = match dropped {
        Err(status) => status,
        Ok(answer) => answer.into_inner().message().await.unwrap_err(),
    };
    assert!(matches!(dropped.code(), Code::Unknown | Code::Unavailable), "{dropped:?}");
}

#[tokio::test]
async fn a_device_may_not_tell_of_changes_and_have_the_rest() {
    let mut stage = Stage::new().await;
    stage.device().set_faults(Does::Lack(Feature::OnChange).always());
    let stream = |mode| message(list(Mode::Stream, vec![to("/system", mode)]));
    let refused = listen(&mut stage.client, stream(SubscriptionMode::OnChange)).await.next().await;
    assert_eq!(refused, Heard::Error(Code::Unimplemented));
    listen(&mut stage.client, stream(SubscriptionMode::Sample)).await.pass().await;
    listen(&mut stage.client, message(paths(Mode::Once, &["/system"]))).await.pass().await;
}
