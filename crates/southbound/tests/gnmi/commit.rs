//! Commits that a device takes back unless they are confirmed.

use std::sync::Arc;
use std::time::Duration;

use lockstep_protocol::{Answer, Ask};
use lockstep_simulator::Device;
use lockstep_simulator::faults::{Does, Feature, Plan};
use lockstep_simulator::journal::Kind;
use lockstep_southbound::gnmi::Options;
use lockstep_southbound::{Commit, Election, Line, Phase, Settled};
use lockstep_types::Content;

use crate::support::{ELECTION, World, accepted, delta, leaf, options, path, simulated, within};

const ACCEPTED: Settled = Settled::Answer(Answer::Accepted);
/// Longer than any test.
const LONG: Duration = Duration::from_secs(3600);

fn hostname(name: &str, rollback: Duration) -> Phase {
    Phase::Set { delta: delta([leaf("/system/hostname", name)]), rollback }
}

async fn step(line: &Arc<dyn Line>, id: &str, phase: Phase) -> Settled {
    line.commit(ELECTION, Commit { id: id.to_owned(), phase }).await
}

fn holds(device: &Device, name: &str) -> bool {
    let held = device.configuration();
    held.get(&path("/system/hostname")) == Some(&Content::leaf(name))
}

/// A line to a device that holds `old`, as its master.
async fn master(device: &Device) -> Arc<dyn Line> {
    let line = World::line(options(device.address())).await;
    accepted(line.ask(ELECTION, Ask::Claim).await);
    accepted(line.ask(ELECTION, Ask::Set(delta([leaf("/system/hostname", "old")]))).await);
    line
}

#[tokio::test]
async fn what_is_confirmed_stays() {
    let (_simulator, device) = simulated();
    let line = master(&device).await;
    assert_eq!(step(&line, "c.1", hostname("new", LONG)).await, ACCEPTED);
    assert_eq!(step(&line, "c.1", Phase::Confirm).await, ACCEPTED);
    assert!(holds(&device, "new"));
    assert_eq!(step(&line, "c.1", Phase::Cancel).await, Settled::Lost);
    assert!(holds(&device, "new"));
}

#[tokio::test]
async fn what_is_cancelled_is_taken_back() {
    let (_simulator, device) = simulated();
    let line = master(&device).await;
    assert_eq!(step(&line, "c.1", hostname("new", LONG)).await, ACCEPTED);
    assert!(holds(&device, "new"));
    assert_eq!(step(&line, "c.1", Phase::Cancel).await, ACCEPTED);
    assert!(holds(&device, "old"));
}

#[tokio::test]
async fn what_is_not_confirmed_in_time_is_taken_back_and_lost() {
    let (_simulator, device) = simulated();
    let line = master(&device).await;
    let soon = Duration::from_millis(50);
    assert_eq!(step(&line, "c.1", hostname("new", soon)).await, ACCEPTED);
    within("the rollback", async {
        while !holds(&device, "old") {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(step(&line, "c.1", Phase::Confirm).await, Settled::Lost);
    assert!(holds(&device, "old"));
}

#[tokio::test]
async fn a_restart_loses_the_commit() {
    let (_simulator, device) = simulated();
    let line = master(&device).await;
    assert_eq!(step(&line, "c.1", hostname("new", LONG)).await, ACCEPTED);
    device.restart(true).await.unwrap();
    assert_eq!(step(&line, "c.1", Phase::Confirm).await, Settled::Answer(Answer::Unknown));
    let line = World::line(options(device.address())).await;
    accepted(line.ask(ELECTION, Ask::Claim).await);
    assert_eq!(step(&line, "c.1", Phase::Confirm).await, Settled::Lost);
    assert!(holds(&device, "old"));
}

#[tokio::test]
async fn a_commit_of_another_name_is_told_apart() {
    let (_simulator, device) = simulated();
    let line = master(&device).await;
    assert_eq!(step(&line, "c.1", hostname("new", LONG)).await, ACCEPTED);
    for phase in [Phase::Confirm, Phase::Cancel] {
        let Settled::Another(failure) = step(&line, "c.2", phase).await else {
            panic!("not another");
        };
        assert!(failure.message.contains("c.1"), "{failure:?}");
    }
    let refused = step(&line, "c.2", hostname("newer", LONG)).await;
    assert!(matches!(refused, Settled::Answer(Answer::Refused(_))), "{refused:?}");
    assert!(holds(&device, "new"));
}

#[tokio::test]
async fn an_older_master_settles_nothing() {
    let (_simulator, device) = simulated();
    let line = master(&device).await;
    assert_eq!(step(&line, "c.1", hostname("new", LONG)).await, ACCEPTED);
    let newer = World::line(options(device.address())).await;
    let later = Election { low: ELECTION.low + 1, ..ELECTION };
    accepted(newer.ask(later, Ask::Claim).await);
    assert_eq!(step(&line, "c.1", Phase::Confirm).await, Settled::Answer(Answer::Fenced));
    let cancel = Commit { id: "c.1".into(), phase: Phase::Cancel };
    assert_eq!(newer.commit(later, cancel).await, ACCEPTED);
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
    let refused = step(&line, "c.1", Phase::Set { delta: dangling, rollback: LONG }).await;
    assert!(matches!(refused, Settled::Answer(Answer::Refused(_))), "{refused:?}");
    assert_eq!(step(&line, "c.1", Phase::Confirm).await, Settled::Lost);
}

#[tokio::test]
async fn a_confirm_that_is_not_answered_is_unknown() {
    let (_simulator, device) = simulated();
    let timeout = Duration::from_secs(1);
    let line = World::line(Options { timeout, ..options(device.address()) }).await;
    accepted(line.ask(ELECTION, Ask::Claim).await);
    assert_eq!(step(&line, "c.1", hostname("new", LONG)).await, ACCEPTED);
    device.set_faults(Does::Hang(None).always().on([Kind::Confirm]));
    assert_eq!(step(&line, "c.1", Phase::Confirm).await, Settled::Answer(Answer::Unknown));
}

// Whether a device has it.

/// What the claim finds out about a device with these faults.
async fn found(faults: impl Into<Plan>) -> Option<bool> {
    let (_simulator, device) = simulated();
    device.set_faults(faults);
    let line = World::line(options(device.address())).await;
    assert_eq!(line.confirms(), None);
    accepted(line.ask(ELECTION, Ask::Claim).await);
    accepted(line.ask(ELECTION, Ask::Claim).await);
    let confirms = device.journal().into_iter().filter(|entry| entry.kind == Kind::Confirm);
    assert!(confirms.count() <= 1, "probed more than once");
    assert!(device.configuration().is_empty());
    line.confirms()
}

#[tokio::test]
async fn a_device_that_has_it_is_found_out() {
    assert_eq!(found([]).await, Some(true));
}

#[tokio::test]
async fn a_device_that_lacks_it_is_found_out_and_refuses() {
    let lack = || Does::Lack(Feature::Commit).always();
    assert_eq!(found(lack()).await, Some(false));
    let (_simulator, device) = simulated();
    device.set_faults(lack());
    let line = master(&device).await;
    for phase in [hostname("new", LONG), Phase::Confirm, Phase::Cancel] {
        let settled = step(&line, "c.1", phase).await;
        let Settled::Answer(Answer::Refused(failure)) = settled else { panic!("{settled:?}") };
        assert_eq!(failure.code, "UNIMPLEMENTED");
    }
    assert!(holds(&device, "old"));
}

#[tokio::test]
async fn a_device_that_ignores_it_is_found_out() {
    assert_eq!(found(Does::Ignore(Feature::Commit).always()).await, Some(false));
}

#[tokio::test]
async fn a_device_on_which_another_commit_waits_is_asked_again() {
    let (_simulator, device) = simulated();
    let line = master(&device).await;
    assert_eq!(step(&line, "c.1", hostname("new", LONG)).await, ACCEPTED);
    let newer = World::line(options(device.address())).await;
    let later = Election { low: ELECTION.low + 1, ..ELECTION };
    accepted(newer.ask(later, Ask::Claim).await);
    assert_eq!(newer.confirms(), None);
    assert!(holds(&device, "new"), "the probe disturbed it");
    let confirm = Commit { id: "c.1".into(), phase: Phase::Confirm };
    assert_eq!(newer.commit(later, confirm).await, ACCEPTED);
    accepted(newer.ask(later, Ask::Claim).await);
    assert_eq!(newer.confirms(), Some(true));
}

#[tokio::test]
async fn an_operator_may_leave_out_the_question() {
    let (_simulator, device) = simulated();
    let options = Options { commit_confirmed: false, ..options(device.address()) };
    let line = World::line(options).await;
    accepted(line.ask(ELECTION, Ask::Claim).await);
    assert_eq!(line.confirms(), None);
    assert!(device.journal().iter().all(|entry| entry.kind != Kind::Confirm));
}
