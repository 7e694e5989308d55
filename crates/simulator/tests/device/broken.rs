//! Devices that do more than refuse: each fault, and what the journal says of it.

use std::time::Duration;

use lockstep_gnmi::proto::gnmi::CapabilityRequest;
use lockstep_simulator::faults::{Does, Fault, Feature, Plan, Rewrite};
use lockstep_simulator::journal::{Effect, Entry, Kind, Told};
use serde_json::json;
use tokio::time::{Instant, timeout};
use tonic::Code;

use crate::ask::{Ask, get, read, send};
use crate::stage::Stage;

const SOON: Duration = Duration::from_secs(10);
/// Long enough to believe that no answer comes.
const NEVER: Duration = Duration::from_millis(100);

fn motd(text: &str) -> Ask {
    Ask::new().update("/system/motd", json!(text))
}

fn refuse(code: Code) -> Fault {
    Does::Refuse { code, message: String::new(), after: false }.always()
}

/// The journal once it says so.
async fn until(stage: &Stage, what: impl Fn(&[Entry]) -> bool) -> Vec<Entry> {
    let deadline = Instant::now() + SOON;
    loop {
        let journal = stage.device().journal();
        if what(&journal) {
            return journal;
        }
        assert!(Instant::now() < deadline, "not in time: {journal:?}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_set_that_hangs_is_applied_late() {
    let mut stage = Stage::new().await;
    stage.device().set_faults(Does::Hang(None).once());
    let hangs = timeout(NEVER, motd("late").master("a", 1, 1).send(&mut stage.client)).await;
    assert!(hangs.is_err(), "{hangs:?}");
    assert!(stage.device().faults().is_empty(), "once only");
    motd("early").master("a", 1, 1).send(&mut stage.client).await.unwrap();
    stage.device().release();
    let journal = until(&stage, |journal| journal.len() == 3).await;
    let effects: Vec<_> = journal.iter().map(|one| (one.effect.clone(), one.late)).collect();
    assert_eq!(effects, [(Effect::Nothing, false), (Effect::Done, false), (Effect::Done, true)]);
    assert!(journal.iter().all(|entry| entry.paths == ["/system/motd".parse().unwrap()]));
    assert_eq!((&journal[2].told, journal[2].faults[0].as_str()), (&Told::Nothing, "hang"));
    assert!(journal[2].arrived < journal[1].arrived && journal[2].timestamp > journal[1].timestamp);
    assert_eq!(read(&mut stage.client, "/system/motd").await.unwrap(), json!("late"));
}

/// What arrives late is held to the master that stands then.
#[tokio::test]
async fn a_late_set_of_an_old_master_is_fenced() {
    let mut stage = Stage::new().await;
    stage.device().set_faults(Does::Hang(Some(Duration::from_millis(50))).once());
    let hangs = timeout(NEVER / 4, motd("late").master("a", 1, 1).send(&mut stage.client)).await;
    assert!(hangs.is_err());
    Ask::new().master("a", 1, 2).send(&mut stage.client).await.unwrap();
    let journal = until(&stage, |journal| journal.iter().any(|entry| entry.late)).await;
    let late = journal.iter().find(|entry| entry.late).unwrap();
    let fenced = matches!(late.effect, Effect::Refused { code: Code::PermissionDenied, .. });
    assert!(fenced, "{late:?}");
    assert!(stage.device().configuration().is_empty());
}

#[tokio::test]
async fn a_restart_forgets_what_hangs() {
    let mut stage = Stage::new().await;
    stage.device().set_faults(Does::Hang(None).always());
    assert!(timeout(NEVER, motd("x").send(&mut stage.client)).await.is_err());
    stage.device().restart(true).await.unwrap();
    stage.device().release();
    stage.device().set_faults(Plan::default());
    let mut client = stage.another().await;
    Ask::new().send(&mut client).await.unwrap();
    assert!(stage.device().journal().iter().all(|entry| !entry.late));
    assert!(stage.device().configuration().is_empty());
}

#[tokio::test]
async fn a_slow_device_is_slow_and_does_it_all_the_same() {
    let mut stage = Stage::new().await;
    let slow = Duration::from_millis(150);
    stage.device().set_faults(Does::Delay(slow).always().on([Kind::Set, Kind::Get]));
    let start = Instant::now();
    motd("x").send(&mut stage.client).await.unwrap();
    assert!(start.elapsed() >= slow);
    read(&mut stage.client, "/system/motd").await.unwrap();
    assert!(start.elapsed() >= 2 * slow);
    // Nobody waits for this one.
    assert!(timeout(slow / 10, motd("y").send(&mut stage.client)).await.is_err());
    until(&stage, |journal| journal.iter().filter(|one| one.kind == Kind::Set).count() == 2).await;
}

#[tokio::test]
async fn a_connection_is_dropped_before_or_after() {
    for (after, held) in [(false, 0), (true, 1)] {
        let mut stage = Stage::new().await;
        let mut bystander = stage.another().await;
        stage.device().set_faults(Does::Drop { after }.once());
        let dropped = timeout(SOON, motd("x").send(&mut stage.client)).await.expect("an end");
        let (code, message) = dropped.unwrap_err();
        assert!(matches!(code, Code::Unavailable | Code::Unknown | Code::Cancelled), "{message}");
        assert_eq!(stage.device().configuration().len(), held, "after: {after}");
        let journal = stage.device().journal();
        let effect = if after { Effect::Done } else { Effect::Nothing };
        assert_eq!((&journal[0].effect, &journal[0].told), (&effect, &Told::Nothing));
        Ask::new().send(&mut bystander).await.expect("another connection stays");
    }
}

#[tokio::test]
async fn a_restart_in_the_middle_of_a_set() {
    for (after, keep, held) in [(false, true, 0), (true, false, 0), (true, true, 1)] {
        let mut stage = Stage::new().await;
        stage.device().set_faults(Does::Restart { after, keep }.once());
        timeout(SOON, motd("x").send(&mut stage.client)).await.expect("an end").unwrap_err();
        until(&stage, |journal| journal.len() == 2).await;
        assert_eq!(stage.device().configuration().len(), held, "after: {after}, keep: {keep}");
    }
}

#[tokio::test]
async fn values_are_rewritten() {
    let table = [
        (Rewrite::Upper, json!("Hello"), json!("HELLO")),
        (Rewrite::Lower, json!("Hello"), json!("hello")),
        (Rewrite::Value(json!("mine")), json!("Hello"), json!("mine")),
        (Rewrite::Keep, json!("Hello"), json!("before")),
    ];
    for (rewrite, sent, held) in table {
        let mut stage = Stage::new().await;
        motd("before").send(&mut stage.client).await.unwrap();
        let fault = Does::Rewrite(rewrite).always().at("/system/motd".parse().unwrap());
        stage.device().set_faults(fault);
        let set = Ask::new().update("/system", json!({"motd": sent, "hostname": "Leaf"}));
        set.send(&mut stage.client).await.unwrap();
        assert_eq!(read(&mut stage.client, "/system/motd").await.unwrap(), held);
        assert_eq!(read(&mut stage.client, "/system/hostname").await.unwrap(), json!("Leaf"));
    }
}

#[tokio::test]
async fn arbitration_is_ignored_in_silence() {
    let mut stage = Stage::new().await;
    stage.device().set_faults(Does::Ignore(Feature::Arbitration).always());
    for low in [5, 1] {
        motd("x").master("a", 1, low).send(&mut stage.client).await.unwrap();
    }
    let journal = stage.device().journal();
    assert_eq!(journal[1].election.map(|id| id.low), Some(1));
    stage.device().set_faults(Plan::default());
    // It never knew of the larger id.
    motd("y").master("a", 1, 1).send(&mut stage.client).await.unwrap();
}

#[tokio::test]
async fn what_a_device_lacks_is_unimplemented() {
    let mut stage = Stage::new().await;
    let lack = |feature| Does::Lack(feature).always();
    stage.device().set_faults([
        lack(Feature::Get),
        lack(Feature::Role),
        lack(Feature::Capabilities),
    ]);
    let refused = send(&mut stage.client, get(&["/"])).await.unwrap_err();
    assert_eq!(refused, (Code::Unimplemented, "this device does not have get".into()));
    let models = stage.client.capabilities(CapabilityRequest::default()).await;
    assert_eq!(models.unwrap_err().code(), Code::Unimplemented);
    let role = motd("x").master("a", 1, 1).code(&mut stage.client).await;
    assert_eq!(role, Code::Unimplemented);
    motd("x").master("", 1, 1).send(&mut stage.client).await.unwrap();
    stage.device().set_faults(lack(Feature::Arbitration));
    let any = motd("x").master("", 1, 1).code(&mut stage.client).await;
    assert_eq!(any, Code::Unimplemented);
    motd("x").send(&mut stage.client).await.unwrap();
}

#[tokio::test]
async fn any_call_can_have_any_answer_for_a_while() {
    let mut stage = Stage::new().await;
    stage.device().set_faults([
        refuse(Code::DataLoss).on([Kind::Get]).times(2),
        refuse(Code::Unavailable).on([Kind::Claim]).times(1),
    ]);
    for _ in 0..2 {
        assert_eq!(send(&mut stage.client, get(&["/"])).await.unwrap_err().0, Code::DataLoss);
    }
    send(&mut stage.client, get(&["/"])).await.unwrap();
    motd("x").send(&mut stage.client).await.unwrap();
    assert_eq!(Ask::new().code(&mut stage.client).await, Code::Unavailable);
    Ask::new().send(&mut stage.client).await.unwrap();
    assert!(stage.device().faults().is_empty());
}

/// As a device does whose answer is about something else.
#[tokio::test]
async fn an_error_may_be_a_lie() {
    let mut stage = Stage::new().await;
    let lie = Does::Refuse { code: Code::Internal, message: "oops".into(), after: true };
    stage.device().set_faults(lie.once());
    let heard = motd("x").send(&mut stage.client).await.unwrap_err();
    assert_eq!(heard, (Code::Internal, "oops".into()));
    assert_eq!(read(&mut stage.client, "/system/motd").await.unwrap(), json!("x"));
    let journal = stage.device().journal();
    assert_eq!(journal[0].effect, Effect::Done);
    let told = Told::Error { code: Code::Internal, message: "oops".into() };
    assert_eq!(journal[0].told, told);
}

/// What a resync does, and a plain change does not.
#[tokio::test]
async fn only_what_deletes_is_refused() {
    let mut stage = Stage::new().await;
    motd("x").send(&mut stage.client).await.unwrap();
    stage.device().set_faults(refuse(Code::Aborted).deletes().times(2));
    motd("y").send(&mut stage.client).await.unwrap();
    let deletes = Ask::new().delete("/system/motd").code(&mut stage.client).await;
    assert_eq!(deletes, Code::Aborted);
    let replaces = Ask::new().replace("/system", json!({"hostname": "a"}));
    assert_eq!(replaces.clone().code(&mut stage.client).await, Code::Aborted);
    replaces.send(&mut stage.client).await.unwrap();
}

#[tokio::test]
async fn a_device_drifts_when_told_and_by_itself() {
    let stage = Stage::new().await;
    let path = "/system/motd".parse().unwrap();
    stage.device().drift(&path, Some(json!("mine"))).await.unwrap();
    assert_eq!(stage.device().configuration().len(), 1);
    stage.device().drift(&path, None).await.unwrap();
    assert!(stage.device().configuration().is_empty());
    stage.device().drift(&"/nonsense".parse().unwrap(), None).await.unwrap_err();
    let every = Duration::from_millis(10);
    let drift = Does::Drift { value: Some(json!("again")), every }.always().at(path.clone());
    stage.device().set_faults(drift.times(1));
    let journal = until(&stage, |journal| journal.len() == 3).await;
    assert!(journal.iter().all(|entry| entry.kind == Kind::Drift));
    assert_eq!(journal[2].paths, [path]);
    while !stage.device().faults().is_empty() {
        tokio::task::yield_now().await;
    }
}
