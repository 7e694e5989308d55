//! The control service, by address.

use std::time::Duration;

use lockstep_gnmi::proto::lockstep::sim::v1 as wire;
use lockstep_simulator::control::{Client, Error};
use lockstep_simulator::faults::Plan;
use lockstep_simulator::faults::{Does, Feature, Refusal, Rewrite};
use lockstep_simulator::journal::{Effect, Entry, Kind};
use lockstep_simulator::{Device, Faults};
use serde_json::json;
use tonic::Code;

use crate::ask::Ask;
use crate::stage::{Stage, channel};

async fn wires(device: &Device) -> Client {
    Client::connect(device.address().to_string()).await.unwrap()
}

#[tokio::test]
async fn faults_are_set_from_afar() {
    let mut stage = Stage::new().await;
    let mut wires = wires(stage.device()).await;
    let pattern = "/interfaces/interface[name=*]/mtu".parse().unwrap();
    let refusal = Refusal { pattern, code: Code::Internal, message: "smoke".into() };
    wires.set_faults(Faults { refuse: vec![refusal] }).await.unwrap();
    let mtu = Ask::new().update("/interfaces/interface[name=a]/mtu", json!(9000));
    let refused = mtu.clone().send(&mut stage.client).await.unwrap_err();
    assert_eq!(refused, (Code::Internal, "smoke".into()));
    wires.set_faults(Faults::default()).await.unwrap();
    mtu.send(&mut stage.client).await.unwrap();
}

#[tokio::test]
async fn a_restart_is_answered_when_it_is_over() {
    let mut stage = Stage::new().await;
    Ask::new().update("/system/motd", json!("x")).send(&mut stage.client).await.unwrap();
    let mut wires = wires(stage.device()).await;
    wires.restart(true).await.unwrap();
    assert!(!stage.device().configuration().is_empty());
    stage.another().await;
    wires.restart(false).await.unwrap();
    assert!(stage.device().configuration().is_empty());
    stage.another().await;
}

#[tokio::test]
async fn the_journal_is_the_same_from_afar() {
    let mut stage = Stage::new().await;
    let mut wires = wires(stage.device()).await;
    Ask::new().master("lockstep", 1, 2).send(&mut stage.client).await.unwrap();
    let set = Ask::new().master("lockstep", 1, 2).update("/system/motd", json!("x"));
    set.send(&mut stage.client).await.unwrap();
    Ask::new().delete("/nonsense").send(&mut stage.client).await.unwrap_err();
    let near = stage.device().journal().into_iter();
    let near: Vec<_> = near.map(|entry| Entry { configuration: None, ..entry }).collect();
    let far = wires.journal(0).await.unwrap();
    assert_eq!(far, near);
    let later = wires.journal(far[1].number).await.unwrap();
    assert_eq!((later.len(), later[0].kind), (1, Kind::Set));
    assert!(matches!(later[0].effect, Effect::Refused { code: Code::NotFound, .. }));
}

#[tokio::test]
async fn every_fault_is_the_same_from_afar() {
    let stage = Stage::new().await;
    let mut wires = wires(stage.device()).await;
    let time = Duration::from_millis(90_000);
    let refuse = |after| Does::Refuse { code: Code::DataLoss, message: "x".into(), after };
    let path = || "/interfaces/interface[name=*]/mtu".parse().unwrap();
    let all = [
        refuse(false).always().at(path()).deletes().times(7),
        refuse(true).once().on(Kind::REQUESTS),
        Does::Delay(time).always().on([Kind::Get, Kind::Claim]),
        Does::Hang(None).always(),
        Does::Hang(Some(time)).always(),
        Does::Drop { after: true }.always(),
        Does::Restart { after: false, keep: true }.always(),
        Does::Rewrite(Rewrite::Upper).always(),
        Does::Rewrite(Rewrite::Lower).always(),
        Does::Rewrite(Rewrite::Keep).always(),
        Does::Rewrite(Rewrite::Value(json!({"a": [1]}))).always(),
        Does::Lack(Feature::Depth).always(),
        Does::Ignore(Feature::Commit).always(),
        Does::Drift { value: None, every: time }.always().at(path()),
        Does::Drift { value: Some(json!("x")), every: time }.always().at(path()),
    ];
    for fault in all.clone() {
        wires.add_faults(fault).await.unwrap();
    }
    let all = Plan::from(all);
    assert_eq!(stage.device().faults(), all);
    assert_eq!(wires.faults().await.unwrap(), all);
    wires.set_faults(Plan::default()).await.unwrap();
    assert!(stage.device().faults().is_empty());
}

#[tokio::test]
async fn a_device_drifts_and_releases_from_afar() {
    let mut stage = Stage::new().await;
    let mut wires = wires(stage.device()).await;
    let path = "/system/motd".parse().unwrap();
    wires.drift(&path, Some(&json!("mine"))).await.unwrap();
    assert_eq!(stage.device().configuration().len(), 1);
    wires.drift(&path, None).await.unwrap();
    assert!(stage.device().configuration().is_empty());
    let nonsense = wires.drift(&"/nonsense".parse().unwrap(), None).await.unwrap_err();
    assert!(matches!(nonsense, Error::Answer { code: Code::InvalidArgument, .. }), "{nonsense}");

    wires.set_faults(Does::Hang(None).once()).await.unwrap();
    let hangs = Ask::new().update("/system/motd", json!("x"));
    let soon = Duration::from_millis(50);
    assert!(tokio::time::timeout(soon, hangs.send(&mut stage.client)).await.is_err());
    wires.release().await.unwrap();
    while stage.device().configuration().is_empty() {
        tokio::task::yield_now().await;
    }
    let far = wires.journal(0).await.unwrap();
    assert_eq!(far.last().map(|entry| entry.late), Some(true));
}

#[tokio::test]
async fn faults_that_make_no_sense_are_refused() {
    let stage = Stage::new().await;
    let channel = channel(stage.device().address()).await;
    let mut client = wire::control_client::ControlClient::new(channel);
    for (pattern, code) in [("/a[", ""), ("/a", "OK"), ("/a", "failed_precondition")] {
        let refusal =
            wire::Refusal { pattern: pattern.into(), code: code.into(), message: String::new() };
        let faults = Some(wire::Faults { refuse: vec![refusal], fault: Vec::new() });
        let refused = client.set_faults(wire::SetFaultsRequest { faults }).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{pattern} {code}");
    }
}

#[tokio::test]
async fn nobody_there_is_an_error_with_the_address() {
    let stage = Stage::new().await;
    let address = stage.device().address().to_string();
    stage.device().switch_off(true).await;
    let error = Client::connect(address.clone()).await.unwrap_err();
    assert!(matches!(&error, Error::Connect { .. }), "{error}");
    assert_eq!(error.to_string(), format!("no simulated device at {address}"));
}
