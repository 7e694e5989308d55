//! How a connection ends, and that it is noticed.

use std::time::Duration;

use lockstep_protocol::{Answer, Ask};
use lockstep_southbound::gnmi::Options;

use crate::support::{Device, MANDATE, Proxy, World, accepted, options, within};

/// A device behind a way that can be cut.
async fn behind_proxy() -> (Device, Proxy) {
    let device = Device::new();
    let proxy = Proxy::to(device.listen(None).await).await;
    (device, proxy)
}

#[tokio::test]
async fn a_restart_between_two_requests_is_a_new_connection() {
    let (_, proxy) = behind_proxy().await;
    let mut world = World::connected(options(proxy.address)).await;
    accepted(world.ask(Ask::Claim).await);
    proxy.cut();
    world.expect_disconnected().await;
    world.expect_connected().await;
    accepted(world.ask(Ask::Claim).await);
    assert_eq!(proxy.accepted(), 2);
}

#[tokio::test]
async fn a_device_that_says_goodbye_is_not_taken_for_silent() {
    let (stop, stopped) = tokio::sync::oneshot::channel();
    let address = Device::new().listen_until(stopped).await;
    let line = World::line(options(address)).await;
    stop.send(()).unwrap();
    let why = within("the end", line.closed()).await;
    assert_eq!(why, "the device closed the connection");
    assert_eq!(line.ask(MANDATE, Ask::Claim).await, Answer::Unknown);
}

#[tokio::test]
async fn an_idle_line_says_that_the_device_closed_it() {
    let (_, proxy) = behind_proxy().await;
    let line = World::line(options(proxy.address)).await;
    proxy.cut();
    let why = within("the end", line.closed()).await;
    assert!(why.contains("closed") || why.contains("reset"), "{why}");
}

#[tokio::test]
async fn a_peer_that_vanishes_is_noticed_while_nothing_is_asked() {
    let (_, proxy) = behind_proxy().await;
    let keepalive = Duration::from_millis(300);
    let mut world = World::connected(Options { keepalive, ..options(proxy.address) }).await;
    accepted(world.ask(Ask::Claim).await);
    proxy.swallow();
    world.expect_disconnected().await;
    let why = world.link.failure().unwrap();
    assert!(why.contains("no sign of life"), "{why}");
    proxy.open();
    world.expect_connected().await;
    accepted(world.ask(Ask::Claim).await);
}

#[tokio::test]
async fn a_live_peer_is_not_taken_for_dead() {
    let (_, proxy) = behind_proxy().await;
    let keepalive = Duration::from_millis(300);
    let line = World::line(Options { keepalive, ..options(proxy.address) }).await;
    let ended = tokio::time::timeout(keepalive * 4, line.closed()).await;
    assert!(ended.is_err(), "{ended:?}");
    accepted(line.ask(MANDATE, Ask::Claim).await);
}

#[tokio::test]
async fn dropping_a_line_closes_its_connection_at_once() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let front = listener.local_addr().unwrap();
    let back = Device::new().listen(None).await;
    let ended = tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut device = tokio::net::TcpStream::connect(back).await.unwrap();
        // Comes back, with bytes or with an error, only when the client has closed its side.
        drop(tokio::io::copy_bidirectional(&mut client, &mut device).await);
    });
    let line = World::line(options(front)).await;
    accepted(line.ask(MANDATE, Ask::Claim).await);
    drop(line);
    within("the close", ended).await.unwrap();
}

#[tokio::test]
async fn closing_while_the_device_hangs_does_not_wait_for_it() {
    let (device, proxy) = behind_proxy().await;
    device.on_set(|_| crate::support::Reaction::Hang);
    let mut world = World::connected(options(proxy.address)).await;
    world.send(Ask::Claim);
    while device.sets().is_empty() {
        tokio::task::yield_now().await;
    }
    world.close();
    world.expect_disconnected().await;
    world.expect_connected().await;
}
