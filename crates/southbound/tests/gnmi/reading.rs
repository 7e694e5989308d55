//! What a device reports, in the several ways in which devices do.

use lockstep_gnmi::proto::gnmi::{
    GetRequest, GetResponse, Notification, TypedValue, Update, get_request, typed_value,
};
use lockstep_gnmi::{path as wire, value};
use lockstep_protocol::{Answer, Ask};
use lockstep_types::{Configuration, Content};
use serde_json::{Value, json};
use tonic::Status;
use tonic::transport::Server;

use crate::support::{Device, MANDATE, Reaction, World, options, path};

fn update(at: &str, val: TypedValue) -> Update {
    Update { path: Some(wire::write(&path(at))), val: Some(val), ..Default::default() }
}

fn notification(prefix: &str, updates: Vec<Update>) -> Notification {
    let prefix = Some(wire::write(&path(prefix)));
    Notification { prefix, update: updates, ..Default::default() }
}

async fn read(react: impl FnMut(&GetRequest) -> Reaction<GetResponse> + Send + 'static) -> Answer {
    let device = Device::new();
    device.on_get(react);
    let line = World::line(options(device.listen(None).await)).await;
    let answer = line.ask(MANDATE, Ask::Read).await;
    let get = &device.gets()[0];
    assert_eq!(get.r#type(), get_request::DataType::Config);
    assert!(get.path.len() == 1 && get.path[0].elem.is_empty());
    answer
}

async fn reported(notifications: Vec<Notification>) -> Answer {
    let response = GetResponse { notification: notifications, ..Default::default() };
    read(move |_| Reaction::Answer(response.clone())).await
}

fn lab() -> Value {
    json!({
        "lab:system": { "hostname": "leaf1", "name-server": ["b", "a"] },
        "lab:vlans": { "vlan": [ { "id": 7, "name": "seven" } ] },
    })
}

fn units() -> Configuration {
    let units = [
        ("/system/hostname", Content::leaf("leaf1")),
        ("/system/name-server", Content::leaf_list(["b", "a"])),
        ("/vlans/vlan[id=7]", Content::Entry),
        ("/vlans/vlan[id=7]/name", Content::leaf("seven")),
    ];
    units.into_iter().map(|(at, content)| (path(at), content)).collect()
}

#[tokio::test]
async fn all_in_one_value() {
    let whole = vec![notification("/", vec![update("/", value::json(&lab(), true))])];
    assert_eq!(reported(whole).await, Answer::Values(units()));
}

#[tokio::test]
async fn leaf_by_leaf_under_a_prefix() {
    let text =
        |text: &str| TypedValue { value: Some(typed_value::Value::StringVal(text.to_owned())) };
    let pieces = vec![
        notification("/system", vec![update("/hostname", text("leaf1"))]),
        notification(
            "/",
            vec![
                update("/system/name-server", value::json(&json!(["b", "a"]), true)),
                update("/vlans/vlan[id=7]/name", text("seven")),
            ],
        ),
    ];
    assert_eq!(reported(pieces).await, Answer::Values(units()));
}

#[tokio::test]
async fn what_is_state_or_outside_the_models_is_left_out() {
    let more = json!({
        "lab:system": { "hostname": "leaf1", "uptime": "5", "colour": "red" },
        "vendor:secrets": { "x": 1 },
    });
    let whole = vec![notification("/", vec![update("/", value::json(&more, true))])];
    let hostname = (path("/system/hostname"), Content::leaf("leaf1"));
    assert_eq!(reported(whole).await, Answer::Values([hostname].into_iter().collect()));
}

#[tokio::test]
async fn nothing_at_all_however_it_is_said() {
    let nothing = Answer::Values(Configuration::new());
    assert_eq!(reported(vec![]).await, nothing);
    assert_eq!(read(|_| Reaction::Refuse(Status::not_found("no data"))).await, nothing);
}

#[tokio::test]
async fn a_value_that_does_not_fit_the_models_is_left_out() {
    let wrong =
        json!({ "lab:vlans": { "vlan": [ { "id": 70000 }, { "id": 7, "name": "seven" } ] } });
    let whole = vec![notification("/", vec![update("/", value::json(&wrong, true))])];
    let Answer::Values(seen) = reported(whole).await else { panic!("not read") };
    assert_eq!(seen.len(), 2, "{seen:?}");
}

#[tokio::test]
async fn a_path_that_is_not_in_the_models_is_left_out() {
    let vendor = update("/vendor:box/slot[id=1]", value::json(&json!({ "x": 1 }), true));
    let lab = update("/", value::json(&lab(), true));
    let whole = vec![notification("/", vec![vendor, lab])];
    assert_eq!(reported(whole).await, Answer::Values(units()));
}

#[tokio::test]
async fn what_is_left_out_may_be_encoded_in_any_way() {
    let strange = [
        typed_value::Value::ProtoBytes(vec![1, 2]),
        typed_value::Value::AsciiVal("5 days".to_owned()),
        typed_value::Value::AnyVal(Default::default()),
        typed_value::Value::DoubleVal(f64::NAN),
    ];
    for value in strange {
        let strange = || TypedValue { value: Some(value.clone()) };
        let lab = update("/", value::json(&lab(), true));
        let left_out =
            vec![update("/system/uptime", strange()), update("/vendor:box/x", strange()), lab];
        let whole = vec![notification("/", left_out)];
        assert_eq!(reported(whole.clone()).await, Answer::Values(units()), "{value:?}");
        // What is wanted has to be understood.
        let motd = vec![notification("/", vec![update("/system/motd", strange())])];
        assert!(matches!(reported(motd).await, Answer::Refused(_)), "{value:?}");
    }
}

#[tokio::test]
async fn a_value_that_is_not_json_is_quoted() {
    let text = TypedValue { value: Some(typed_value::Value::JsonIetfVal(b"{oops".to_vec())) };
    let whole = vec![notification("/", vec![update("/", text)])];
    let Answer::Refused(failure) = reported(whole).await else { panic!("not refused") };
    assert!(failure.message.contains("is not JSON"), "{failure:?}");
}

#[tokio::test]
async fn a_device_that_cannot_be_read_says_so() {
    let answer = read(|_| Reaction::Refuse(Status::unimplemented("use Subscribe"))).await;
    let Answer::Refused(failure) = answer else { panic!("not refused") };
    assert_eq!((&*failure.code, &*failure.message), ("UNIMPLEMENTED", "use Subscribe"));
    let busy = read(|_| Reaction::Refuse(Status::unavailable("booting"))).await;
    assert_eq!(busy, Answer::Busy);
}

// rule: south-without-get
#[tokio::test]
async fn a_device_without_get_is_read_by_subscribe() {
    let device = Device::new();
    device.on_get(|_| Reaction::Refuse(Status::unimplemented("no Get")));
    device.tells(vec![notification("/", vec![update("/", value::json(&lab(), true))])]);
    let line = World::line(options(device.listen(None).await)).await;
    assert_eq!(line.ask(MANDATE, Ask::Read).await, Answer::Values(units()));
}

// rule: south-without-get
#[tokio::test]
async fn a_device_that_does_not_tell_configuration_from_state_is_read_as_a_whole() {
    let device = Device::new();
    let more = json!({ "lab:system": { "hostname": "leaf1", "uptime": "5" } });
    let whole = vec![notification("/", vec![update("/", value::json(&more, true))])];
    let response = GetResponse { notification: whole, ..Default::default() };
    device.on_get(move |get| match get.r#type() {
        get_request::DataType::All => Reaction::Answer(response.clone()),
        other => Reaction::Refuse(Status::unimplemented(format!("no {other:?}"))),
    });
    let line = World::line(options(device.listen(None).await)).await;
    let hostname = [(path("/system/hostname"), Content::leaf("leaf1"))].into_iter().collect();
    for _ in 0..2 {
        let hostname = Configuration::clone(&hostname);
        assert_eq!(line.ask(MANDATE, Ask::Read).await, Answer::Values(hostname));
    }
    assert_eq!(device.gets().len(), 3, "found out once");
}

// rule: south-one-connection
#[tokio::test]
async fn a_device_with_room_for_few_calls_is_read_any_number_of_times() {
    let device = Device::new();
    device.on_get(|_| Reaction::Refuse(Status::unimplemented("no Get")));
    device.tells(vec![notification("/", vec![update("/", value::json(&lab(), true))])]);
    let narrow = Server::builder().max_concurrent_streams(2);
    let line = World::line(options(device.listen_as(narrow).await)).await;
    for _ in 0..10 {
        assert_eq!(line.ask(MANDATE, Ask::Read).await, Answer::Values(units()));
    }
}

#[tokio::test]
async fn a_configuration_too_large_for_one_message_is_read_by_subscribe() {
    let device = Device::new();
    device.on_get(|_| {
        let words = "trying to send message larger than max (5000000 vs. 4194304)";
        Reaction::Refuse(Status::resource_exhausted(words))
    });
    device.tells(vec![notification("/", vec![update("/", value::json(&lab(), true))])]);
    let line = World::line(options(device.listen(None).await)).await;
    assert_eq!(line.ask(MANDATE, Ask::Read).await, Answer::Values(units()));
}

#[tokio::test]
async fn a_large_configuration_comes_in_one_message() {
    let motd = "x".repeat(6 << 20);
    let whole = json!({ "lab:system": { "motd": motd } });
    let whole = vec![notification("/", vec![update("/", value::json(&whole, true))])];
    let Answer::Values(units) = reported(whole).await else { panic!("no values") };
    let Some(Content::Leaf(value)) = units.get(&path("/system/motd")) else { panic!("no motd") };
    assert_eq!(value.to_string().len(), 6 << 20);
}
