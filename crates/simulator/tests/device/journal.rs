//! What a device writes down.

use lockstep_gnmi::Election;
use lockstep_simulator::journal::{Effect, Kind};
use serde_json::json;
use tonic::Code;

use crate::ask::{Ask, get, send};
use crate::stage::Stage;

#[tokio::test]
async fn everything_asked_is_there_in_order() {
    let mut stage = Stage::new().await;
    Ask::new().master("lockstep", 1, 2).send(&mut stage.client).await.unwrap();
    let set = Ask::new().master("lockstep", 1, 2).update("/system/motd", json!("x"));
    set.send(&mut stage.client).await.unwrap();
    send(&mut stage.client, get(&["/system/motd"])).await.unwrap();
    Ask::new().master("lockstep", 1, 1).send(&mut stage.client).await.unwrap_err();
    stage.device().restart(false).await.unwrap();

    let journal = stage.device().journal();
    let kinds: Vec<_> = journal.iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [Kind::Claim, Kind::Set, Kind::Get, Kind::Claim, Kind::Restart]);
    let numbers: Vec<_> = journal.iter().map(|entry| (entry.number, entry.boot)).collect();
    assert_eq!(numbers, [(1, 1), (2, 1), (3, 1), (4, 1), (5, 2)]);

    assert_eq!(journal[1].election, Some(Election { high: 1, low: 2 }));
    assert_eq!(journal[1].role, "lockstep");
    assert_eq!(journal[1].paths, ["/system/motd".parse().unwrap()]);
    assert_eq!(journal[2].paths, ["/system/motd".parse().unwrap()]);
    assert_eq!((journal[2].election, &journal[2].effect), (None, &Effect::Done));
    let denied = &journal[3].effect;
    assert!(matches!(denied, Effect::Refused { code: Code::PermissionDenied, .. }), "{denied:?}");
}

/// Neighbouring entries show what each of them changed.
#[tokio::test]
async fn entries_hold_what_stood_afterwards() {
    let mut stage = Stage::new().await;
    for text in ["a", "b"] {
        Ask::new().update("/system/motd", json!(text)).send(&mut stage.client).await.unwrap();
    }
    stage.device().restart(false).await.unwrap();
    let journal = stage.device().journal();
    let held = |number: usize| journal[number].configuration.as_ref().unwrap();
    assert_eq!(held(0).diff(held(1)).len(), 1);
    assert_eq!((held(1).len(), held(2).len()), (1, 0));
}
