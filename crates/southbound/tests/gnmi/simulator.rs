//! The driver against a whole device.

use lockstep_gnmi::Election;
use lockstep_protocol::record::Failure;
use lockstep_protocol::{Answer, Ask};
use lockstep_simulator::faults::{Faults, Refusal};
use lockstep_simulator::journal::{Effect, Kind};
use lockstep_types::{Configuration, Content, Delta};
use tonic::Code;

use crate::support::{ELECTION, World, accepted, delta, leaf, options, path, simulated};

fn wanted() -> Configuration {
    let units = [
        ("/system/hostname", Content::leaf("leaf1")),
        ("/system/name-server", Content::leaf_list(["b", "a"])),
        ("/vlans/vlan[id=7]", Content::Entry),
        ("/vlans/vlan[id=8]", Content::Entry),
        ("/vlans/vlan[id=8]/name", Content::leaf("eight")),
        ("/interfaces/interface[name=eth1/1]", Content::Entry),
        ("/interfaces/interface[name=eth1/1]/enabled", Content::leaf(false)),
        ("/interfaces/interface[name=eth1/1]/access-vlan", Content::leaf(7_u64)),
    ];
    units.into_iter().map(|(at, content)| (path(at), content)).collect()
}

#[tokio::test]
async fn what_is_set_is_read_back_and_undone() {
    let (_simulator, device) = simulated();
    let mut world = World::connected(options(device.address())).await;
    accepted(world.ask(Ask::Claim).await);
    let nothing = Configuration::new();
    world.assert_holds(&nothing).await;

    let there = nothing.diff(&wanted());
    accepted(world.ask(Ask::Set(there)).await);
    assert!(device.configuration().same_values(&wanted()));
    world.assert_holds(&wanted()).await;

    let back = wanted().diff(&nothing);
    accepted(world.ask(Ask::Set(back)).await);
    assert!(device.configuration().is_empty(), "{:?}", device.configuration());
}

#[tokio::test]
async fn a_change_replaces_leaf_lists_and_leaves_the_rest_alone() {
    let (_simulator, device) = simulated();
    let mut world = World::connected(options(device.address())).await;
    accepted(world.ask(Ask::Set(Configuration::new().diff(&wanted()))).await);
    let change = delta([
        (path("/system/name-server"), Some(Content::leaf_list(["c"]))),
        (path("/vlans/vlan[id=8]"), None),
        (path("/vlans/vlan[id=8]/name"), None),
        (path("/interfaces/interface[name=eth1/1]/enabled"), None),
        leaf("/interfaces/interface[name=eth1/1]/description", "up/link [1]"),
    ]);
    let mut after = wanted();
    after.apply_values(&change);
    accepted(world.ask(Ask::Set(change)).await);
    world.assert_holds(&after).await;
}

#[tokio::test]
async fn a_restart_is_a_new_connection_to_an_empty_device() {
    let (_simulator, device) = simulated();
    let mut world = World::connected(options(device.address())).await;
    accepted(world.ask(Ask::Claim).await);
    accepted(world.ask(Ask::Set(delta([leaf("/system/hostname", "leaf1")]))).await);
    device.restart(false).await.unwrap();
    world.expect_disconnected().await;
    world.expect_connected().await;
    accepted(world.ask(Ask::Claim).await);
    assert_eq!(world.ask(Ask::Read).await, Answer::Values(Configuration::new()));
}

#[tokio::test]
async fn a_refusal_changes_nothing_and_says_why() {
    let (_simulator, device) = simulated();
    let motd = path("/system/motd");
    let refusal =
        Refusal { pattern: motd.clone(), code: Code::Aborted, message: "no banners".into() };
    device.set_faults(Faults { refuse: vec![refusal] });
    let mut world = World::connected(options(device.address())).await;
    let both = delta([leaf("/system/hostname", "leaf1"), leaf("/system/motd", "hello")]);
    let answer = world.ask(Ask::Set(both)).await;
    let (code, message) = ("ABORTED".into(), "no banners".into());
    assert_eq!(answer, Answer::Refused(Failure { code, message }));
    assert!(device.configuration().is_empty());
}

#[tokio::test]
async fn what_the_models_forbid_is_refused_by_the_device() {
    let (_simulator, device) = simulated();
    let mut world = World::connected(options(device.address())).await;
    let dangling = delta([
        (path("/interfaces/interface[name=a]"), Some(Content::Entry)),
        (path("/interfaces/interface[name=a]/access-vlan"), Some(Content::leaf(9_u64))),
    ]);
    let Answer::Refused(failure) = world.ask(Ask::Set(dangling)).await else {
        panic!("not refused");
    };
    assert_eq!(failure.code, "INVALID_ARGUMENT");
    assert!(device.configuration().is_empty());
}

#[tokio::test]
async fn a_second_master_fences_the_first() {
    let (_simulator, device) = simulated();
    let change = || Ask::Set(delta([leaf("/system/hostname", "old")]));
    let mut old = World::connected(options(device.address())).await;
    accepted(old.ask(Ask::Claim).await);
    let mut new = World::connected(options(device.address())).await;
    let later = Election { low: ELECTION.low + 1, ..ELECTION };
    accepted(new.ask_as(later, Ask::Claim).await);
    assert_eq!(old.ask(change()).await, Answer::Fenced);
    assert_eq!(old.ask(Ask::Claim).await, Answer::Fenced);
    assert!(device.configuration().is_empty());
    accepted(new.ask_as(later, change()).await);

    let asked: Vec<(Kind, Option<Election>, bool)> = device
        .journal()
        .iter()
        .filter(|entry| !matches!(entry.kind, Kind::Get | Kind::Confirm))
        .map(|entry| (entry.kind, entry.election, entry.effect == Effect::Done))
        .collect();
    let (old, new) = (Some(ELECTION), Some(later));
    let expected = [
        (Kind::Claim, old, true),
        (Kind::Claim, ELECTION.before(), false),
        (Kind::Claim, new, true),
        (Kind::Claim, old, false),
        (Kind::Set, old, false),
        (Kind::Claim, old, false),
        (Kind::Claim, old, false),
        (Kind::Set, new, true),
    ];
    assert_eq!(asked, expected);
}

#[tokio::test]
async fn thousands_of_units_go_in_one_set() {
    let (_simulator, device) = simulated();
    let mut world = World::connected(options(device.address())).await;
    let units = (1..=2000).flat_map(|number| {
        let entry = path(&format!("/vlans/vlan[id={number}]"));
        let name = path(&format!("/vlans/vlan[id={number}]/name"));
        [(entry, Some(Content::Entry)), (name, Some(Content::leaf(format!("vlan {number}"))))]
    });
    let many: Delta = units.collect();
    accepted(world.ask(Ask::Set(many.clone())).await);
    let Answer::Values(seen) = world.ask(Ask::Read).await else { panic!("not read") };
    assert_eq!(seen.len(), many.len());
}
