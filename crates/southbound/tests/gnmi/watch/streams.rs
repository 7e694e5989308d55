//! Devices that tell of changes in their own way.

use std::time::Duration;

use lockstep_gnmi::proto::gnmi::{
    GetResponse, Notification, SetResponse, SubscribeResponse, SubscriptionMode, Update,
    subscribe_response,
};
use lockstep_gnmi::{path as wire, value};
use lockstep_protocol::{Answer, Ask};
use lockstep_southbound::gnmi::Options;
use lockstep_southbound::{Notice, Watch};
use lockstep_types::{Configuration, Content, Path};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tonic::Status;

use super::listener::{Listener, is, often};
use crate::support::{
    Changes, Device, Reaction, World, accepted, delta, leaf, load_shapes, options, path, within,
};

type Told = Result<SubscribeResponse, Status>;

fn message(response: subscribe_response::Response) -> SubscribeResponse {
    SubscribeResponse { response: Some(response), ..Default::default() }
}

fn synchronised() -> SubscribeResponse {
    message(subscribe_response::Response::SyncResponse(true))
}

fn notification(updates: &[(&str, serde_json::Value)], deletes: &[&str]) -> Notification {
    let update = updates.iter().map(|(at, json)| Update {
        path: Some(wire::write(&path(at))),
        val: Some(value::json(json, true)),
        ..Default::default()
    });
    let delete = deletes.iter().map(|at| wire::write(&path(at))).collect();
    Notification { update: update.collect(), delete, ..Default::default() }
}

fn change(updates: &[(&str, serde_json::Value)], deletes: &[&str]) -> SubscribeResponse {
    message(subscribe_response::Response::Update(notification(updates, deletes)))
}

/// A stream that tells this, and whatever the test says next.
fn stream(told: &[SubscribeResponse]) -> (mpsc::UnboundedSender<Told>, Changes) {
    let (sender, changes) = mpsc::unbounded_channel();
    told.iter().for_each(|told| sender.send(Ok(told.clone())).unwrap());
    (sender, changes)
}

/// What Get answers: a host name that counts how often it was asked.
fn counting(device: &Device) {
    let mut count = 0;
    device.on_get(move |_| {
        count += 1;
        let held = json!({ "lab:system": { "hostname": format!("h{count}") } });
        let notification = vec![notification(&[("/", held)], &[])];
        Reaction::Answer(GetResponse { notification, ..Default::default() })
    });
}

#[tokio::test]
async fn who_listens_no_more_ends_the_subscription() {
    let device = Device::new();
    let (opened, mut streams) = mpsc::unbounded_channel();
    device.on_stream(move |_| {
        let (sender, changes) = stream(&[synchronised()]);
        opened.send(sender).unwrap();
        Ok(changes)
    });
    let world = World::connected(options(device.listen(None).await)).await;
    let listener = Listener::begin(&world, Watch::default()).await;
    let first = streams.recv().await.unwrap();
    drop(listener);
    within("the end of the first", first.closed()).await;

    // Another takes the place of the one before.
    let mut before = Listener::begin(&world, Watch::default()).await;
    let after = Listener::begin(&world, Watch::default()).await;
    assert!(within("the end", before.told.recv()).await.is_none());
    drop(after);
}

#[tokio::test]
async fn only_configuration_is_asked_for_and_only_changes() {
    let device = Device::new();
    let (asked, mut lists) = mpsc::unbounded_channel();
    device.on_stream(move |list| {
        asked.send(list.clone()).unwrap();
        let state = [("/system/uptime", json!("7")), ("/system/motd", json!("x"))];
        let (sender, changes) = stream(&[
            // A device that tells what stands although it was asked not to.
            change(&[("/system/hostname", json!("stands"))], &[]),
            synchronised(),
            change(&state[..1], &["/system/uptime", "/vendor:box"]),
            change(&state, &[]),
        ]);
        std::mem::forget(sender);
        Ok(changes)
    });
    let world = World::connected(options(device.listen(None).await)).await;
    let mut listener = Listener::begin(&world, Watch::default()).await;
    assert!(listener.held.is_empty(), "Get is what counts");
    assert_eq!(listener.next().await, delta([leaf("/system/motd", "x")]));
    let list = lists.recv().await.unwrap();
    assert!(list.updates_only);
    assert_eq!(list.subscription[0].mode(), SubscriptionMode::OnChange);
}

#[tokio::test]
async fn a_stream_that_dies_alone_is_taken_up_again() {
    let device = Device::new();
    counting(&device);
    let mut streams = 0;
    device.on_stream(move |_| {
        streams += 1;
        let (sender, changes) = stream(&[synchronised()]);
        match streams {
            1 => drop(sender),
            2 => sender.send(Err(Status::internal("a bad day"))).unwrap(),
            3 => return Err(Status::unavailable("not now")),
            _ => std::mem::forget(sender),
        }
        Ok(changes)
    });
    let world = World::connected(options(device.listen(None).await)).await;
    let mut listener = Listener::begin(&world, Watch::default()).await;
    // All is read anew each time, for something may have been missed.
    listener.until(is("/system/hostname", Content::leaf("h3"))).await;
    assert_eq!(device.gets().len(), 3);
    assert_eq!(world.link.failure(), None, "the connection is still the first");
}

#[tokio::test]
async fn a_stream_that_never_lasts_gives_way_to_reading() {
    let device = Device::new();
    counting(&device);
    let (opened, streams) = std::sync::mpsc::channel();
    device.on_stream(move |_| {
        opened.send(()).unwrap();
        Err(Status::unavailable("never"))
    });
    let world = World::connected(often(device.listen(None).await)).await;
    let mut listener = Listener::begin(&world, Watch::default()).await;
    listener.until(is("/system/hostname", Content::leaf("h3"))).await;
    assert_eq!(streams.try_iter().count(), 5);
}

#[tokio::test]
async fn a_device_that_never_is_synchronised_is_read() {
    let device = Device::new();
    counting(&device);
    device.on_stream(|_| {
        let (sender, changes) = stream(&[]);
        std::mem::forget(sender);
        Ok(changes)
    });
    let timeout = Duration::from_secs(1);
    let options = Options { timeout, ..often(device.listen(None).await) };
    let world = World::connected(options).await;
    Listener::begin(&world, Watch::default()).await;
}

#[tokio::test]
async fn a_device_that_tells_for_ever_what_stands_is_read() {
    let device = Device::new();
    counting(&device);
    device.on_stream(|_| {
        let (sender, changes) = stream(&[]);
        tokio::spawn(async move {
            let mut pace = tokio::time::interval(Duration::from_millis(100));
            while sender.send(Ok(change(&[("/system/motd", json!("x"))], &[]))).is_ok() {
                pace.tick().await;
            }
        });
        Ok(changes)
    });
    let timeout = Duration::from_secs(1);
    let options = Options { timeout, ..often(device.listen(None).await) };
    let world = World::connected(options).await;
    Listener::begin(&world, Watch::default()).await;
}

#[tokio::test]
async fn what_was_read_while_the_node_changed_it_is_not_told() {
    let device = Device::new();
    let (answer, late) = oneshot::channel();
    let mut late = Some(late);
    device.on_get(move |_| {
        let held = |text| {
            let held = json!({ "lab:system": { "motd": text } });
            let notification = vec![notification(&[("/", held)], &[])];
            GetResponse { notification, ..Default::default() }
        };
        match late.take() {
            Some(late) => Reaction::Late(late, held("before")),
            None => Reaction::Answer(held("after")),
        }
    });
    let mut world = World::connected(often(device.listen(None).await)).await;
    let mut told = world.link.watch(Watch::default());
    within("the read", async {
        while device.gets().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    accepted(world.ask(Ask::Set(delta([leaf("/system/motd", "after")]))).await);
    answer.send(()).unwrap();
    let noticed = within("a notice", told.recv()).await.unwrap();
    let after = [(path("/system/motd"), Content::leaf("after"))].into_iter().collect();
    assert_eq!(noticed.notice, Notice::All(Box::new(after)));
}

#[tokio::test]
async fn state_that_cannot_be_understood_costs_nothing() {
    let device = Device::new();
    let state = Update {
        path: Some(wire::write(&path("/system/uptime"))),
        val: Some(value::double(f64::NAN)),
        ..Default::default()
    };
    let state = Notification { update: vec![state], ..Default::default() };
    device.on_stream(move |_| {
        let state = message(subscribe_response::Response::Update(state.clone()));
        let (sender, changes) =
            stream(&[synchronised(), state, change(&[("/system/motd", json!("x"))], &[])]);
        std::mem::forget(sender);
        Ok(changes)
    });
    let world = World::connected(options(device.listen(None).await)).await;
    let mut listener = Listener::begin(&world, Watch::default()).await;
    assert_eq!(listener.next().await, delta([leaf("/system/motd", "x")]));
    assert_eq!(device.gets().len(), 1);
}

#[tokio::test]
async fn a_device_that_cannot_be_read_at_first_is_asked_again() {
    let device = Device::new();
    let mut asked = 0;
    device.on_get(move |_| {
        asked += 1;
        match asked {
            1 => Reaction::Refuse(Status::resource_exhausted("8 sessions")),
            _ => Reaction::Answer(GetResponse::default()),
        }
    });
    device.on_stream(|_| {
        let (sender, changes) = stream(&[synchronised()]);
        std::mem::forget(sender);
        Ok(changes)
    });
    let world = World::connected(options(device.listen(None).await)).await;
    Listener::begin(&world, Watch::default()).await;
    assert_eq!(device.gets().len(), 2);
}

#[tokio::test]
async fn who_watches_does_not_hold_up_the_node() {
    let device = Device::new();
    device.on_stream(|_| {
        let (sender, changes) = stream(&[synchronised()]);
        std::mem::forget(sender);
        Ok(changes)
    });
    device.on_get(|_| Reaction::Hang);
    let mut world = World::connected(options(device.listen(None).await)).await;
    let _told = world.link.watch(Watch::default());
    within("the read", async {
        while device.gets().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    accepted(world.ask(Ask::Claim).await);
}

#[tokio::test]
async fn a_device_is_not_read_while_the_node_waits_for_it() {
    let device = Device::new();
    device.on_set(|set| match set.update.is_empty() {
        true => Reaction::Answer(SetResponse::default()),
        false => Reaction::Hang,
    });
    let timeout = Duration::from_secs(1);
    let options = Options { timeout, ..often(device.listen(None).await) };
    let mut world = World::connected(options).await;
    let _listener = Listener::begin(&world, Watch::default()).await;
    let sent = async {
        while device.sets().is_empty() {
            tokio::task::yield_now().await;
        }
        device.gets().len()
    };
    let change = Ask::Set(delta([leaf("/system/motd", "x")]));
    let (answer, before) = tokio::join!(world.ask(change), sent);
    assert_eq!(answer, Answer::Unknown);
    // One may have been under way already, and one may have begun since.
    assert!(device.gets().len() <= before + 2, "{} after {before}", device.gets().len());
}

#[tokio::test]
async fn an_entry_of_an_ordered_list_leaves_the_others_in_their_order() {
    let device = Device::new();
    let rules = json!({ "shapes:top": { "rule": [ { "name": "b" }, { "name": "a" } ] } });
    device.on_get(move |_| {
        let notification = vec![notification(&[("/", rules.clone())], &[])];
        Reaction::Answer(GetResponse { notification, ..Default::default() })
    });
    device.on_stream(|_| {
        let action = change(&[("/top/rule[name=a]/action", json!("drop"))], &[]);
        let more =
            change(&[("/top/rule[name=0]/action", json!("pass"))], &["/top/rule[name=b]/name"]);
        let (sender, changes) = stream(&[synchronised(), action, more]);
        std::mem::forget(sender);
        Ok(changes)
    });
    let mut world = World::start_with(options(device.listen(None).await), load_shapes());
    world.expect_connected().await;
    let mut listener = Listener::begin(&world, Watch::default()).await;
    assert_eq!(listener.next().await, delta([leaf("/top/rule[name=a]/action", "drop")]));
    listener.next().await;
    assert_eq!(order(&listener.held), ["a", "0"], "the key of `b` went, and so did `b`");
}

fn order(held: &Configuration) -> Vec<String> {
    let list: Path = path("/top/rule");
    let Some(Content::Order(order)) = held.get(&list) else { panic!("no order: {held:?}") };
    order.iter().map(|keys| keys.get("name").unwrap().clone()).collect()
}
