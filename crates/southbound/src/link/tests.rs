//! What a link promises, with a device that does as it is told and a clock that stands still.

mod fake;
mod visits;

use std::time::Duration;

use lockstep_protocol::{Answer, Ask, Event};
use lockstep_types::{Configuration, Connection, Delta, Epoch, Path, Sequence};
use tokio::time::Instant;

use super::LookError;
use super::follows::STREAMS;
use crate::{
    Election, Fencing, Follow, Followed, Lease, Look, Mandate, Notice, Pace, Report, Watch,
};

use fake::World;

const MANDATE: Mandate =
    Mandate { epoch: Epoch::new(1), election: Election { high: 1, low: 7 }, lease: Lease::ENDLESS };

fn number(number: u64) -> Connection {
    Connection::new(number)
}

fn sequence(number: u64) -> Sequence {
    Sequence::new(number)
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_told_of_and_a_later_one_has_a_larger_number() {
    let mut world = World::start(number(5));
    assert!(world.link.failure().is_some());
    world.expect_connected(5).await;
    assert_eq!(world.link.failure(), None);
    world.device.hang_up("cable out");
    world.expect_disconnected(5).await;
    assert_eq!(world.link.failure().as_deref(), Some("cable out"));
    world.expect_connected(6).await;
    assert_eq!(world.device.most_at_once(), 1);
}

#[tokio::test(start_paused = true)]
async fn waits_grow_while_there_is_no_connection() {
    let mut world = World::start_refusing(number(1), 12);
    world.expect_connected(1).await;
    let tries = world.device.tries();
    assert_eq!(tries.len(), 13);
    let waits: Vec<Duration> = tries.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(waits[0] <= Duration::from_millis(200), "{waits:?}");
    assert!(waits[11] >= Duration::from_secs(15), "{waits:?}");
    assert!(waits.iter().all(|wait| *wait <= Duration::from_millis(30_001)), "{waits:?}");
}

#[tokio::test(start_paused = true)]
async fn why_there_is_no_connection_can_be_asked() {
    let mut world = World::start_refusing(number(1), 1);
    world.device.tried().await;
    let mut why = world.link.failure();
    while why.as_deref() == Some("not tried yet") {
        tokio::task::yield_now().await;
        why = world.link.failure();
    }
    assert_eq!(why.as_deref(), Some("device: nobody is here"));
    world.expect_connected(1).await;
}

#[tokio::test(start_paused = true)]
async fn requests_go_one_at_a_time_and_answers_carry_their_number() {
    let mut world = World::start(number(1));
    world.expect_connected(1).await;
    world.link.send(number(1), sequence(1), MANDATE, Ask::Claim, None);
    world.link.send(number(1), sequence(2), MANDATE, Ask::Read, None);

    let first = world.device.asked().await;
    assert_eq!((first.mandate.election, &first.ask), (MANDATE.election, &Ask::Claim));
    world.device.is_asked_nothing().await;
    first.answer(Answer::Accepted);
    world.expect_answered(1, 1, Answer::Accepted).await;

    let second = world.device.asked().await;
    assert_eq!(second.ask, Ask::Read);
    second.answer(Answer::Busy);
    world.expect_answered(1, 2, Answer::Busy).await;
}

#[tokio::test(start_paused = true)]
async fn a_request_for_an_earlier_connection_is_not_sent() {
    let mut world = World::start(number(1));
    world.expect_connected(1).await;
    world.device.hang_up("restart");
    world.expect_disconnected(1).await;
    world.link.send(number(1), sequence(1), MANDATE, Ask::Claim, None);
    world.expect_connected(2).await;
    world.link.send(number(1), sequence(2), MANDATE, Ask::Claim, None);
    world.link.close(number(1));
    world.link.send(number(2), sequence(3), MANDATE, Ask::Read, None);
    let asked = world.device.asked().await;
    assert_eq!(asked.ask, Ask::Read);
    asked.answer(Answer::Busy);
    world.expect_answered(2, 3, Answer::Busy).await;
}

#[tokio::test(start_paused = true)]
async fn closing_drops_what_is_under_way_and_connects_anew() {
    let mut world = World::start(number(1));
    world.expect_connected(1).await;
    world.link.send(number(1), sequence(1), MANDATE, Ask::Claim, None);
    let hung = world.device.asked().await;
    world.link.close(number(1));
    world.expect_disconnected(1).await;
    assert!(hung.is_dropped());
    assert_eq!(world.device.open(), 0);
    world.expect_connected(2).await;
    assert_eq!(world.device.most_at_once(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_is_closed_for_silence_says_so_until_there_is_an_answer() {
    const SILENT: &str = "it gave no clear answer to the last set in time";
    let mut world = World::start(number(1));
    let set = || Ask::Set(Delta::default());
    world.expect_connected(1).await;
    world.link.send(number(1), sequence(1), MANDATE, set(), None);
    world.device.asked().await.answer(Answer::Unknown);
    world.expect_answered(1, 1, Answer::Unknown).await;
    world.link.close(number(1));
    world.expect_disconnected(1).await;
    let why = format!("{SILENT}, so the connection was closed");
    assert_eq!(world.link.failure(), Some(why));
    world.expect_connected(2).await;
    // That it may be claimed does not say that it takes a change.
    world.link.send(number(2), sequence(2), MANDATE, Ask::Claim, None);
    world.device.asked().await.answer(Answer::Accepted);
    world.expect_answered(2, 2, Answer::Accepted).await;
    assert_eq!((world.link.failure(), world.link.trouble().as_deref()), (None, Some(SILENT)));
    world.link.send(number(2), sequence(3), MANDATE, set(), None);
    world.device.asked().await.answer(Answer::Accepted);
    world.expect_answered(2, 3, Answer::Accepted).await;
    assert_eq!(world.link.trouble(), None);
    world.link.close(number(2));
    world.expect_disconnected(2).await;
    assert_eq!(world.link.failure().as_deref(), Some("closed by this node"));
}

#[tokio::test(start_paused = true)]
async fn that_a_device_is_busy_is_known_until_it_is_not() {
    let mut world = World::start(number(1));
    world.expect_connected(1).await;
    world.link.send(number(1), sequence(1), MANDATE, Ask::Read, None);
    world.device.asked().await.answer(Answer::Busy);
    world.expect_answered(1, 1, Answer::Busy).await;
    let busy = "it was busy at the last read, and is tried again";
    assert_eq!(world.link.trouble().as_deref(), Some(busy));
    world.link.send(number(1), sequence(2), MANDATE, Ask::Read, None);
    world.device.asked().await.answer(Answer::Values(Configuration::new()));
    world.expect_answered(1, 2, Answer::Values(Configuration::new())).await;
    assert_eq!(world.link.trouble(), None);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_with_the_end_is_not_lost() {
    let mut world = World::start(number(1));
    world.expect_connected(1).await;
    world.link.send(number(1), sequence(1), MANDATE, Ask::Claim, None);
    world.link.send(number(1), sequence(2), MANDATE, Ask::Read, None);
    let asked = world.device.asked().await;
    world.device.hang_up("reload");
    tokio::task::yield_now().await;
    asked.answer(Answer::Accepted);
    world.expect_answered(1, 1, Answer::Accepted).await;
    world.expect_disconnected(1).await;
    world.device.is_asked_nothing().await;
}

#[tokio::test(start_paused = true)]
async fn an_unknown_outcome_at_the_end_is_just_the_end() {
    let mut world = World::start(number(1));
    world.expect_connected(1).await;
    world.link.send(number(1), sequence(1), MANDATE, Ask::Claim, None);
    let asked = world.device.asked().await;
    world.device.hang_up("reload");
    tokio::task::yield_now().await;
    asked.answer(Answer::Unknown);
    world.expect_disconnected(1).await;
}

#[tokio::test(start_paused = true)]
async fn a_device_that_connects_and_hangs_up_is_tried_less_and_less() {
    let mut world = World::start(number(1));
    let began = Instant::now();
    for connection in 1..=8 {
        world.expect_connected(connection).await;
        world.device.hang_up("too many sessions");
        world.expect_disconnected(connection).await;
    }
    assert!(began.elapsed() > Duration::from_secs(10), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_device_that_answered_is_tried_again_soon() {
    let mut world = World::start(number(1));
    let began = Instant::now();
    for connection in 1..=8 {
        world.expect_connected(connection).await;
        world.link.send(number(connection), sequence(1), MANDATE, Ask::Claim, None);
        world.device.asked().await.answer(Answer::Accepted);
        world.expect_answered(connection, 1, Answer::Accepted).await;
        world.device.hang_up("reload");
        world.expect_disconnected(connection).await;
    }
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_of_events_holds_back_but_loses_nothing() {
    let mut world = World::start(number(1));
    world.expect_connected(1).await;
    for request in 1..=20 {
        world.link.send(number(1), sequence(request), MANDATE, Ask::Claim, None);
    }
    world.device.answers_by_itself(Answer::Accepted);
    world.device.held_back().await;
    for request in 1..=20 {
        world.expect_answered(1, request, Answer::Accepted).await;
    }
}

#[tokio::test(start_paused = true)]
async fn dropping_the_link_closes_the_connection() {
    let mut world = World::start(number(1));
    world.expect_connected(1).await;
    let World { device, link, mut events, .. } = world;
    drop(link);
    assert_eq!(events.recv().await, None::<Event>);
    assert_eq!(device.open(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_link_nobody_listens_to_ends_by_itself() {
    let mut world = World::start(number(1));
    world.expect_connected(1).await;
    let World { device, link, events, .. } = world;
    drop(events);
    device.gone().await;
    link.send(number(1), sequence(1), MANDATE, Ask::Claim, None);
}

fn uptime() -> Look {
    Look { path: "/system/uptime".parse().unwrap(), seen: crate::Seen::State, ietf: true }
}

#[tokio::test(start_paused = true)]
async fn who_looks_does_not_wait_for_what_is_asked() {
    let mut world = World::start(number(1));
    world.expect_connected(1).await;
    world.link.send(number(1), sequence(1), MANDATE, Ask::Read, None);
    let asked = world.device.asked().await;
    let report: Report = (uptime().path, "7".into());
    let (seen, ()) = tokio::join!(world.link.look(uptime()), async {
        let (look, answer) = world.device.looked_at().await;
        assert_eq!(look, uptime());
        answer.send(Ok(vec![report.clone()])).unwrap();
    });
    assert_eq!(seen, Ok(vec![report]));
    asked.answer(Answer::Busy);
    world.expect_answered(1, 1, Answer::Busy).await;
}

#[tokio::test(start_paused = true)]
async fn who_looks_is_told_of_the_end_of_the_connection() {
    let mut world = World::start(number(1));
    assert!(matches!(world.link.look(uptime()).await, Err(LookError::NotConnected(_))));
    world.expect_connected(1).await;
    let (seen, ()) = tokio::join!(world.link.look(uptime()), async {
        let (_, unanswered) = world.device.looked_at().await;
        world.device.hang_up("cable out");
        world.device.gone().await;
        drop(unanswered);
    });
    assert_eq!(seen, Err(LookError::NotConnected("cable out".into())));
    world.expect_disconnected(1).await;
}

#[tokio::test(start_paused = true)]
async fn what_was_found_out_is_known_before_the_answer_and_gone_with_the_connection() {
    let mut world = World::start(number(1));
    world.expect_connected(1).await;
    world.device.fences(Some(Fencing::Device));
    assert_eq!(world.link.fencing(), None);
    world.link.send(number(1), sequence(1), MANDATE, Ask::Claim, None);
    world.device.asked().await.answer(Answer::Accepted);
    world.expect_answered(1, 1, Answer::Accepted).await;
    assert_eq!((world.link.fencing(), world.link.confirms()), (Some(Fencing::Device), Some(true)));
    world.device.hang_up("reload");
    world.expect_disconnected(1).await;
    assert_eq!((world.link.fencing(), world.link.confirms()), (None, None));
    assert_eq!(world.link.patience(), Duration::from_secs(7));
}

#[tokio::test(start_paused = true)]
async fn who_watches_is_told_on_which_connection() {
    let mut world = World::start(number(1));
    let mut told = world.link.watch(Watch::default());
    for connection in 1..=2 {
        world.expect_connected(connection).await;
        let (_, tell) = world.device.watched().await;
        tell.send(Notice::All(Box::default())).await.unwrap();
        assert_eq!(told.recv().await.unwrap().connection, number(connection));
        world.device.hang_up("reload");
        world.expect_disconnected(connection).await;
        assert!(tell.is_closed());
    }
}

#[tokio::test(start_paused = true)]
async fn who_watches_and_never_listens_does_not_hold_up_requests() {
    let mut world = World::start(number(1));
    let told = world.link.watch(Watch::default());
    world.expect_connected(1).await;
    let (_, tell) = world.device.watched().await;
    while tell.try_send(Notice::All(Box::default())).is_ok() {
        tokio::task::yield_now().await;
    }
    world.link.send(number(1), sequence(1), MANDATE, Ask::Claim, None);
    world.device.asked().await.answer(Answer::Accepted);
    world.expect_answered(1, 1, Answer::Accepted).await;
    drop(told);
    tell.closed().await;
}

#[tokio::test(start_paused = true)]
async fn a_device_tells_only_so_many_of_its_state() {
    let mut world = World::start(number(1));
    let everything =
        || Follow { path: Path::root(), pace: Pace::OnChange, heartbeat: None, ietf: true };
    assert!(matches!(world.link.follow(everything()).await, Err(LookError::NotConnected(_))));
    world.expect_connected(1).await;
    let mut told = Vec::new();
    for _ in 0..STREAMS {
        let mut stream = world.link.follow(everything()).await.unwrap();
        assert_eq!(stream.next().await, Ok(Followed::Synced));
        told.push(stream);
    }
    let Err(LookError::Failed(failure)) = world.link.follow(everything()).await else {
        panic!("one too many");
    };
    assert_eq!(failure.code, "RESOURCE_EXHAUSTED");
    // Who goes away makes room, and who stays is told of the end.
    let mut last = told.pop().unwrap();
    drop(told);
    while world.link.follow(everything()).await.is_err() {
        tokio::task::yield_now().await;
    }
    world.device.hang_up("cable out");
    world.expect_disconnected(1).await;
    assert_eq!(last.next().await.unwrap_err().code, "UNAVAILABLE");
}
