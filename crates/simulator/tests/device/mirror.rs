//! State that mirrors configuration, and answers limited to some modules.

use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::{Encoding, GetRequest, ModelData};
use serde_json::{Value, json};
use tonic::Code;

use crate::ask::{Ask, get, ietf, send, values};
use crate::stage::{Stage, mirror};

async fn stage() -> Stage {
    let mut stage = Stage::of(mirror()).await;
    let config = json!({"id": 7, "secret": "x", "more:colour": "red"});
    let ports = json!({"port": [{"id": 7, "config": config}]});
    Ask::new().update("/ports", ports).send(&mut stage.client).await.unwrap();
    stage
}

async fn ask(stage: &mut Stage, path: &str, kind: DataType) -> Result<Vec<(String, Value)>, Code> {
    let request = GetRequest { r#type: kind.into(), ..ietf(path) };
    let answer = send(&mut stage.client, request).await;
    answer.map(|answer| values(&answer)).map_err(|(code, _)| code)
}

#[tokio::test]
async fn state_is_what_is_configured() {
    let mut stage = stage().await;
    let state = json!({"id": 7, "speed": "1000"});
    let config = json!({"id": 7, "speed": "1000", "secret": "x", "more:colour": "red"});
    let entry = "/ports/port[id=7]";
    let found = ask(&mut stage, entry, DataType::State).await.unwrap();
    assert_eq!(found, [(entry.into(), json!({"mirror:id": 7, "mirror:state": state}))]);
    let found = ask(&mut stage, entry, DataType::Config).await.unwrap();
    assert_eq!(found[0].1, json!({"mirror:id": 7, "mirror:config": config}));
    let both = json!({"mirror:id": 7, "mirror:config": config, "mirror:state": state});
    assert_eq!(ask(&mut stage, entry, DataType::All).await.unwrap()[0].1, both);

    let leaf = "/ports/port[id=7]/state/speed";
    for path in [leaf, "/ports/port/state/speed", "/mirror:ports/port[id=*]/state/speed"] {
        let found = ask(&mut stage, path, DataType::Operational).await.unwrap();
        assert_eq!(found, [(leaf.to_owned(), json!("1000"))], "{path}");
    }
    assert_eq!(ask(&mut stage, leaf, DataType::Config).await, Err(Code::NotFound));
    let packets = "/ports/port[id=7]/state/packets";
    assert_eq!(ask(&mut stage, packets, DataType::All).await, Err(Code::NotFound));
    assert_eq!(ask(&mut stage, "/", DataType::State).await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_answer_can_be_limited_to_modules() {
    let mut stage = stage().await;
    let model = |name: &str| ModelData { name: name.into(), ..ModelData::default() };
    let mut limited = async |name: &str, path: &str| {
        let request = GetRequest {
            use_models: vec![model(name)],
            encoding: Encoding::Json.into(),
            r#type: DataType::Config.into(),
            ..get(&[path])
        };
        send(&mut stage.client, request).await
    };
    let more = limited("more", "/ports").await.unwrap();
    let entry = json!({"id": 7, "config": {"colour": "red"}});
    assert_eq!(values(&more)[0].1, json!({"port": [entry]}));
    let mirror = limited("mirror", "/ports/port[id=7]/config").await.unwrap();
    assert_eq!(values(&mirror)[0].1, json!({"id": 7, "speed": 1000, "secret": "x"}));
    let colour = "/ports/port[id=7]/config/colour";
    assert_eq!(limited("mirror", colour).await.unwrap_err().0, Code::NotFound);
    assert_eq!(limited("nobody", "/ports").await.unwrap_err().0, Code::InvalidArgument);
}
