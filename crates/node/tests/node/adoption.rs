//! First connect never writes; and what is done when somebody else changes a device.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use lockstep_gnmi::path;
use lockstep_gnmi::proto::gnmi::g_nmi_client::GNmiClient;
use lockstep_gnmi::proto::gnmi::{SetRequest, Update};
use lockstep_gnmi::value;
use lockstep_node::State;
use lockstep_protocol::record::{Drift, ITSELF, Initial, Kind as Asked, Mode, Rule, Status};
use lockstep_protocol::{Order, Reply, Until, View};
use lockstep_simulator::journal::Kind;
use lockstep_simulator::{Device, Options as Devices, Simulator};
use lockstep_store::{Memory, Records};
use lockstep_types::{Configuration, Content, Index, Target};

use crate::lab::{Lab, models, soon, spec};

/// A device that has a banner before any node knows it.
async fn with_a_banner() -> Simulator {
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let simulator = Simulator::start(Devices { models: models(), listen, count: 1 }).unwrap();
    set_banner(simulator.addresses()[0], "mine").await;
    simulator
}

/// What somebody else does.
async fn set_banner(device: SocketAddr, motd: &str) {
    let update = Update {
        path: Some(path::write(&"/system/motd".parse().unwrap())),
        val: Some(value::json(&motd.into(), true)),
        ..Update::default()
    };
    let request = SetRequest { update: vec![update], ..SetRequest::default() };
    let address = format!("http://{device}");
    GNmiClient::connect(address).await.unwrap().set(request).await.unwrap();
}

fn leaf1() -> Target {
    Target::new("leaf1").unwrap()
}

fn motd_of(tree: &Configuration) -> Option<Content> {
    tree.get(&"/system/motd".parse().unwrap()).cloned()
}

/// How many Sets a device took that were more than a claim.
fn sets(device: &Device) -> usize {
    device.journal().iter().filter(|entry| entry.kind == Kind::Set).count()
}

fn adopted(view: &View, first: bool) -> bool {
    author(view, first).is_some()
}

/// Who had something adopted.
fn author(view: &View, first: bool) -> Option<String> {
    let mut entries = view.transactions().filter(|t| t.kind == Asked::Adopt { first });
    entries.next().map(|entry| entry.author.clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_device_has_when_it_is_first_met_is_what_is_wanted() {
    let lab = Lab::with(with_a_banner().await, models(), Initial::Adopt).await;
    lab.until("it is synchronised", |view| view.is_synchronised(&leaf1())).await;
    let view = lab.handle().view();
    assert_eq!(author(&view, true).as_deref(), Some(ITSELF));
    assert_eq!(motd_of(&view.visible(&leaf1())), Some(Content::leaf("mine")));
    let device = lab.simulator.device(0).unwrap();
    assert_eq!(sets(device), 1, "only the one that was there before");
    // It is there like anything else: changed, rolled back to, brought back after a restart.
    let Reply::Transaction { index, status: Status::Applied } =
        lab.submit(&["leaf1"], "ours").await
    else {
        panic!("not applied")
    };
    let mut back = lab.request(&["leaf1"], "back");
    back.body.kind = Asked::Rollback { of: index, rule: Rule::Target };
    back.body.edits.clear();
    let Reply::Transaction { status: Status::Applied, .. } =
        lab.handle().submit(back).await.unwrap()
    else {
        panic!("not rolled back")
    };
    assert_eq!(motd_of(&device.configuration()), Some(Content::leaf("mine")));
    let term = lab.handle().status(&leaf1()).unwrap().term;
    device.restart(false).await.unwrap();
    lab.until("it is back", |view| {
        let later = view.mastership(&leaf1()).is_some_and(|m| m.term > term);
        later && view.is_synchronised(&leaf1())
    })
    .await;
    assert_eq!(motd_of(&device.configuration()), Some(Content::leaf("mine")));
    lab.stop().await;
}

/// What was asked before a device was met comes on top of what it has.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_queued_before_comes_on_top() {
    let records = Records::open(Arc::new(Memory::new())).await.unwrap();
    // Nobody listens there: the device is not met.
    let nowhere = "127.0.0.1:1".parse().unwrap();
    let asks = |motd: &str, lab: &Lab| {
        let mut request = lab.request(&["leaf1"], motd);
        request.body.mode = Mode::Queued;
        request.until = Until::Decision;
        request
    };
    let simulator = with_a_banner().await;
    let first =
        Lab::on(records.clone(), simulator, |i, _| spec(i, nowhere, &models(), Initial::Adopt))
            .await;
    for motd in ["first", "second"] {
        let reply = first.handle().submit(asks(motd, &first)).await.unwrap();
        assert!(matches!(reply, Reply::Transaction { status: Status::Committed, .. }), "{reply:?}");
    }
    let simulator = first.leave().await;
    let lab = Lab::on(records, simulator, |i, at| spec(i, at, &models(), Initial::Adopt)).await;
    lab.until("all of it is applied", |view| view.open().next().is_none() && adopted(view, true))
        .await;
    let device = lab.simulator.device(0).unwrap();
    assert_eq!(motd_of(&device.configuration()), Some(Content::leaf("second")));
    // Without either of them, what the device had is back.
    let view = lab.handle().view();
    let undo = &view.proposal(Index::new(1), &leaf1()).unwrap().undo;
    assert_eq!(
        undo.units.values().map(|unit| unit.content.clone()).collect::<Vec<_>>(),
        [Some(Content::leaf("mine"))]
    );
    lab.stop().await;
}

/// Somebody else changes a device; what is done about it, the target says.
async fn tampered(drift: Drift) -> Lab {
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let simulator = Simulator::start(Devices { models: models(), listen, count: 1 }).unwrap();
    let records = Records::open(Arc::new(Memory::new())).await.unwrap();
    let spec = |i, at| {
        let mut given = spec(i, at, &models(), Initial::Adopt);
        given.binding.drift = drift;
        given
    };
    let lab = Lab::on(records, simulator, spec).await;
    lab.until("it is synchronised", |view| view.is_synchronised(&leaf1())).await;
    lab.submit(&["leaf1"], "ours").await;
    lab
}

async fn tamper(lab: &Lab, motd: &str) {
    set_banner(lab.simulator.device(0).unwrap().address(), motd).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_is_changed_back_three_times() {
    let lab = tampered(Drift::Enforce).await;
    let device = lab.simulator.device(0).unwrap();
    for _ in 0..3 {
        tamper(&lab, "theirs").await;
        lab.eventually("it is changed back", || {
            motd_of(&device.configuration()) == Some(Content::leaf("ours"))
                && lab.handle().status(&leaf1()).unwrap().drift.is_empty()
        })
        .await;
    }
    tamper(&lab, "theirs").await;
    lab.eventually("it is given up", || {
        lab.handle().status(&leaf1()).unwrap().state == State::Failed
    })
    .await;
    assert_eq!(motd_of(&device.configuration()), Some(Content::leaf("theirs")));
    lab.handle().operate(leaf1(), Order::Sync, String::new(), soon()).await.unwrap();
    lab.eventually("it is in line", || {
        motd_of(&device.configuration()) == Some(Content::leaf("ours"))
    })
    .await;
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_by_somebody_else_is_adopted() {
    let lab = tampered(Drift::Adopt).await;
    tamper(&lab, "theirs").await;
    lab.until("it is adopted", |view| adopted(view, false)).await;
    assert_eq!(author(&lab.handle().view(), false).as_deref(), Some(ITSELF));
    assert_eq!(motd_of(&lab.handle().view().visible(&leaf1())), Some(Content::leaf("theirs")));
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_by_somebody_else_is_adopted_on_order() {
    let lab = tampered(Drift::Report).await;
    tamper(&lab, "theirs").await;
    lab.eventually("it is told", || lab.handle().status(&leaf1()).unwrap().state == State::Drifted)
        .await;
    assert_eq!(lab.handle().states(), [(leaf1(), State::Drifted)]);
    let reply = lab.handle().operate(leaf1(), Order::Adopt, "ann".into(), soon()).await.unwrap();
    assert_eq!(reply, Reply::Done);
    let view = lab.handle().view();
    assert_eq!(author(&view, false).as_deref(), Some("ann"), "done once it is recorded");
    assert_eq!(view.header(&leaf1()).adopting_for, "", "and nothing is left of it");
    assert_eq!(motd_of(&view.visible(&leaf1())), Some(Content::leaf("theirs")));
    lab.eventually("it is in line", || {
        lab.handle().status(&leaf1()).unwrap().state == State::Synchronised
    })
    .await;
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
