//! What survives the process.

use std::path::Path;

use lockstep_gnmi::proto::gnmi_ext::commit::Action;
use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
use lockstep_gnmi::proto::gnmi_ext::{Commit, CommitConfirm, CommitRequest, Extension};
use lockstep_simulator::{Error, Options, Setup, Simulator};
use serde_json::json;

use crate::ask::{Ask, read};
use crate::stage::{Client, channel, models};

fn start(folder: &Path) -> Result<Simulator, Error> {
    let options = Options { models: models(), listen: ([127, 0, 0, 1], 0).into(), count: 2 };
    Simulator::start_with(options, &Setup { state: Some(folder.into()), ..Setup::default() })
}

async fn client(simulator: &Simulator, number: usize) -> Client {
    Client::new(channel(simulator.addresses()[number]).await)
}

fn motd(text: &str) -> Ask {
    Ask::new().update("/system/motd", json!(text))
}

fn commit(action: Action) -> Extension {
    Extension { ext: Some(Ext::Commit(Commit { id: "x".into(), action: Some(action) })) }
}

#[tokio::test]
async fn each_device_finds_what_it_held() {
    let folder = tempfile::tempdir().unwrap();
    let simulator = start(&folder.path().join("new")).unwrap();
    motd("one").send(&mut client(&simulator, 0).await).await.unwrap();
    motd("two").send(&mut client(&simulator, 1).await).await.unwrap();
    motd("three").send(&mut client(&simulator, 1).await).await.unwrap();
    // As a killed process ends.
    drop(simulator);
    let simulator = start(&folder.path().join("new")).unwrap();
    for (number, text) in [(0, "one"), (1, "three")] {
        let held = read(&mut client(&simulator, number).await, "/system/motd").await.unwrap();
        assert_eq!(held, json!(text));
    }
    simulator.devices()[1].restart(false).await.unwrap();
    simulator.stop().await;
    let simulator = start(&folder.path().join("new")).unwrap();
    let empty: Vec<_> =
        simulator.devices().iter().map(|device| device.configuration().is_empty()).collect();
    assert_eq!(empty, [false, true]);
}

#[tokio::test]
async fn what_is_not_confirmed_is_not_saved() {
    let folder = tempfile::tempdir().unwrap();
    let simulator = start(folder.path()).unwrap();
    let mut first = client(&simulator, 0).await;
    motd("a").send(&mut first).await.unwrap();
    let begin = || commit(Action::Commit(CommitRequest { rollback_duration: None }));
    motd("b").extension(begin()).send(&mut first).await.unwrap();
    drop(simulator);
    let simulator = start(folder.path()).unwrap();
    let mut first = client(&simulator, 0).await;
    assert_eq!(read(&mut first, "/system/motd").await.unwrap(), json!("a"));
    motd("c").extension(begin()).send(&mut first).await.unwrap();
    let confirm = Ask::new().extension(commit(Action::Confirm(CommitConfirm {})));
    confirm.send(&mut first).await.unwrap();
    drop(simulator);
    let simulator = start(folder.path()).unwrap();
    let mut first = client(&simulator, 0).await;
    assert_eq!(read(&mut first, "/system/motd").await.unwrap(), json!("c"));
}

#[tokio::test]
async fn what_cannot_be_used_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("device-1.json");
    let strange = r#"{"/nobody":{"content":{"leaf":{"int":1}},"writer":0}}"#;
    for text in ["{", strange] {
        std::fs::write(&file, text).unwrap();
        let error = start(folder.path()).unwrap_err();
        assert!(matches!(&error, Error::State { path, .. } if *path == file), "{error}");
    }
}
