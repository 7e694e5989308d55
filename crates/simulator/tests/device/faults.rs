//! Sets that are refused on demand.

use lockstep_simulator::Faults;
use lockstep_simulator::faults::Refusal;
use serde_json::json;
use tonic::Code;

use crate::ask::{Ask, read};
use crate::stage::Stage;

fn refuse(patterns: &[&str]) -> Faults {
    let refuse = patterns.iter().map(|pattern| Refusal::of(pattern.parse().unwrap()));
    Faults { refuse: refuse.collect() }
}

fn port(name: &str) -> serde_json::Value {
    json!({"interface": [{"name": name, "mtu": 9000}]})
}

#[tokio::test]
async fn a_set_that_touches_the_pattern_changes_nothing() {
    let mut stage = Stage::new().await;
    stage.device().set_faults(refuse(&["/interfaces/interface[name=eth1]"]));
    let both = Ask::new().update("/interfaces", port("eth0")).update("/interfaces", port("eth1"));
    let (code, message) = both.send(&mut stage.client).await.unwrap_err();
    assert_eq!(code, Code::FailedPrecondition);
    assert_eq!(message, "/interfaces/interface[name=eth1] is not to be touched");
    assert!(stage.device().configuration().is_empty());
    Ask::new().update("/interfaces", port("eth0")).send(&mut stage.client).await.unwrap();
}

#[tokio::test]
async fn the_words_may_be_chosen() {
    let mut stage = Stage::new().await;
    let refusal = Refusal {
        pattern: "/system".parse().unwrap(),
        code: Code::ResourceExhausted,
        message: "no room".into(),
    };
    stage.device().set_faults(Faults { refuse: vec![refusal] });
    let refused = Ask::new().update("/system/motd", json!("x")).send(&mut stage.client).await;
    assert_eq!(refused.unwrap_err(), (Code::ResourceExhausted, "no room".into()));
}

#[tokio::test]
async fn patterns_reach_every_entry_and_whole_names_only() {
    let mut stage = Stage::new().await;
    stage.device().set_faults(refuse(&["/interfaces/interface/mtu", "/.../host"]));
    let refused = Ask::new().update("/interfaces", port("eth0")).code(&mut stage.client).await;
    assert_eq!(refused, Code::FailedPrecondition);
    let description = json!({"interface": [{"name": "eth0", "description": "up"}]});
    Ask::new().update("/interfaces", description).send(&mut stage.client).await.unwrap();
    Ask::new().update("/system/hostname", json!("a")).send(&mut stage.client).await.unwrap();
}

#[tokio::test]
async fn deletes_touch_what_they_remove_and_what_they_name() {
    let mut stage = Stage::new().await;
    Ask::new().update("/system/motd", json!("x")).send(&mut stage.client).await.unwrap();
    stage.device().set_faults(refuse(&["/system/motd", "/vlans"]));
    for path in ["/system", "/", "/vlans/vlan[id=7]"] {
        let refused = Ask::new().delete(path).code(&mut stage.client).await;
        assert_eq!(refused, Code::FailedPrecondition, "{path}");
    }
    Ask::new().delete("/system/hostname").send(&mut stage.client).await.unwrap();
    assert_eq!(read(&mut stage.client, "/system/motd").await.unwrap(), json!("x"));
}

#[tokio::test]
async fn faults_last_until_they_are_taken_away() {
    let mut stage = Stage::new().await;
    stage.device().set_faults(refuse(&["/"]));
    Ask::new().master("lockstep", 1, 1).send(&mut stage.client).await.expect("an empty Set");
    stage.device().restart(true).await.unwrap();
    let mut client = stage.another().await;
    let set = Ask::new().update("/system/motd", json!("x"));
    assert_eq!(set.clone().code(&mut client).await, Code::FailedPrecondition);
    stage.device().set_faults(Faults::default());
    set.send(&mut client).await.unwrap();
}

/// What a device refuses on demand comes before what its models say.
#[tokio::test]
async fn a_fault_comes_before_validation() {
    let mut stage = Stage::new().await;
    stage.device().set_faults(refuse(&["/interfaces"]));
    let broken = json!({"interface": [{"name": "eth0", "access-vlan": 7}]});
    let refused = Ask::new().update("/interfaces", broken).code(&mut stage.client).await;
    assert_eq!(refused, Code::FailedPrecondition);
}
