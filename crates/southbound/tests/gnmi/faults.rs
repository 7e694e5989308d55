//! Everything that a simulated device can do wrong, and what the driver makes of it. The table of this is in
//! `docs/devices.md`, and is held to it here.

mod table;

use std::time::Duration;

use lockstep_gnmi::code;
use lockstep_protocol::record::Failure;
use lockstep_protocol::{Answer, Ask};
use lockstep_simulator::Device;
use lockstep_simulator::faults::{Does, Feature, Plan, Rewrite};
use lockstep_simulator::journal::{Effect, Kind};
use lockstep_southbound::Election;
use lockstep_southbound::gnmi::Options;
use lockstep_types::{Configuration, Content};
use tonic::Code;

use crate::support::{
    ELECTION, MANDATE, World, accepted, delta, leaf, named, options, path, simulated, within,
};

/// Long for a device that answers, short for a test.
const SHORT: Duration = Duration::from_secs(1);

fn change() -> Ask {
    Ask::Set(delta([leaf("/system/motd", "hello")]))
}

fn holds(device: &Device, motd: &str) -> bool {
    device.configuration().get(&path("/system/motd")) == Some(&Content::leaf(motd))
}

/// What becomes of a change on a device with these faults, once we are its master.
async fn changed(device: &Device, faults: impl Into<Plan>) -> Answer {
    let options = Options { timeout: SHORT, ..options(device.address()) };
    let line = World::line(options).await;
    accepted(line.ask(MANDATE, Ask::Claim).await);
    device.set_faults(faults);
    line.ask(MANDATE, change()).await
}

async fn until(what: &str, device: &Device, is_so: impl Fn(&Device) -> bool) {
    within(what, async {
        while !is_so(device) {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

// rule: mistake-codes
#[tokio::test]
async fn an_error_of_any_code_is_told_apart() {
    let (_simulator, device) = simulated();
    for number in 1..17 {
        let code = Code::from(number);
        let refuse = Does::Refuse { code, message: "my words".into(), after: false };
        let answer = changed(&device, refuse.once()).await;
        let failure = Failure { code: code::name(code).into(), message: "my words".into() };
        let expected = match code {
            Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled => Answer::Unknown,
            Code::ResourceExhausted => Answer::Busy,
            _ => Answer::Refused(failure),
        };
        assert_eq!(answer, expected, "{code:?}");
        assert!(device.configuration().is_empty(), "{code:?}");
    }
}

#[tokio::test]
async fn a_device_that_lies_about_a_refusal_is_seen_by_reading() {
    let (_simulator, device) = simulated();
    let lie = Does::Refuse { code: Code::Internal, message: String::new(), after: true };
    let answer = changed(&device, lie.once()).await;
    assert!(matches!(answer, Answer::Refused(_)), "{answer:?}");
    let mut world = World::connected(options(device.address())).await;
    let held: Configuration =
        [(path("/system/motd"), Content::leaf("hello"))].into_iter().collect();
    world.assert_holds(&held).await;
}

// rule: south-slow
#[tokio::test]
async fn a_slow_device_is_waited_for_and_a_slower_one_is_given_up() {
    let (_simulator, device) = simulated();
    let answer = changed(&device, Does::Delay(SHORT / 10).always()).await;
    accepted(answer);
    device.drift(&path("/system/motd"), None).await.unwrap();
    let answer = changed(&device, Does::Delay(SHORT * 2).always()).await;
    assert_eq!(answer, Answer::Unknown);
    until("the change", &device, |device| holds(device, "hello")).await;
}

#[tokio::test]
async fn a_set_that_is_done_late_is_unknown_and_fenced_by_a_new_term() {
    let (_simulator, device) = simulated();
    assert_eq!(changed(&device, Does::Hang(None).once()).await, Answer::Unknown);
    let line = World::line(options(device.address())).await;
    let later = Election { low: ELECTION.low + 1, ..ELECTION };
    accepted(line.ask(named(later), Ask::Claim).await);
    device.release();
    let is_late = |device: &Device| {
        let late = device.journal().into_iter().filter(|entry| entry.kind == Kind::Set);
        late.last().is_some_and(|entry| matches!(entry.effect, Effect::Refused { .. }))
    };
    until("the late Set", &device, is_late).await;
    assert!(device.configuration().is_empty(), "it was not fenced");
}

#[tokio::test]
async fn a_dropped_connection_leaves_the_outcome_unknown() {
    for after in [false, true] {
        let (_simulator, device) = simulated();
        let answer = changed(&device, Does::Drop { after }.once()).await;
        assert_eq!(answer, Answer::Unknown);
        assert_eq!(holds(&device, "hello"), after);
    }
}

#[tokio::test]
async fn a_restart_under_a_set_is_a_new_connection() {
    for (after, keep) in [(false, true), (true, true), (true, false)] {
        let (_simulator, device) = simulated();
        let mut world = World::connected(options(device.address())).await;
        accepted(world.ask(Ask::Claim).await);
        device.set_faults(Does::Restart { after, keep }.once());
        world.send(change());
        world.expect_disconnected().await;
        world.expect_connected().await;
        let Answer::Values(held) = world.ask(Ask::Read).await else { panic!("not read") };
        assert_eq!(held.is_empty(), !(after && keep), "{after} {keep}");
    }
}

// rule: south-rewrite
#[tokio::test]
async fn a_rewritten_value_is_accepted_and_read_as_it_is_held() {
    let (_simulator, device) = simulated();
    let rewrite = Does::Rewrite(Rewrite::Upper).always().at(path("/system/motd"));
    accepted(changed(&device, rewrite).await);
    let line = World::line(options(device.address())).await;
    let held = [(path("/system/motd"), Content::leaf("HELLO"))].into_iter().collect();
    assert_eq!(line.ask(MANDATE, Ask::Read).await, Answer::Values(held));
}

// rule: mistake-pull
#[tokio::test]
async fn a_device_that_refuses_to_be_read_says_so() {
    let (_simulator, device) = simulated();
    let refuse = |code| Does::Refuse { code, message: "no".into(), after: false }.once();
    let line = World::line(options(device.address())).await;
    device.set_faults(refuse(Code::Unavailable).on([Kind::Get]));
    assert_eq!(line.ask(MANDATE, Ask::Read).await, Answer::Busy);
    device.set_faults(refuse(Code::Internal).on([Kind::Get]));
    let answer = line.ask(MANDATE, Ask::Read).await;
    assert!(matches!(answer, Answer::Refused(_)), "{answer:?}");
    assert_eq!(line.ask(MANDATE, Ask::Read).await, Answer::Values(Configuration::new()));
}

#[tokio::test]
async fn a_device_without_get_is_read_all_the_same() {
    let (_simulator, device) = simulated();
    device.set_faults(Does::Lack(Feature::Get).always());
    let mut world = World::connected(options(device.address())).await;
    accepted(world.ask(change()).await);
    let held = [(path("/system/motd"), Content::leaf("hello"))].into_iter().collect();
    world.assert_holds(&held).await;
}

#[tokio::test]
async fn a_device_without_capabilities_is_driven_all_the_same() {
    let (_simulator, device) = simulated();
    device.set_faults(Does::Lack(Feature::Capabilities).always());
    let mut world = World::connected(options(device.address())).await;
    accepted(world.ask(change()).await);
    assert!(holds(&device, "hello"));
}

#[tokio::test]
async fn depth_is_never_asked_for() {
    let (_simulator, device) = simulated();
    device.set_faults(Does::Lack(Feature::Depth).always());
    let mut world = World::connected(options(device.address())).await;
    accepted(world.ask(Ask::Claim).await);
    accepted(world.ask(change()).await);
    assert!(matches!(world.ask(Ask::Read).await, Answer::Values(_)));
}
