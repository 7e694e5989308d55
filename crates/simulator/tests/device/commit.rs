//! Commits that are to be confirmed: the whole table.

use lockstep_gnmi::proto::gnmi_ext::commit::Action;
use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
use lockstep_gnmi::proto::gnmi_ext::{
    Commit, CommitCancel, CommitConfirm, CommitRequest, CommitSetRollbackDuration, Extension,
};
use lockstep_simulator::faults::{Does, Feature};
use lockstep_simulator::journal::Kind;
use serde_json::json;
use tokio::time::{Duration, Instant};
use tonic::Code;

use crate::ask::{Ask, read};
use crate::stage::Stage;

const SOON: Duration = Duration::from_secs(10);

fn with(id: &str, action: Action) -> Extension {
    let commit = Commit { id: id.into(), action: Some(action) };
    Extension { ext: Some(Ext::Commit(commit)) }
}

fn length(milliseconds: i64) -> prost_types::Duration {
    let nanos = i32::try_from(milliseconds % 1000 * 1_000_000).unwrap();
    prost_types::Duration { seconds: milliseconds / 1000, nanos }
}

fn begin(id: &str, milliseconds: Option<i64>) -> Extension {
    let rollback_duration = milliseconds.map(length);
    with(id, Action::Commit(CommitRequest { rollback_duration }))
}

fn confirm(id: &str) -> Ask {
    Ask::new().extension(with(id, Action::Confirm(CommitConfirm {})))
}

fn cancel(id: &str) -> Ask {
    Ask::new().extension(with(id, Action::Cancel(CommitCancel {})))
}

fn extend(id: &str, milliseconds: Option<i64>) -> Ask {
    let rollback_duration = milliseconds.map(length);
    let extend = CommitSetRollbackDuration { rollback_duration };
    Ask::new().extension(with(id, Action::SetRollbackDuration(extend)))
}

fn motd(text: &str) -> Ask {
    Ask::new().update("/system/motd", json!(text))
}

async fn holds(stage: &mut Stage, text: &str) {
    assert_eq!(read(&mut stage.client, "/system/motd").await.unwrap(), json!(text));
}

/// A device that holds `a`, and `b` until it is confirmed.
async fn pending(time: Option<i64>) -> Stage {
    let mut stage = Stage::new().await;
    motd("a").send(&mut stage.client).await.unwrap();
    motd("b").extension(begin("x", time)).send(&mut stage.client).await.unwrap();
    holds(&mut stage, "b").await;
    stage
}

async fn rolled_back(stage: &Stage) {
    let deadline = Instant::now() + SOON;
    while stage.device().journal().last().unwrap().kind != Kind::Rollback {
        assert!(Instant::now() < deadline, "{:?}", stage.device().journal());
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn what_is_confirmed_stays() {
    let mut stage = pending(None).await;
    confirm("x").send(&mut stage.client).await.unwrap();
    holds(&mut stage, "b").await;
    motd("c").send(&mut stage.client).await.unwrap();
    assert_eq!(confirm("x").code(&mut stage.client).await, Code::FailedPrecondition);
    let journal = stage.device().journal();
    let named: Vec<_> = journal.iter().map(|one| (one.kind, one.commit.as_str())).collect();
    assert!(named.contains(&(Kind::Set, "x")) && named.contains(&(Kind::Confirm, "x")));
}

#[tokio::test]
async fn what_is_cancelled_goes() {
    let mut stage = pending(None).await;
    cancel("x").send(&mut stage.client).await.unwrap();
    holds(&mut stage, "a").await;
    motd("c").send(&mut stage.client).await.unwrap();
}

#[tokio::test]
async fn what_is_not_confirmed_in_time_goes() {
    let mut stage = pending(Some(100)).await;
    rolled_back(&stage).await;
    holds(&mut stage, "a").await;
    assert_eq!(stage.device().journal().iter().filter(|e| e.kind == Kind::Rollback).count(), 1);
    assert_eq!(confirm("x").code(&mut stage.client).await, Code::FailedPrecondition);
    motd("c").send(&mut stage.client).await.unwrap();
}

#[tokio::test]
async fn the_time_can_be_replaced() {
    let mut stage = pending(Some(100)).await;
    extend("x", Some(600_000)).send(&mut stage.client).await.unwrap();
    // The first timer has run out by then.
    let past = Instant::now() + Duration::from_millis(200);
    while Instant::now() < past {
        holds(&mut stage, "b").await;
    }
    extend("x", Some(50)).send(&mut stage.client).await.unwrap();
    rolled_back(&stage).await;
    holds(&mut stage, "a").await;
}

#[tokio::test]
async fn one_at_a_time() {
    let mut stage = pending(None).await;
    let table = [
        (motd("c"), Code::FailedPrecondition),
        (motd("c").extension(begin("y", None)), Code::FailedPrecondition),
        (motd("c").extension(begin("x", None)), Code::FailedPrecondition),
        (confirm("y"), Code::InvalidArgument),
        (cancel("y"), Code::InvalidArgument),
        (extend("y", Some(1000)), Code::InvalidArgument),
        (extend("x", None), Code::InvalidArgument),
        (extend("x", Some(0)), Code::InvalidArgument),
        (motd("c").extension(with("x", Action::Confirm(CommitConfirm {}))), Code::InvalidArgument),
    ];
    for (ask, code) in table {
        let text = format!("{:?}", ask.0);
        assert_eq!(ask.code(&mut stage.client).await, code, "{text}");
    }
    holds(&mut stage, "b").await;
    // A new master may claim meanwhile, and confirm.
    Ask::new().master("a", 1, 2).send(&mut stage.client).await.unwrap();
    let fenced = confirm("x").master("a", 1, 1).code(&mut stage.client).await;
    assert_eq!(fenced, Code::PermissionDenied);
    confirm("x").master("a", 1, 2).send(&mut stage.client).await.unwrap();
}

#[tokio::test]
async fn with_none_active() {
    let mut stage = Stage::new().await;
    for ask in [confirm("x"), cancel("x"), extend("x", Some(1000))] {
        assert_eq!(ask.code(&mut stage.client).await, Code::FailedPrecondition);
    }
    let nameless = Extension { ext: Some(Ext::Commit(Commit::default())) };
    let idle = Commit { id: "x".into(), action: None };
    for ask in [
        Ask::new().extension(nameless),
        Ask::new().extension(Extension { ext: Some(Ext::Commit(idle)) }),
        confirm("x").extension(begin("x", None)),
        motd("a").extension(begin("", None)),
        motd("a").extension(begin("x", Some(0))),
        motd("a").extension(begin("x", Some(-1000))),
    ] {
        assert_eq!(ask.code(&mut stage.client).await, Code::InvalidArgument);
    }
    // What is refused opens nothing.
    let refused = Ask::new().update("/system/hostname", json!("-")).extension(begin("x", None));
    assert_eq!(refused.code(&mut stage.client).await, Code::InvalidArgument);
    assert!(stage.device().configuration().is_empty());
    motd("a").send(&mut stage.client).await.unwrap();
}

/// What was not confirmed was not saved.
#[tokio::test]
async fn a_restart_takes_it_back() {
    let stage = pending(None).await;
    stage.device().restart(true).await.unwrap();
    let mut client = stage.another().await;
    assert_eq!(read(&mut client, "/system/motd").await.unwrap(), json!("a"));
    motd("c").send(&mut client).await.unwrap();
}

#[tokio::test]
async fn a_device_may_lack_or_ignore_it() {
    let mut stage = Stage::new().await;
    stage.device().set_faults(Does::Lack(Feature::Commit).always());
    assert_eq!(confirm("x").code(&mut stage.client).await, Code::Unimplemented);
    motd("a").send(&mut stage.client).await.unwrap();
    stage.device().set_faults(Does::Ignore(Feature::Commit).always());
    motd("b").extension(begin("x", None)).send(&mut stage.client).await.unwrap();
    confirm("y").send(&mut stage.client).await.unwrap();
    motd("c").send(&mut stage.client).await.unwrap();
}
