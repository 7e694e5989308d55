//! Restarts, as the network sees them.

use std::io::ErrorKind;
use std::time::Duration;

use lockstep_gnmi::proto::lockstep::sim::v1::RestartRequest;
use lockstep_gnmi::proto::lockstep::sim::v1::control_client::ControlClient;
use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tonic::Code;

use crate::ask::{Ask, get, read, send};
use crate::stage::{Client, Stage, channel, simulator};

const SOON: Duration = Duration::from_secs(5);

/// Reads until the other end is gone.
async fn is_closed(mut stream: TcpStream) {
    let mut bytes = Vec::new();
    let end = timeout(SOON, stream.read_to_end(&mut bytes)).await.expect("an end");
    assert!(end.is_ok() || end.is_err_and(|error| error.kind() == ErrorKind::ConnectionReset));
}

#[tokio::test]
async fn the_configuration_survives_or_not() {
    let mut stage = Stage::new().await;
    Ask::new().update("/system/motd", json!("x")).send(&mut stage.client).await.unwrap();
    stage.device().restart(true).await.unwrap();
    let mut client = stage.another().await;
    assert_eq!(read(&mut client, "/system/motd").await.unwrap(), json!("x"));
    stage.device().restart(false).await.unwrap();
    let mut client = stage.another().await;
    assert_eq!(read(&mut client, "/system/motd").await.unwrap_err().0, Code::NotFound);
    assert!(stage.device().configuration().is_empty());
}

#[tokio::test]
async fn every_connection_breaks() {
    let stage = Stage::new().await;
    let address = stage.device().address();
    let mut idle = Vec::new();
    for _ in 0..5 {
        idle.push(TcpStream::connect(address).await.unwrap());
    }
    stage.device().restart(true).await.unwrap();
    for stream in idle {
        is_closed(stream).await;
    }
    assert_eq!(stage.device().address(), address);
    stage.another().await;
}

#[tokio::test]
async fn a_device_that_is_off_is_not_there() {
    let mut stage = Stage::new().await;
    let address = stage.device().address();
    stage.device().switch_off(true).await;
    assert_eq!(TcpStream::connect(address).await.unwrap_err().kind(), ErrorKind::ConnectionRefused);
    let refused = send(&mut stage.client, get(&["/"])).await.unwrap_err();
    assert_eq!(refused.0, Code::Unavailable);
    stage.device().switch_on().await.unwrap();
    stage.device().switch_on().await.unwrap();
    let mut client = stage.another().await;
    assert_eq!(read(&mut client, "/").await.unwrap(), json!({}));
}

#[tokio::test]
async fn restarts_in_a_row_leave_one_device() {
    let stage = Stage::new().await;
    for _ in 0..20 {
        stage.device().restart(true).await.unwrap();
    }
    let device = stage.device();
    let (one, two) = tokio::join!(device.restart(true), device.restart(true));
    one.and(two).unwrap();
    let mut client = stage.another().await;
    Ask::new().update("/system/motd", json!("x")).send(&mut client).await.unwrap();
}

/// The connection that asked for a restart is spared, but it leads to a device that is no more.
#[tokio::test]
async fn what_began_before_a_restart_has_no_effect() {
    let stage = Stage::new().await;
    let shared = channel(stage.device().address()).await;
    let mut wires = ControlClient::new(shared.clone());
    wires.restart(RestartRequest { keep: true }).await.unwrap();
    let mut client = Client::new(shared);
    let late = Ask::new().update("/system/motd", json!("late")).send(&mut client).await;
    assert_eq!(late.unwrap_err().0, Code::Unavailable);
    assert_eq!(send(&mut client, get(&["/"])).await.unwrap_err().0, Code::Unavailable);
    assert!(stage.device().configuration().is_empty());
}

#[tokio::test]
async fn stopping_closes_everything() {
    let simulator = simulator(3);
    let addresses = simulator.addresses().to_vec();
    let mut idle = Vec::new();
    for address in &addresses {
        idle.push(TcpStream::connect(address).await.unwrap());
    }
    let device = simulator.devices()[0].clone();
    simulator.stop().await;
    for (stream, address) in idle.into_iter().zip(addresses) {
        is_closed(stream).await;
        let refused = TcpStream::connect(address).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    }
    assert!(device.switch_on().await.is_err());
}

#[tokio::test]
async fn dropping_stops_too() {
    let simulator = simulator(1);
    let stream = TcpStream::connect(simulator.addresses()[0]).await.unwrap();
    drop(simulator);
    is_closed(stream).await;
}
