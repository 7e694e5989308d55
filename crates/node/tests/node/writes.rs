//! What a transaction costs the store: counted, not timed.

use std::time::Duration;

use lockstep_protocol::Reply;
use lockstep_protocol::record::Status;
use tokio::time::{sleep, timeout};

use crate::lab::Lab;

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

/// One record for each device, whatever the order of their answers.
#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_on_three_targets_takes_one_more_for_each() {
    let lab = Lab::start(3).await;
    let before = lab.records.writes();
    let reply = lab.submit(&["leaf1", "leaf2", "leaf3"], "everywhere").await;
    assert!(matches!(reply, Reply::Transaction { status: Status::Applied, .. }), "{reply:?}");
    // Records that arrive together compare the same transaction, and one of them is decided again.
    let writes = writes_since(&lab, before, 4).await;
    assert!((4..=9).contains(&writes), "{writes}");
    lab.stop().await;
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
