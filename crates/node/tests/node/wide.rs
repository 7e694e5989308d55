//! One transaction on more targets than one write of the store holds.

use lockstep_protocol::Reply;
use lockstep_protocol::record::Status;
use lockstep_simulator::faults::{Faults, Refusal};
use lockstep_types::Content;

use crate::lab::Lab;

const TARGETS: u16 = 120;

fn names() -> Vec<String> {
    (1..=TARGETS).map(|number| format!("leaf{number}")).collect()
}

/// What each device shows as its banner.
fn banners(lab: &Lab) -> Vec<Option<Content>> {
    let motd = "/system/motd".parse().unwrap();
    let devices = lab.simulator.devices().iter();
    devices.map(|device| device.configuration().get(&motd).cloned()).collect()
}

fn all(banner: Option<&str>) -> Vec<Option<Content>> {
    vec![banner.map(Content::leaf); usize::from(TARGETS)]
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_applied_everywhere_or_nowhere() {
    let lab = Lab::start(TARGETS).await;
    let names = names();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let before = lab.records.writes();
    let reply = lab.submit(&names, "one").await;
    assert!(matches!(reply, Reply::Transaction { status: Status::Applied, .. }), "{reply:?}");
    assert_eq!(banners(&lab), all(Some("one")));
    assert!(lab.handle().view().transactions().all(|transaction| transaction.wide));
    // One for each device's answer, a few for each hundred targets, a few for the whole.
    let writes = lab.records.writes() - before;
    assert!(writes < u64::from(TARGETS) + 30, "{writes}");

    let refuse = vec![Refusal::of("/system/motd".parse().unwrap())];
    lab.simulator.device(77).unwrap().set_faults(Faults { refuse });
    let reply = lab.submit(&names, "two").await;
    assert!(matches!(reply, Reply::Transaction { status: Status::Reverted, .. }), "{reply:?}");
    assert_eq!(banners(&lab), all(Some("one")), "nothing of it is left anywhere");
    lab.until("the store has followed", |view| view.laggards().next().is_none()).await;
    lab.stop().await;
}
