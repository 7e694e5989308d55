//! What those may rely on who visit a device that another node sees to.

use lockstep_types::{Path, Target};

use super::fake::World;
use super::number;
use crate::link::follows::STREAMS;
use crate::{Follow, Followed, Look, LookError, Pace, Seen, Visits};

fn leaf1() -> Target {
    Target::new("leaf1").unwrap()
}

fn everything() -> Follow {
    Follow { path: Path::root(), pace: Pace::OnChange, heartbeat: None, ietf: true }
}

fn look() -> Look {
    Look { path: Path::root(), seen: Seen::State, ietf: true }
}

fn code<T>(result: Result<T, LookError>) -> String {
    match result {
        Err(LookError::Failed(failure)) => failure.code,
        _ => panic!("no failure"),
    }
}

#[tokio::test(start_paused = true)]
async fn who_is_told_keeps_nobody_from_looking() {
    let mut world = World::start(number(1));
    let (visits, driver) = (Visits::new(1), world.device.driver());
    let mut told = visits.follow(&leaf1(), &driver, everything()).await.unwrap();
    assert_eq!(told.next().await, Ok(Followed::Synced));
    let spine = Target::new("spine1").unwrap();
    assert_eq!(code(visits.follow(&spine, &driver, everything()).await), "RESOURCE_EXHAUSTED");
    let answer = async {
        let (_, answer) = world.device.looked_at().await;
        answer.send(Ok(Vec::new())).unwrap();
    };
    let leaf1 = leaf1();
    let (seen, ()) = tokio::join!(visits.look(&leaf1, &driver, look()), answer);
    assert_eq!(seen, Ok(Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn a_device_is_visited_by_only_so_many() {
    let world = World::start(number(1));
    let (visits, driver) = (Visits::new(100), world.device.driver());
    let mut told = Vec::new();
    for _ in 0..STREAMS {
        told.push(visits.follow(&leaf1(), &driver, everything()).await.unwrap());
    }
    assert_eq!(code(visits.follow(&leaf1(), &driver, everything()).await), "RESOURCE_EXHAUSTED");
    told.pop();
    while visits.follow(&leaf1(), &driver, everything()).await.is_err() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_visit_ends_with_the_target() {
    let mut world = World::start(number(1));
    let (visits, driver) = (Visits::new(100), world.device.driver());
    let mut told = visits.follow(&leaf1(), &driver, everything()).await.unwrap();
    assert_eq!(told.next().await, Ok(Followed::Synced));
    let leaf1 = leaf1();
    let ends = async {
        let (_, answer) = world.device.looked_at().await;
        visits.end(&leaf1);
        answer
    };
    let (seen, _never) = tokio::join!(visits.look(&leaf1, &driver, look()), ends);
    assert_eq!(code(seen), "UNAVAILABLE");
    assert_eq!(told.next().await.unwrap_err().code, "UNAVAILABLE");
    // Where it is now, it is visited as before.
    assert!(visits.follow(&leaf1, &driver, everything()).await.is_ok());
}
