//! Changes behind our back are noticed, by a subscription where the device has one, else by reading.

mod listener;
mod streams;

use lockstep_protocol::Ask;
use lockstep_simulator::Device;
use lockstep_simulator::faults::{Does, Feature};
use lockstep_simulator::journal::Kind;
use lockstep_southbound::Watch;
use lockstep_types::{Configuration, Content};
use serde_json::json;

use crate::support::{Proxy, World, accepted, delta, leaf, options, path, simulated};
use listener::{Listener, is, often};

async fn drift(device: &Device, at: &str, value: serde_json::Value) {
    device.drift(&path(at), Some(value)).await.unwrap();
}

#[tokio::test]
async fn drift_is_told_as_it_happens() {
    let (_simulator, device) = simulated();
    drift(&device, "/system/hostname", json!("before")).await;
    let world = World::connected(options(device.address())).await;
    let mut listener = Listener::begin(&world, Watch::default()).await;
    assert!(is("/system/hostname", Content::leaf("before"))(&listener.held));

    drift(&device, "/system/hostname", json!("after")).await;
    assert_eq!(listener.next().await, delta([leaf("/system/hostname", "after")]));
    drift(&device, "/vlans/vlan[id=7]/name", json!("seven")).await;
    let entry = (path("/vlans/vlan[id=7]"), Some(Content::Entry));
    assert_eq!(listener.next().await, delta([entry, leaf("/vlans/vlan[id=7]/name", "seven")]));
    assert_eq!(listener.whole, 1);
}

#[tokio::test]
async fn what_goes_is_told_with_all_under_it() {
    let (_simulator, device) = simulated();
    drift(&device, "/vlans/vlan[id=7]/name", json!("seven")).await;
    drift(&device, "/vlans/vlan[id=8]/name", json!("eight")).await;
    let world = World::connected(options(device.address())).await;
    let mut listener = Listener::begin(&world, Watch::default()).await;
    device.drift(&path("/vlans/vlan[id=7]"), None).await.unwrap();
    let gone = [(path("/vlans/vlan[id=7]"), None), (path("/vlans/vlan[id=7]/name"), None)];
    assert_eq!(listener.next().await, delta(gone));
    assert!(listener.held.same_values(&device.configuration()));
}

#[tokio::test]
async fn our_own_set_is_told_like_any_other() {
    let (_simulator, device) = simulated();
    let mut world = World::connected(options(device.address())).await;
    accepted(world.ask(Ask::Claim).await);
    let mut listener = Listener::begin(&world, Watch::default()).await;
    accepted(world.ask(Ask::Set(delta([leaf("/system/motd", "hello")]))).await);
    assert_eq!(listener.next().await, delta([leaf("/system/motd", "hello")]));
}

#[tokio::test]
async fn what_is_ignored_is_not_told() {
    let (_simulator, device) = simulated();
    drift(&device, "/system/motd", json!("ignored")).await;
    let world = World::connected(options(device.address())).await;
    let watch = Watch { ignore: vec![path("/system/motd"), path("/vlans/vlan/name")] };
    let mut listener = Listener::begin(&world, watch).await;
    assert!(listener.held.is_empty(), "{:?}", listener.held);
    drift(&device, "/system/motd", json!("again")).await;
    drift(&device, "/system/hostname", json!("told")).await;
    assert_eq!(listener.next().await, delta([leaf("/system/hostname", "told")]));
}

// rule: south-without-subscribe
#[tokio::test]
async fn a_device_without_subscriptions_is_read_from_time_to_time() {
    let (_simulator, device) = simulated();
    device.set_faults(Does::Lack(Feature::Subscribe).always());
    let world = World::connected(often(device.address())).await;
    let mut listener = Listener::begin(&world, Watch::default()).await;
    drift(&device, "/system/hostname", json!("after")).await;
    listener.until(is("/system/hostname", Content::leaf("after"))).await;
    device.drift(&path("/system/hostname"), None).await.unwrap();
    listener.until(Configuration::is_empty).await;
    let streams = device.journal().iter().filter(|entry| entry.kind == Kind::Subscribe).count();
    assert_eq!(streams, 1, "found out once");
}

// rule: south-without-subscribe
#[tokio::test]
async fn a_device_that_does_not_tell_of_changes_is_read() {
    let (_simulator, device) = simulated();
    device.set_faults(Does::Lack(Feature::OnChange).always());
    let world = World::connected(often(device.address())).await;
    let mut listener = Listener::begin(&world, Watch::default()).await;
    drift(&device, "/system/hostname", json!("after")).await;
    listener.until(is("/system/hostname", Content::leaf("after"))).await;
}

#[tokio::test]
async fn a_device_without_get_is_watched_all_the_same() {
    let (_simulator, device) = simulated();
    device.set_faults(Does::Lack(Feature::Get).always());
    let world = World::connected(options(device.address())).await;
    let mut listener = Listener::begin(&world, Watch::default()).await;
    drift(&device, "/system/hostname", json!("after")).await;
    assert_eq!(listener.next().await, delta([leaf("/system/hostname", "after")]));
}

#[tokio::test]
async fn a_new_connection_is_watched_too() {
    let (_simulator, device) = simulated();
    let proxy = Proxy::to(device.address()).await;
    let mut world = World::connected(options(proxy.address)).await;
    let mut listener = Listener::begin(&world, Watch::default()).await;
    proxy.cut();
    world.expect_disconnected().await;
    drift(&device, "/system/hostname", json!("meanwhile")).await;
    world.expect_connected().await;
    listener.until(is("/system/hostname", Content::leaf("meanwhile"))).await;
    assert_eq!(listener.whole, 2);
}

#[tokio::test]
async fn who_is_slow_is_told_all_of_it_at_once() {
    let (_simulator, device) = simulated();
    let world = World::connected(options(device.address())).await;
    let mut listener = Listener::begin(&world, Watch::default()).await;
    for number in 0..100 {
        drift(&device, "/system/hostname", json!(format!("h{number}"))).await;
    }
    drift(&device, "/system/motd", json!("last")).await;
    listener.until(is("/system/motd", Content::leaf("last"))).await;
    assert!(listener.held.same_values(&device.configuration()));
    assert_eq!(listener.whole, 2, "told one by one, without a bound");
}
