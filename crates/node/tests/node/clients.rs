//! Clients that are too many, that go away, that change their mind.

use lockstep_node::Busy;
use lockstep_protocol::record::Status;
use lockstep_protocol::{Order, Refusal, Reply};
use lockstep_types::{Index, Target};
use tokio::time::Instant;

use crate::lab::{Lab, PLACES};

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_leaves_its_transaction_to_finish() {
    let lab = Lab::start(1).await;
    let request = lab.request(&["leaf1"], "left alone");
    let handle = lab.handle();
    let asking = tokio::spawn(async move { handle.submit(request).await });
    // Gone as soon as the node knows of it, or with its answer: either way it must finish.
    lab.until("it is in the log", |view| view.transaction(Index::new(1)).is_some()).await;
    asking.abort();
    lab.until("it is applied", |view| {
        view.transaction(Index::new(1)).is_some_and(|t| t.status == Status::Applied)
    })
    .await;
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn as_many_as_may_be_open_are_served_and_the_rest_is_told_so() {
    let lab = Lab::start(1).await;
    let mut asking = tokio::task::JoinSet::new();
    for number in 0..3 * PLACES {
        let request = lab.request(&["leaf1"], &format!("motd {number}"));
        let handle = lab.handle();
        asking.spawn(async move { handle.submit(request).await.unwrap() });
    }
    let (mut served, mut full) = (0, 0);
    while let Some(answer) = asking.join_next().await {
        match answer.unwrap() {
            Reply::Transaction { status: Status::Applied, .. } => served += 1,
            Reply::Refused(Refusal::TooManyOpen(PLACES)) => full += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(served >= PLACES, "{served} served, {full} told so");
    // There is room again.
    assert!(matches!(lab.submit(&["leaf1"], "last").await, Reply::Transaction { .. }));
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_target_is_refused_before_anything_is_written() {
    let lab = Lab::start(1).await;
    let before = lab.records.writes();
    let refused = lab.submit(&["leaf9"], "x").await;
    assert_eq!(refused, Reply::Refused(Refusal::UnknownTarget(Target::new("leaf9").unwrap())));
    assert_eq!(lab.records.writes(), before);
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_has_stopped_takes_nothing() {
    let lab = Lab::start(1).await;
    let (handle, request) = (lab.handle(), lab.request(&["leaf1"], "late"));
    lab.stop().await;
    assert_eq!(handle.submit(request).await, Err(Busy::Stopping));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_cannot_wait_is_told_that_it_is_not_done_yet() {
    let lab = Lab::start(1).await;
    let (handle, leaf1) = (lab.handle(), Target::new("leaf1").unwrap());
    let order = handle.operate(leaf1.clone(), Order::Pause, String::new(), Instant::now());
    // A store that is quick may have done it by the first look.
    assert!(matches!(order.await, Err(Busy::Late) | Ok(Reply::Done)));
    // It was asked for all the same.
    lab.until("it is paused", |view| view.header(&leaf1).paused).await;
    lab.stop().await;
}
