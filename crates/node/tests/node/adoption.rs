//! First connect never writes.

use std::net::{Ipv4Addr, SocketAddr};

use lockstep_gnmi::path;
use lockstep_gnmi::proto::gnmi::g_nmi_client::GNmiClient;
use lockstep_gnmi::proto::gnmi::{SetRequest, Update};
use lockstep_gnmi::value;
use lockstep_node::{Initial, State};
use lockstep_protocol::record::Status;
use lockstep_protocol::{Refusal, Reply, Until};
use lockstep_simulator::journal::Kind;
use lockstep_simulator::{Options as Devices, Simulator};
use lockstep_types::{Content, Target};

use crate::lab::{Lab, models};

/// A device that has a banner before any node knows it.
async fn with_a_banner() -> Simulator {
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let simulator = Simulator::start(Devices { models: models(), listen, count: 1 }).unwrap();
    let address = format!("http://{}", simulator.addresses()[0]);
    let update = Update {
        path: Some(path::write(&"/system/motd".parse().unwrap())),
        val: Some(value::json(&"mine".into(), true)),
        ..Update::default()
    };
    let request = SetRequest { update: vec![update], ..SetRequest::default() };
    GNmiClient::connect(address).await.unwrap().set(request).await.unwrap();
    simulator
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_with_a_configuration_of_its_own_is_not_written_to() {
    let lab = Lab::with(with_a_banner().await, models(), Initial::Adopt).await;
    let leaf1 = Target::new("leaf1").unwrap();
    lab.until("it is refused", |view| view.header(&leaf1).resync_refused.is_some()).await;
    let status = lab.handle().status(&leaf1).unwrap();
    assert_eq!(status.state, State::Failed);
    let reason = status.reason.unwrap();
    assert!(reason.contains("initial: replace") && reason.contains("1 values"), "{reason}");
    // Neither a change nor one that fails makes the device ours.
    let refused = lab.submit(&["leaf1"], "x").await;
    assert!(matches!(refused, Reply::Refused(Refusal::NeverMet { .. })), "{refused:?}");
    let mut waits = lab.request(&["leaf1"], "waits");
    waits.until = Until::Decision;
    waits.deadline = lab.handle().now().after(200_000_000);
    lab.handle().submit(waits).await.unwrap();
    lab.until("it is reverted", |view| {
        view.transactions().any(|transaction| transaction.status == Status::Reverted)
    })
    .await;
    let term = lab.handle().status(&leaf1).unwrap().term;
    lab.simulator.device(0).unwrap().restart(true).await.unwrap();
    lab.until("it is connected again", |view| view.master(&leaf1).is_some_and(|m| m.term > term))
        .await;
    lab.until("it is refused again", |view| view.header(&leaf1).resync_refused.is_some()).await;
    assert!(!lab.handle().view().header(&leaf1).met);
    let journal = lab.simulator.device(0).unwrap().journal();
    let sets = journal.iter().filter(|entry| entry.kind == Kind::Set).count();
    assert_eq!(sets, 1, "only the one that was there before");
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn asked_to_replace_it_makes_the_device_match() {
    let lab = Lab::with(with_a_banner().await, models(), Initial::Replace).await;
    let leaf1 = Target::new("leaf1").unwrap();
    lab.until("it is synchronised", |view| view.is_synchronised(&leaf1)).await;
    assert!(lab.simulator.device(0).unwrap().configuration().is_empty());
    lab.stop().await;
}

/// What the device lost or got afterwards is ours to put right.
#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_was_known_is_brought_in_line() {
    let lab = Lab::start(1).await;
    lab.submit(&["leaf1"], "ours").await;
    let leaf1 = Target::new("leaf1").unwrap();
    let term = lab.handle().status(&leaf1).unwrap().term;
    let device = lab.simulator.device(0).unwrap();
    device.restart(false).await.unwrap();
    lab.until("it is back", |view| {
        let later = view.mastership(&leaf1).is_some_and(|m| m.term > term);
        later && view.is_synchronised(&leaf1)
    })
    .await;
    let motd = device.configuration().get(&"/system/motd".parse().unwrap()).cloned();
    assert_eq!(motd, Some(Content::leaf("ours")));
    lab.stop().await;
}
