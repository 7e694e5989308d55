//! Connecting: what counts as a device, and what is said when there is none.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use lockstep_gnmi::proto::gnmi::{CapabilityResponse, Encoding, ModelData};
use lockstep_protocol::Ask;
use lockstep_southbound::gnmi::{self, Gnmi, Options};
use lockstep_southbound::{ConnectError, Driver};
use lockstep_yang::{ModelSet, Options as Load};
use tokio::net::TcpListener;
use tonic::Status;

use crate::support::{
    Device, MANDATE, Reaction, World, accepted, delta, leaf, models, options, within,
};

async fn fails(options: Options) -> ConnectError {
    let driver = Gnmi::new(options, models());
    match within("a failure", driver.connect()).await {
        Err(error) => error,
        Ok(line) => panic!("connected: {line:?}"),
    }
}

/// A port that nobody listens at.
async fn nowhere() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap()
}

#[tokio::test]
async fn nobody_there() {
    let address = nowhere().await;
    let error = fails(options(address)).await;
    assert!(matches!(error, ConnectError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains(&address.to_string()), "{error}");
}

#[tokio::test]
async fn an_open_port_is_not_yet_a_device() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent = options(listener.local_addr().unwrap());
    let after = Duration::from_millis(200);
    let error = fails(Options { timeout: after, ..silent.clone() }).await;
    assert_eq!(error, ConnectError::Timeout { address: silent.addresses[0].clone(), after });
}

#[tokio::test]
async fn the_next_address_is_tried_when_one_fails() {
    let device = Device::new().listen(None).await.to_string();
    let nowhere = nowhere().await.to_string();
    let both =
        Options { addresses: vec![nowhere.clone(), device], ..options(([127, 0, 0, 1], 0).into()) };
    World::line(both.clone()).await;
    let error = fails(Options { addresses: vec![nowhere.clone(), nowhere], ..both.clone() }).await;
    assert!(matches!(&error, ConnectError::Everywhere { tried } if tried.len() == 2), "{error}");
    let error = fails(Options { addresses: Vec::new(), ..both }).await;
    assert!(matches!(error, ConnectError::Option { option: "addresses", .. }), "{error}");
}

#[tokio::test]
async fn a_device_that_does_not_want_us_is_quoted() {
    let device = Device::new();
    device.on_capabilities(|_| Reaction::Refuse(Status::unauthenticated("who are you?")));
    let error = fails(options(device.listen(None).await)).await;
    let ConnectError::Refused { code, message, .. } = error else { panic!("{error}") };
    assert_eq!((&*code, &*message), ("UNAUTHENTICATED", "who are you?"));
}

#[tokio::test]
async fn credentials_go_with_each_request_and_not_into_logs() {
    let device = Device::new();
    let options = Options {
        username: Some("admin".into()),
        password: Some("hunter2".into()),
        token: Some("t0ken".into()),
        ..options(device.listen(None).await)
    };
    assert!(
        !format!("{options:?}").contains("hunter2") && !format!("{options:?}").contains("t0ken")
    );
    let line = World::line(options).await;
    line.ask(MANDATE, Ask::Claim).await;
    line.ask(MANDATE, Ask::Read).await;
    assert!(!format!("{line:?}").contains("hunter2"));
    let seen = device.metadata();
    // Capabilities, the claim with its two probes, and the read.
    assert_eq!(seen.len(), 5);
    for metadata in seen {
        assert_eq!(metadata.get("username").unwrap(), "admin");
        assert_eq!(metadata.get("password").unwrap(), "hunter2");
        assert_eq!(metadata.get("authorization").unwrap(), "Bearer t0ken");
    }
}

#[tokio::test]
async fn plain_json_is_spoken_to_a_device_that_speaks_nothing_else() {
    let read_as = async |encodings: &[Encoding], wanted: Option<gnmi::Encoding>| {
        let device = Device::new();
        let supported_encodings = encodings.iter().map(|one| i32::from(*one)).collect();
        let can = CapabilityResponse { supported_encodings, ..Default::default() };
        device.on_capabilities(move |_| Reaction::Answer(can.clone()));
        let address = device.listen(None).await;
        let line = World::line(Options { encoding: wanted, ..options(address) }).await;
        line.ask(MANDATE, Ask::Read).await;
        device.gets()[0].encoding()
    };
    assert_eq!(read_as(&[Encoding::Json], None).await, Encoding::Json);
    assert_eq!(read_as(&[Encoding::Json, Encoding::JsonIetf], None).await, Encoding::JsonIetf);
    assert_eq!(read_as(&[Encoding::Proto], None).await, Encoding::JsonIetf);
    let ietf = Some(gnmi::Encoding::JsonIetf);
    assert_eq!(read_as(&[Encoding::Json], ietf).await, Encoding::JsonIetf);
}

// rule: south-without-get
#[tokio::test]
async fn a_device_without_capabilities_is_a_device() {
    let device = Device::new();
    device.on_capabilities(|_| Reaction::Refuse(Status::unimplemented("no")));
    let line = World::line(options(device.listen(None).await)).await;
    line.ask(MANDATE, Ask::Read).await;
    assert_eq!(device.gets()[0].encoding(), Encoding::JsonIetf);
}

// rule: south-origin
#[tokio::test]
async fn the_origin_of_the_models_is_sent() {
    let device = Device::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/lab");
    let load = Load { path, origin: Some("ours".into()), ..Load::default() };
    let driver = Gnmi::new(options(device.listen(None).await), ModelSet::load(&load).unwrap());
    let line = within("a line", driver.connect()).await.unwrap();
    line.ask(MANDATE, Ask::Read).await;
    assert_eq!(device.gets()[0].path[0].origin, "ours");
    let changes = [leaf("/system/hostname", "leaf1"), (crate::support::path("/system/motd"), None)];
    accepted(line.ask(MANDATE, Ask::Set(delta(changes))).await);
    let sets = device.sets();
    let set = sets.iter().find(|set| !set.update.is_empty()).unwrap();
    let updated = set.update.iter().map(|one| one.path.as_ref().unwrap());
    let all: Vec<&str> = updated.chain(&set.delete).map(|path| path.origin.as_str()).collect();
    assert_eq!(all, ["ours", "ours"]);
}

// rule: south-models
#[tokio::test]
async fn a_device_that_lists_other_models_is_driven_all_the_same() {
    let device = Device::new();
    let other = ModelData { name: "other".into(), ..ModelData::default() };
    let can = CapabilityResponse { supported_models: vec![other], ..Default::default() };
    device.on_capabilities(move |_| Reaction::Answer(can.clone()));
    let line = World::line(options(device.listen(None).await)).await;
    accepted(line.ask(MANDATE, Ask::Set(delta([leaf("/system/hostname", "leaf1")]))).await);
}
