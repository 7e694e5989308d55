//! Who is listened to among several masters.

use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
use lockstep_gnmi::proto::gnmi_ext::{Extension, MasterArbitration, Role};
use serde_json::json;
use tonic::Code;

use crate::ask::{Ask, read};
use crate::stage::Stage;

const DENIED: Result<(), Code> = Err(Code::PermissionDenied);

/// Role, id, and how an empty Set with them is answered.
type Row = (&'static str, (u64, u64), Result<(), Code>);

/// One after the other, on one device.
const TABLE: [Row; 12] = [
    ("lockstep", (1, 5), Ok(())),
    ("lockstep", (1, 5), Ok(())),
    ("lockstep", (1, 4), DENIED),
    ("lockstep", (0, u64::MAX), DENIED),
    ("lockstep", (1, 6), Ok(())),
    ("lockstep", (1, 5), DENIED),
    ("", (0, 0), Ok(())),
    ("", (0, 3), Ok(())),
    ("", (0, 2), DENIED),
    ("other", (0, 1), Ok(())),
    ("lockstep", (2, 0), Ok(())),
    ("lockstep", (1, u64::MAX), DENIED),
];

#[tokio::test]
async fn per_role_the_largest_id_wins() {
    let mut stage = Stage::new().await;
    for (row, (role, (high, low), expected)) in TABLE.into_iter().enumerate() {
        let answer = Ask::new().master(role, high, low).send(&mut stage.client).await;
        let answer = answer.map(|_| ()).map_err(|(code, _)| code);
        assert_eq!(answer, expected, "row {row}");
    }
}

#[tokio::test]
async fn the_refusal_names_the_id_that_stands() {
    let mut stage = Stage::new().await;
    Ask::new().master("lockstep", 3, 7).send(&mut stage.client).await.unwrap();
    let stale = Ask::new().master("lockstep", 3, 6).update("/system/motd", json!("late"));
    let (code, message) = stale.send(&mut stage.client).await.unwrap_err();
    assert_eq!(code, Code::PermissionDenied);
    assert!(message.contains("{high: 3, low: 7}"), "{message}");
    assert!(stage.device().configuration().is_empty());
}

#[tokio::test]
async fn a_master_writes_and_so_does_who_names_no_id() {
    let mut stage = Stage::new().await;
    let master = Ask::new().master("lockstep", 1, 1).update("/system/motd", json!("a"));
    master.send(&mut stage.client).await.unwrap();
    Ask::new().update("/system/hostname", json!("b")).send(&mut stage.client).await.unwrap();
    let system = read(&mut stage.client, "/system").await.unwrap();
    assert_eq!(system, json!({"motd": "a", "hostname": "b"}));
}

/// Whoever is elected is elected, even if what it asks first is nonsense.
#[tokio::test]
async fn an_id_counts_even_if_its_set_is_refused() {
    let mut stage = Stage::new().await;
    let nonsense = Ask::new().master("lockstep", 1, 9).update("/system/colour", json!("red"));
    assert_eq!(nonsense.code(&mut stage.client).await, Code::NotFound);
    let older = Ask::new().master("lockstep", 1, 8);
    assert_eq!(older.code(&mut stage.client).await, Code::PermissionDenied);
}

#[tokio::test]
async fn an_extension_without_an_id_is_refused() {
    let mut stage = Stage::new().await;
    let role = Some(Role { id: "lockstep".into() });
    let claim = MasterArbitration { role, election_id: None };
    let extension = Extension { ext: Some(Ext::MasterArbitration(claim)) };
    let refused = Ask::new().extension(extension).code(&mut stage.client).await;
    assert_eq!(refused, Code::InvalidArgument);
    let twice = Ask::new().master("a", 1, 1).master("b", 1, 1).code(&mut stage.client).await;
    assert_eq!(twice, Code::InvalidArgument);
}

#[tokio::test]
async fn masters_are_forgotten_in_a_restart() {
    let mut stage = Stage::new().await;
    Ask::new().master("lockstep", 5, 5).send(&mut stage.client).await.unwrap();
    stage.device().restart(true).await.unwrap();
    let mut client = stage.another().await;
    Ask::new().master("lockstep", 1, 1).send(&mut client).await.unwrap();
}
