//! What a transaction costs the store: counted, not timed.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lockstep_protocol::Reply;
use lockstep_protocol::record::{Initial, Status};
use lockstep_simulator::journal::Kind as Asked;
use lockstep_simulator::{Device, Options as Devices, Simulator};
use lockstep_store::kv::Txn;
use lockstep_store::{Embedded, Memory, Records};
use tokio::time::{sleep, timeout};

use crate::lab::{Lab, TRIED, UNTRIED, models, spec};
use crate::slow::Slow;

/// How many writes there were since, once there were so many: whoever wrote the last one may hear of it
/// after whoever waited for what it says.
async fn writes_since(lab: &Lab, before: u64, least: u64) -> u64 {
    let enough = async {
        while lab.records.writes() - before < least {
            sleep(Duration::from_millis(1)).await;
        }
    };
    let _late = timeout(Duration::from_secs(10), enough).await;
    lab.records.writes() - before
}

// rule: mistake-cost
/// The decision with the entry, and the record of the device's answer: two durable writes.
#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_on_one_target_takes_two_writes() {
    let lab = Lab::start(1).await;
    for number in 0..5 {
        let before = lab.records.writes();
        let reply = lab.submit(&["leaf1"], &format!("motd {number}")).await;
        assert!(matches!(reply, Reply::Transaction { status: Status::Applied, .. }), "{reply:?}");
        assert_eq!(writes_since(&lab, before, 2).await, 2);
    }
    lab.stop().await;
}

/// Where it is tried first, that all of it was accepted is one more.
#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_tried_on_the_device_takes_three() {
    let (records, models) = (Records::open(Arc::new(Memory::new())).await.unwrap(), models());
    let lab = Lab::begin(records, 1, |i, at| {
        let mut given = spec(i, at, &models, Initial::Adopt);
        given.binding.details.push_str(TRIED);
        given
    })
    .await;
    for number in 0..5 {
        let before = lab.records.writes();
        let reply = lab.submit(&["leaf1"], &format!("motd {number}")).await;
        assert!(matches!(reply, Reply::Transaction { status: Status::Applied, .. }), "{reply:?}");
        assert_eq!(writes_since(&lab, before, 3).await, 3);
    }
    lab.stop().await;
}

/// What is in flight at the same time is made durable together.
#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_share_what_makes_them_durable() {
    const MANY: u16 = 18;
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Embedded::open(folder.path()).unwrap());
    let (records, models) = (Records::open(store.clone()).await.unwrap(), models());
    let lab = Lab::begin(records, MANY, |i, at| spec(i, at, &models, Initial::Adopt)).await;
    let before = store.commits();
    let names: Vec<String> = (1..=MANY).map(|number| format!("leaf{number}")).collect();
    let all = names.iter().map(|name| async { lab.submit(&[name], name).await });
    for reply in futures_util::future::join_all(all).await {
        assert!(matches!(reply, Reply::Transaction { status: Status::Applied, .. }), "{reply:?}");
    }
    let syncs = store.commits() - before;
    println!("{MANY} transactions at once: {syncs} durable writes");
    assert!(syncs < 2 * u64::from(MANY), "{syncs}");
    lab.stop().await;
}

/// One record for each answer at the most, whatever their order: that it is tried, that it is kept.
#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_on_three_targets_takes_one_more_for_each_answer_at_the_most() {
    let lab = Lab::start(3).await;
    let before = lab.records.writes();
    let reply = lab.submit(&["leaf1", "leaf2", "leaf3"], "everywhere").await;
    assert!(matches!(reply, Reply::Transaction { status: Status::Applied, .. }), "{reply:?}");
    let writes = writes_since(&lab, before, 3).await;
    assert!((3..=7).contains(&writes), "{writes}");
    lab.stop().await;
}

/// How many Sets a device was done with, and requests to keep what one of them tried.
fn sets(device: &Device) -> usize {
    let journal = device.journal();
    journal.iter().filter(|entry| matches!(entry.kind, Asked::Set | Asked::Confirm)).count()
}

/// What devices answer while a write is under way goes with the next, however many they are.
async fn writes_for_ten(details: &str) -> u64 {
    const MANY: u16 = 10;
    let (listen, models) = (SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), models());
    let options = Devices { models: models.clone(), listen, count: MANY };
    let simulator = Simulator::start(options).unwrap();
    // From then on nothing is written after the first of them was done with one and before all were.
    let (together, devices) = (Arc::new(AtomicBool::new(false)), simulator.devices().to_vec());
    let waits = Arc::clone(&together);
    let may_go_on = move |_: &Memory, _: &Txn| {
        !waits.load(Ordering::Relaxed) || devices.iter().all(|d| sets(d) == sets(&devices[0]))
    };
    let records = Records::open(Arc::new(Slow::new(may_go_on))).await.unwrap();
    let lab = Lab::on(records, simulator, |i, at| {
        let mut given = spec(i, at, &models, Initial::Adopt);
        given.binding.details.push_str(details);
        given
    })
    .await;
    lab.until("every target is synchronised", |view| {
        view.targets().all(|target| view.is_synchronised(target))
    })
    .await;
    together.store(true, Ordering::Relaxed);
    let before = lab.records.writes();
    let names: Vec<String> = (1..=MANY).map(|number| format!("leaf{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let reply = lab.submit(&names, "everywhere").await;
    assert!(matches!(reply, Reply::Transaction { status: Status::Applied, .. }), "{reply:?}");
    let writes = writes_since(&lab, before, 3).await;
    println!("a transaction on {MANY} targets: {writes} writes");
    together.store(false, Ordering::Relaxed);
    lab.stop().await;
    writes
}

/// The decision, the first answer, the others. A device is done before its answer is heard of, so some may be late.
#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_on_ten_targets_takes_a_few_writes() {
    let writes = writes_for_ten(UNTRIED).await;
    assert!((3..=5).contains(&writes), "{writes}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_tried_on_ten_targets_takes_a_few_more() {
    let writes = writes_for_ten("").await;
    assert!((5..=8).contains(&writes), "{writes}");
}

/// A target that nobody talks to is left alone.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_when_nothing_happens() {
    let lab = Lab::start(2).await;
    let before = lab.records.writes();
    lab.submit(&["leaf1"], "x").await;
    assert_eq!(writes_since(&lab, before, 2).await, 2);
    let view = lab.handle().view();
    assert_eq!(view.head().index.get(), 1);
    lab.stop().await;
}
