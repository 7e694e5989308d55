//! The control service, by address.

use lockstep_gnmi::proto::lockstep::sim::v1 as wire;
use lockstep_simulator::control::{Client, Error};
use lockstep_simulator::faults::Refusal;
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
