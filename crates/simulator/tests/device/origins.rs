//! Origins and targets, of which a device has one.

use lockstep_gnmi::proto::gnmi::{GetRequest, Path};
use serde_json::json;
use tonic::Code;

use crate::ask::{Ask, at, get, read, send, values};
use crate::stage::Stage;

#[tokio::test]
async fn the_origin_is_the_models_own_or_a_module() {
    let mut stage = Stage::new().await;
    let client = &mut stage.client;
    for (origin, expected) in [
        ("", Ok(())),
        ("lab-origin", Ok(())),
        ("lab", Ok(())),
        ("openconfig", Err(Code::InvalidArgument)),
    ] {
        Ask::new().update("/system/motd", json!("x")).send(client).await.unwrap();
        let path = Path { origin: origin.into(), ..at("/system/motd") };
        let request = GetRequest { path: vec![path.clone()], ..GetRequest::default() };
        let answer = send(client, request).await.map(|_| ()).map_err(|(code, _)| code);
        assert_eq!(answer, expected, "Get with {origin}");
        let mut set = Ask::new();
        set.0.delete = vec![path];
        let answer = set.send(client).await.map(|_| ()).map_err(|(code, _)| code);
        assert_eq!(answer, expected, "Set with {origin}");
    }
}

#[tokio::test]
async fn two_origins_are_one_too_many() {
    let mut stage = Stage::new().await;
    let mut set = Ask::new().update("/system/motd", json!("x"));
    set.0.prefix = Some(Path { origin: "lab".into(), ..Path::default() });
    set.0.update[0].path = Some(Path { origin: "lab".into(), ..at("/system/motd") });
    assert_eq!(set.code(&mut stage.client).await, Code::InvalidArgument);
}

#[tokio::test]
async fn the_target_is_echoed_and_is_one() {
    let mut stage = Stage::new().await;
    let client = &mut stage.client;
    let prefix = Path { target: "leaf1".into(), ..Path::default() };
    let set = Ask::new().update("/system/motd", json!("x")).prefix(prefix.clone());
    assert_eq!(set.send(client).await.unwrap().prefix, Some(prefix.clone()));

    let request = GetRequest { prefix: Some(prefix.clone()), ..get(&["/system/motd"]) };
    let answer = send(client, request).await.unwrap();
    assert_eq!(answer.notification[0].prefix, Some(prefix));
    assert_eq!(values(&answer), [("/system/motd".into(), json!("x"))]);

    let mut set = Ask::new();
    for target in ["leaf1", "leaf2"] {
        set.0.delete.push(Path { target: target.into(), ..at("/system/motd") });
    }
    assert_eq!(set.code(client).await, Code::InvalidArgument);
}

/// Two modules with a container of the same name.
#[tokio::test]
async fn the_origin_says_which_module_is_meant() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["one", "two"] {
        let text = format!(
            "module {name} {{ namespace \"urn:{name}\"; prefix {name}; \
             container both {{ leaf x {{ type string; }} }} }}"
        );
        std::fs::write(folder.path().join(format!("{name}.yang")), text).unwrap();
    }
    let options =
        lockstep_yang::Options { path: folder.path().into(), ..lockstep_yang::Options::default() };
    let mut stage = Stage::of(lockstep_yang::ModelSet::load(&options).unwrap()).await;
    let ambiguous = Ask::new().update("/both/x", json!("1")).code(&mut stage.client).await;
    assert_eq!(ambiguous, Code::InvalidArgument);
    for name in ["one", "two"] {
        let mut ask = Ask::new().update("/both/x", json!(name));
        ask.0.update[0].path.as_mut().unwrap().origin = name.into();
        ask.send(&mut stage.client).await.unwrap();
    }
    for name in ["one", "two"] {
        let held = read(&mut stage.client, &format!("/{name}:both/x")).await.unwrap();
        assert_eq!(held, json!(name));
    }
}
