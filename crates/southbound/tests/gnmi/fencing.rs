//! Whether a device turns away an older master, found out after the claim.

use std::time::Duration;

use lockstep_gnmi::extension;
use lockstep_gnmi::proto::gnmi::SetResponse;
use lockstep_protocol::{Answer, Ask};
use lockstep_simulator::faults::{Does, Feature, Plan};
use lockstep_simulator::journal::Kind;
use lockstep_southbound::gnmi::Options;
use lockstep_southbound::{Election, Fencing, Lease, Mandate};
use lockstep_types::{Delta, Index};
use tokio::time::Instant;
use tonic::Status;

use crate::support::{
    Device, ELECTION, MANDATE, Proxy, Reaction, World, accepted, leaf, named, options, simulated,
};

/// What is found out about a device with these faults, and the ids it was sent.
async fn found(faults: impl Into<Plan>) -> (Option<Fencing>, Vec<Option<Election>>) {
    let (_simulator, device) = simulated();
    device.set_faults(faults);
    let line = World::line(options(device.address())).await;
    assert_eq!(line.fencing(), None);
    let answers = [line.ask(MANDATE, Ask::Claim).await, line.ask(MANDATE, Ask::Claim).await];
    let expected = match line.fencing() {
        Some(Fencing::Device) => Answer::Accepted,
        _ => Answer::Unfenced(10_000_000_000),
    };
    assert_eq!(answers, [expected.clone(), expected]);
    let claims = device.journal().into_iter().filter(|entry| entry.kind == Kind::Claim);
    (line.fencing(), claims.map(|entry| entry.election).collect())
}

// rule: south-probe
#[tokio::test]
async fn a_device_that_denies_a_smaller_id_fences() {
    let (fencing, ids) = found([]).await;
    assert_eq!(fencing, Some(Fencing::Device));
    // The claim, the probe, and the second claim, which finds out nothing more.
    assert_eq!(ids, [Some(ELECTION), ELECTION.before(), Some(ELECTION)]);
}

#[tokio::test]
async fn a_device_without_roles_is_probed_without_one() {
    let (fencing, ids) = found(Does::Lack(Feature::Role).always()).await;
    assert_eq!(fencing, Some(Fencing::Device));
    assert_eq!(ids.len(), 4, "{ids:?}");
}

// rule: south-probe
#[tokio::test]
async fn a_device_that_ignores_arbitration_does_not_fence() {
    let (fencing, _) = found(Does::Ignore(Feature::Arbitration).always()).await;
    assert_eq!(fencing, Some(Fencing::StoreOnly));
}

#[tokio::test]
async fn a_device_without_arbitration_does_not_fence_and_is_not_probed() {
    let (fencing, ids) = found(Does::Lack(Feature::Arbitration).always()).await;
    assert_eq!(fencing, Some(Fencing::StoreOnly));
    // With a role and without, and nothing after that.
    assert_eq!(ids, [Some(ELECTION), Some(ELECTION)]);
}

#[tokio::test]
async fn any_other_refusal_is_no_proof_of_fencing() {
    let device = Device::new();
    device.on_set(|set| match said(&set.extension) {
        Some(ELECTION) => Reaction::Answer(SetResponse::default()),
        _ => Reaction::Refuse(Status::failed_precondition("not like this")),
    });
    let line = World::line(options(device.listen(None).await)).await;
    accepted(line.ask(MANDATE, Ask::Claim).await);
    assert_eq!(line.fencing(), Some(Fencing::StoreOnly));
}

#[tokio::test]
async fn there_is_no_probe_below_the_smallest_id() {
    let device = Device::new();
    let line = World::line(options(device.listen(None).await)).await;
    let smallest = Election { high: 0, low: 0 };
    accepted(line.ask(named(smallest), Ask::Claim).await);
    assert_eq!(line.fencing(), None);
    assert!(device.sets().iter().all(|set| said(&set.extension) == Some(smallest)));
}

#[tokio::test]
async fn a_probe_that_hangs_leaves_the_claim_standing() {
    let device = Device::new();
    device.on_set(|set| match said(&set.extension) {
        Some(ELECTION) => Reaction::Answer(SetResponse::default()),
        _ => Reaction::Hang,
    });
    let timeout = Duration::from_secs(1);
    let line = World::line(Options { timeout, ..options(device.listen(None).await) }).await;
    accepted(line.ask(MANDATE, Ask::Claim).await);
    assert_eq!(line.fencing(), None);
}

#[tokio::test]
async fn a_device_that_is_busy_is_probed_again_with_the_next_claim() {
    let device = Device::new();
    let mut probes = 0;
    device.on_set(move |set| {
        if said(&set.extension) == Some(ELECTION) {
            return Reaction::Answer(SetResponse::default());
        }
        probes += 1;
        Reaction::Refuse(match probes {
            1 => Status::resource_exhausted("8 sessions"),
            _ => Status::permission_denied("not the master"),
        })
    });
    let line = World::line(options(device.listen(None).await)).await;
    accepted(line.ask(MANDATE, Ask::Claim).await);
    assert_eq!(line.fencing(), None);
    accepted(line.ask(MANDATE, Ask::Claim).await);
    assert_eq!(line.fencing(), Some(Fencing::Device));
}

#[tokio::test]
async fn a_link_tells_for_as_long_as_its_connection_is_up() {
    let (_simulator, device) = simulated();
    let proxy = Proxy::to(device.address()).await;
    let mut world = World::connected(options(proxy.address)).await;
    assert_eq!((world.link.fencing(), world.link.confirms()), (None, None));
    accepted(world.ask(Ask::Claim).await);
    let known = (Some(Fencing::Device), Some(true));
    assert_eq!((world.link.fencing(), world.link.confirms()), known);
    assert_eq!(world.link.patience(), options(proxy.address).timeout);
    proxy.cut();
    world.expect_disconnected().await;
    assert_eq!((world.link.fencing(), world.link.confirms()), (None, None));
}

fn said(extensions: &[lockstep_gnmi::proto::gnmi_ext::Extension]) -> Option<Election> {
    extension::arbitration(extensions).unwrap().map(|said| said.election)
}

/// As after a process stood still between the decision to send something and its first step on the way.
#[tokio::test]
async fn nothing_is_sent_under_a_lease_that_is_over() {
    let (_simulator, device) = simulated();
    device.set_faults(Does::Ignore(Feature::Arbitration).always());
    let line = World::line(options(device.address())).await;
    let lease = Lease::until(Instant::now());
    let mandate = || Mandate { lease: lease.clone(), ..MANDATE };
    let delta = Delta::from_iter([leaf("/system/motd", "late")]);
    for ask in [
        Ask::Claim,
        Ask::Set(delta.clone()),
        Ask::Trial { index: Index::new(1), delta: delta.clone(), rollback: 1_000_000_000 },
        Ask::Confirm(Index::new(1)),
        Ask::Cancel(Index::new(1)),
    ] {
        assert_eq!(line.ask(mandate(), ask).await, Answer::Busy);
    }
    assert_eq!(device.journal().len(), 0);
    // Renewed meanwhile, it holds for what was decided before.
    lease.renew(Instant::now() + Duration::from_secs(60));
    assert_eq!(line.ask(mandate(), Ask::Set(delta)).await, Answer::Accepted);
}
