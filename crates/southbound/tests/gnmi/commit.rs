//! Commits that a device takes back unless they are confirmed.

use std::sync::Arc;
use std::time::Duration;

use lockstep_protocol::{Answer, Ask};
use lockstep_simulator::Device;
use lockstep_simulator::faults::{Does, Feature, Plan};
use lockstep_simulator::journal::Kind;
use lockstep_southbound::gnmi::Options;
use lockstep_southbound::{Election, Line};
use lockstep_types::{Content, Delta, Index};

use crate::support::{
    ELECTION, MANDATE, World, accepted, delta, leaf, named, options, path, simulated, within,
};

const ACCEPTED: Answer = Answer::Accepted;
/// Longer than any test.
const LONG: Duration = Duration::from_secs(3600);

fn trial(index: u64, delta: Delta, rollback: Duration) -> Ask {
    let rollback = u64::try_from(rollback.as_nanos()).unwrap();
    Ask::Trial { index: Index::new(index), delta, rollback }
}

fn hostname(index: u64, name: &str, rollback: Duration) -> Ask {
    trial(index, delta([leaf("/system/hostname", name)]), rollback)
}

fn confirm(index: u64) -> Ask {
    Ask::Confirm(Index::new(index))
}

fn cancel(index: u64) -> Ask {
    Ask::Cancel(Index::new(index))
}

async fn step(line: &Arc<dyn Line>, ask: Ask) -> Answer {
    line.ask(MANDATE, ask).await
}

fn holds(device: &Device, name: &str) -> bool {
    let held = device.configuration();
    held.get(&path("/system/hostname")) == Some(&Content::leaf(name))
}

/// A line to a device that holds `old`, as its master.
async fn master(device: &Device) -> Arc<dyn Line> {
    let line = World::line(options(device.address())).await;
    accepted(line.ask(MANDATE, Ask::Claim).await);
    accepted(line.ask(MANDATE, Ask::Set(delta([leaf("/system/hostname", "old")]))).await);
    line
}

#[tokio::test]
async fn what_is_confirmed_stays() {
    let (_simulator, device) = simulated();
    let line = master(&device).await;
    assert_eq!(step(&line, hostname(1, "new", LONG)).await, ACCEPTED);
    assert_eq!(step(&line, confirm(1)).await, ACCEPTED);
    assert!(holds(&device, "new"));
    assert_eq!(step(&line, cancel(1)).await, Answer::Lost);
    assert!(holds(&device, "new"));
}

#[tokio::test]
async fn what_is_cancelled_is_taken_back() {
    let (_simulator, device) = simulated();
    let line = master(&device).await;
    assert_eq!(step(&line, hostname(1, "new", LONG)).await, ACCEPTED);
    assert!(holds(&device, "new"));
    assert_eq!(step(&line, cancel(1)).await, ACCEPTED);
    assert!(holds(&device, "old"));
}

#[tokio::test]
async fn what_is_not_confirmed_in_time_is_taken_back_and_lost() {
    let (_simulator, device) = simulated();
    let line = master(&device).await;
    let soon = Duration::from_millis(50);
    assert_eq!(step(&line, hostname(1, "new", soon)).await, ACCEPTED);
    within("the rollback", async {
        while !holds(&device, "old") {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(step(&line, confirm(1)).await, Answer::Lost);
    assert!(holds(&device, "old"));
}

#[tokio::test]
async fn a_restart_loses_the_commit() {
    let (_simulator, device) = simulated();
    let line = master(&device).await;
    assert_eq!(step(&line, hostname(1, "new", LONG)).await, ACCEPTED);
    device.restart(true).await.unwrap();
    assert_eq!(step(&line, confirm(1)).await, Answer::Unknown);
    let line = World::line(options(device.address())).await;
    accepted(line.ask(MANDATE, Ask::Claim).await);
    assert_eq!(step(&line, confirm(1)).await, Answer::Lost);
    assert!(holds(&device, "old"));
}

#[tokio::test]
async fn a_commit_of_another_name_is_told_apart() {
    let (_simulator, device) = simulated();
    let line = master(&device).await;
    assert_eq!(step(&line, hostname(1, "new", LONG)).await, ACCEPTED);
    for ask in [confirm(2), cancel(2)] {
        let Answer::Refused(failure) = step(&line, ask).await else {
            panic!("not another");
        };
        let name = format!("lockstep-{}-1", MANDATE.epoch);
        assert!(failure.message.contains(&name), "{failure:?}");
    }
    let refused = step(&line, hostname(2, "newer", LONG)).await;
    assert!(matches!(refused, Answer::Refused(_)), "{refused:?}");
    assert!(holds(&device, "new"));
}

/// A claim makes election ids out of another time than that of the store.
#[tokio::test]
async fn a_master_that_claimed_the_device_settles_what_it_had_on_trial() {
    for (settle, then) in [(confirm(1), "new"), (cancel(1), "old")] {
        let (_simulator, device) = simulated();
        let line = master(&device).await;
        assert_eq!(step(&line, hostname(1, "new", LONG)).await, ACCEPTED);
        let claimed = named(Election { high: ELECTION.high + 1000, low: 1 });
        let newer = World::line(options(device.address())).await;
        newer.ask(claimed.clone(), Ask::Claim).await;
        assert_eq!(step(&line, confirm(1)).await, Answer::Fenced);
        assert_eq!(newer.ask(claimed, settle).await, ACCEPTED);
        assert!(holds(&device, then));
    }
}

#[tokio::test]
async fn an_older_master_settles_nothing() {
    let (_simulator, device) = simulated();
    let line = master(&device).await;
    assert_eq!(step(&line, hostname(1, "new", LONG)).await, ACCEPTED);
    let newer = World::line(options(device.address())).await;
    let later = Election { low: ELECTION.low + 1, ..ELECTION };
    let claimed = newer.ask(named(later), Ask::Claim).await;
    assert!(matches!(claimed, Answer::Refused(_)), "{claimed:?}");
    assert_eq!(step(&line, confirm(1)).await, Answer::Fenced);
    assert_eq!(newer.ask(named(later), cancel(1)).await, ACCEPTED);
    assert!(holds(&device, "old"));
}

#[tokio::test]
async fn a_refused_commit_leaves_nothing_to_confirm() {
    let (_simulator, device) = simulated();
    let line = master(&device).await;
    let dangling = delta([
        (path("/interfaces/interface[name=a]"), Some(Content::Entry)),
        (path("/interfaces/interface[name=a]/access-vlan"), Some(Content::leaf(9_u64))),
    ]);
    let refused = step(&line, trial(1, dangling, LONG)).await;
    assert!(matches!(refused, Answer::Refused(_)), "{refused:?}");
    assert_eq!(step(&line, confirm(1)).await, Answer::Lost);
}

#[tokio::test]
async fn a_confirm_that_is_not_answered_is_unknown() {
    let (_simulator, device) = simulated();
    let timeout = Duration::from_secs(1);
    let line = World::line(Options { timeout, ..options(device.address()) }).await;
    accepted(line.ask(MANDATE, Ask::Claim).await);
    assert_eq!(step(&line, hostname(1, "new", LONG)).await, ACCEPTED);
    device.set_faults(Does::Hang(None).always().on([Kind::Confirm]));
    assert_eq!(step(&line, confirm(1)).await, Answer::Unknown);
}

// Whether a device has it.

/// What the claim finds out about a device with these faults.
async fn found(faults: impl Into<Plan>) -> Option<bool> {
    let (_simulator, device) = simulated();
    device.set_faults(faults);
    let line = World::line(options(device.address())).await;
    assert_eq!(line.confirms(), None);
    accepted(line.ask(MANDATE, Ask::Claim).await);
    accepted(line.ask(MANDATE, Ask::Claim).await);
    let confirms = device.journal().into_iter().filter(|entry| entry.kind == Kind::Confirm);
    assert!(confirms.count() <= 1, "probed more than once");
    assert!(device.configuration().is_empty());
    line.confirms()
}

// rule: south-commit
#[tokio::test]
async fn a_device_that_has_it_is_found_out() {
    assert_eq!(found([]).await, Some(true));
}

// rule: south-commit
#[tokio::test]
async fn a_device_that_lacks_it_is_found_out_and_refuses() {
    let lack = || Does::Lack(Feature::Commit).always();
    assert_eq!(found(lack()).await, Some(false));
    let (_simulator, device) = simulated();
    device.set_faults(lack());
    let line = master(&device).await;
    let refused = step(&line, hostname(1, "new", LONG)).await;
    let Answer::Refused(failure) = refused else { panic!("{refused:?}") };
    assert_eq!(failure.code, "UNIMPLEMENTED");
    for ask in [confirm(1), cancel(1)] {
        assert_eq!(step(&line, ask).await, Answer::Lost);
    }
    assert!(holds(&device, "old"));
}

// rule: south-commit
#[tokio::test]
async fn a_device_that_ignores_it_is_found_out() {
    assert_eq!(found(Does::Ignore(Feature::Commit).always()).await, Some(false));
}

#[tokio::test]
async fn a_device_on_which_a_commit_waits_is_not_claimed_before_that_is_settled() {
    let (_simulator, device) = simulated();
    let line = master(&device).await;
    assert_eq!(step(&line, hostname(1, "new", LONG)).await, ACCEPTED);
    let newer = World::line(options(device.address())).await;
    let later = Election { low: ELECTION.low + 1, ..ELECTION };
    let refused = newer.ask(named(later), Ask::Claim).await;
    let Answer::Refused(failure) = refused else { panic!("{refused:?}") };
    assert!(failure.message.contains("lockstep-"), "{failure:?}");
    assert_eq!(newer.confirms(), None);
    assert!(holds(&device, "new"), "the probe disturbed it");
    assert_eq!(newer.ask(named(later), confirm(1)).await, ACCEPTED);
    accepted(newer.ask(named(later), Ask::Claim).await);
    assert_eq!(newer.confirms(), Some(true));
}

#[tokio::test]
async fn an_operator_may_leave_out_the_question() {
    let (_simulator, device) = simulated();
    let options = Options { commit_confirmed: false, ..options(device.address()) };
    let line = World::line(options).await;
    accepted(line.ask(MANDATE, Ask::Claim).await);
    assert_eq!(line.confirms(), None);
    assert!(device.journal().iter().all(|entry| entry.kind != Kind::Confirm));
}
