//! The election id, and devices that understand less of it.

use std::net::SocketAddr;

use lockstep_gnmi::Election;
use lockstep_gnmi::extension::{self, Arbitration};
use lockstep_gnmi::proto::gnmi::SetResponse;
use lockstep_protocol::{Answer, Ask};
use lockstep_southbound::gnmi::Options;
use tonic::Status;

use crate::support::{
    self, Device, ELECTION, MANDATE, Proxy, Reaction, World, accepted, delta, leaf,
};

fn change() -> Ask {
    Ask::Set(delta([leaf("/system/hostname", "leaf1")]))
}

/// Who was said to be master in each Set but for those that find out what the device can.
fn masters(device: &Device) -> Vec<Option<Arbitration>> {
    let sets = device.sets();
    let masters = sets.iter().map(|set| extension::arbitration(&set.extension).unwrap());
    let older = |said: &Option<Arbitration>| {
        said.as_ref().is_some_and(|said| Some(said.election) == ELECTION.before())
    };
    masters.filter(|said| !older(said)).collect()
}

/// Without the question for commits that are to be confirmed.
fn options(address: SocketAddr) -> Options {
    Options { commit_confirmed: false, ..support::options(address) }
}

fn as_role(role: &str) -> Option<Arbitration> {
    Some(Arbitration { role: role.into(), election: ELECTION })
}

/// A device that refuses the extension, or only a role in it.
fn picky(understands_election: bool) -> Device {
    let device = Device::new();
    device.on_set(move |set| match extension::arbitration(&set.extension).unwrap() {
        Some(said) if !said.role.is_empty() => Reaction::Refuse(Status::unimplemented("role")),
        Some(_) if !understands_election => Reaction::Refuse(Status::unimplemented("extension")),
        _ => Reaction::Answer(SetResponse::default()),
    });
    device
}

// rule: south-claim
#[tokio::test]
async fn every_set_says_who_we_are() {
    let device = Device::new();
    let options = Options { role: "ours".into(), ..options(device.listen(None).await) };
    let line = World::line(options).await;
    accepted(line.ask(MANDATE, Ask::Claim).await);
    accepted(line.ask(MANDATE, change()).await);
    assert_eq!(masters(&device), [as_role("ours"), as_role("ours")]);
    assert!(device.sets()[0].update.is_empty());
}

// rule: south-role
#[tokio::test]
async fn a_device_without_roles_gets_none() {
    let device = picky(true);
    let line = World::line(options(device.listen(None).await)).await;
    accepted(line.ask(MANDATE, Ask::Claim).await);
    accepted(line.ask(MANDATE, change()).await);
    accepted(line.ask(MANDATE, Ask::Claim).await);
    assert_eq!(masters(&device), [as_role("lockstep"), as_role(""), as_role(""), as_role("")]);
}

// rule: south-role
#[tokio::test]
async fn a_device_without_arbitration_gets_none_and_a_new_connection_asks_again() {
    let device = picky(false);
    let proxy = Proxy::to(device.listen(None).await).await;
    let mut world = World::connected(options(proxy.address)).await;
    accepted(world.ask(Ask::Claim).await);
    accepted(world.ask(change()).await);
    let once = [as_role("lockstep"), as_role(""), None];
    assert_eq!(masters(&device), once);

    proxy.cut();
    world.expect_disconnected().await;
    world.expect_connected().await;
    accepted(world.ask(Ask::Claim).await);
    assert_eq!(masters(&device)[3..], once[..2]);
}

#[tokio::test]
async fn an_older_master_is_fenced() {
    let device = Device::new();
    let mut newest = Election::default();
    device.on_set(move |set| {
        let said = extension::arbitration(&set.extension).unwrap().unwrap().election;
        if said < newest {
            return Reaction::Refuse(Status::permission_denied(format!("master is {newest}")));
        }
        newest = said;
        Reaction::Answer(SetResponse::default())
    });
    let address = device.listen(None).await;
    let mut old = World::connected(options(address)).await;
    accepted(old.ask(Ask::Claim).await);
    let mut new = World::connected(options(address)).await;
    let later = Election { low: ELECTION.low + 1, ..ELECTION };
    accepted(new.ask_as(later, Ask::Claim).await);

    assert_eq!(old.ask(change()).await, Answer::Fenced);
    assert_eq!(old.ask(Ask::Claim).await, Answer::Fenced);
    accepted(new.ask_as(later, change()).await);
}
