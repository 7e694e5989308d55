//! Answers of a device, classified. The table itself is tested where it stands; this is what reaches
//! it over the wire.

use std::time::{Duration, Instant};

use lockstep_gnmi::proto::gnmi::{self, SetRequest, SetResponse};
use lockstep_protocol::record::Failure;
use lockstep_protocol::{Answer, Ask};
use lockstep_southbound::gnmi::Options;
use lockstep_types::{Content, Keys};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tonic::metadata::MetadataMap;
use tonic::{Code, Status};

use crate::support::{
    Device, MANDATE, Proxy, Reaction, World, accepted, delta, leaf, load_shapes, options, path,
};

fn change() -> Ask {
    Ask::Set(delta([leaf("/system/hostname", "leaf1")]))
}

fn is_claim(set: &SetRequest) -> bool {
    set.delete.is_empty() && set.replace.is_empty() && set.update.is_empty()
}

async fn to_set(status: Status) -> Answer {
    let device = Device::new();
    device.on_set(move |_| Reaction::Refuse(status.clone()));
    let line = World::line(options(device.listen(None).await)).await;
    line.ask(MANDATE, change()).await
}

#[tokio::test]
async fn accepted_is_accepted() {
    let line = World::line(options(Device::new().listen(None).await)).await;
    accepted(line.ask(MANDATE, Ask::Claim).await);
    accepted(line.ask(MANDATE, change()).await);
}

#[tokio::test]
async fn refusals_carry_the_devices_words() {
    let failure = |code: &str| Failure { code: code.into(), message: "my words".into() };
    for (code, name) in [
        (Code::InvalidArgument, "INVALID_ARGUMENT"),
        (Code::Aborted, "ABORTED"),
        (Code::Internal, "INTERNAL"),
        (Code::Unknown, "UNKNOWN"),
    ] {
        let answer = to_set(Status::new(code, "my words")).await;
        assert_eq!(answer, Answer::Refused(failure(name)));
    }
}

#[tokio::test]
async fn an_interrupted_set_is_unknown_and_a_full_device_is_busy() {
    assert_eq!(to_set(Status::unavailable("restarting")).await, Answer::Unknown);
    assert_eq!(to_set(Status::cancelled("restarting")).await, Answer::Unknown);
    assert_eq!(to_set(Status::resource_exhausted("8 sessions")).await, Answer::Busy);
}

// rule: south-denied
#[tokio::test]
async fn denied_means_fenced_if_the_claim_is_denied_too() {
    assert_eq!(to_set(Status::permission_denied("not the master")).await, Answer::Fenced);
}

// rule: south-denied
#[tokio::test]
async fn denied_means_refused_if_the_claim_is_accepted() {
    let device = Device::new();
    device.on_set(|set| {
        if is_claim(set) {
            Reaction::Answer(SetResponse::default())
        } else {
            Reaction::Refuse(Status::permission_denied("read-only user"))
        }
    });
    let line = World::line(options(device.listen(None).await)).await;
    let (code, message) = ("PERMISSION_DENIED".into(), "read-only user".into());
    let answer = line.ask(MANDATE, change()).await;
    assert_eq!(answer, Answer::Refused(Failure { code, message }));
    assert_eq!(device.sets().len(), 2);
    assert_eq!(device.sets()[0].extension, device.sets()[1].extension);
}

#[tokio::test]
#[allow(deprecated, reason = "old devices")]
async fn a_refusal_inside_an_answer_is_heard() {
    let device = Device::new();
    device.on_set(|_| {
        let error = gnmi::Error { code: 3, message: "bad leaf".into(), data: None };
        Reaction::Answer(SetResponse { message: Some(error), ..Default::default() })
    });
    let line = World::line(options(device.listen(None).await)).await;
    let (code, message) = ("INVALID_ARGUMENT".into(), "bad leaf".into());
    let answer = line.ask(MANDATE, change()).await;
    assert_eq!(answer, Answer::Refused(Failure { code, message }));
}

#[tokio::test]
async fn a_device_that_hangs_leaves_the_outcome_unknown() {
    let device = Device::new();
    device.on_set(|_| Reaction::Hang);
    let timeout = Duration::from_millis(300);
    let address = device.listen(None).await;
    let mut world = World::connected(Options { timeout, ..options(address) }).await;
    let began = Instant::now();
    assert_eq!(world.ask(change()).await, Answer::Unknown);
    assert!(began.elapsed() >= timeout && began.elapsed() < timeout * 10, "{:?}", began.elapsed());

    // Rule 7: the core closes the connection, and a new one comes.
    world.close();
    world.expect_disconnected().await;
    world.expect_connected().await;
}

#[tokio::test]
async fn a_connection_that_breaks_under_a_set_leaves_the_outcome_unknown() {
    let device = Device::new();
    let (asked, mut was_asked) = tokio::sync::mpsc::unbounded_channel();
    device.on_set(move |_| {
        asked.send(()).unwrap();
        Reaction::Hang
    });
    let proxy = Proxy::to(device.listen(None).await).await;
    let line = World::line(options(proxy.address)).await;
    let (answer, ()) = tokio::join!(line.ask(MANDATE, change()), async {
        was_asked.recv().await.unwrap();
        proxy.cut();
    });
    assert_eq!(answer, Answer::Unknown);
    let answer = line.ask(MANDATE, change()).await;
    assert_eq!(answer, Answer::Unknown, "a line never becomes another");
    assert_eq!(proxy.accepted(), 1);
}

#[tokio::test]
async fn what_is_no_grpc_is_no_device() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut buffer = [0; 1024];
            let _ = stream.read(&mut buffer).await;
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    let world = World::start(options(address));
    while world.link.failure().as_deref() == Some("not tried yet") {
        tokio::task::yield_now().await;
    }
    assert!(world.link.failure().is_some());
}

/// What a device was told of how long it is waited for.
fn waited_for(metadata: &MetadataMap) -> Duration {
    let told = metadata.get("grpc-timeout").unwrap().to_str().unwrap();
    let (number, unit) = told.split_at(told.len() - 1);
    let number: u64 = number.parse().unwrap();
    match unit {
        "n" => Duration::from_nanos(number),
        "u" => Duration::from_micros(number),
        "m" => Duration::from_millis(number),
        "S" => Duration::from_secs(number),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn what_has_to_be_read_first_is_taken_off_the_time_for_the_set() {
    let device = Device::new();
    let options = options(device.listen(None).await);
    let timeout = options.timeout;
    let mut world = World::start_with(options, load_shapes());
    world.expect_connected().await;
    let order = Content::Order([Keys::from([("name".to_owned(), "a".to_owned())])].into());
    let rules = [
        (path("/top/rule"), Some(order)),
        (path("/top/rule[name=a]"), Some(Content::Entry)),
        leaf("/top/rule[name=a]/action", "drop"),
    ];
    accepted(world.ask(Ask::Set(delta(rules))).await);
    assert_eq!((device.gets().len(), device.sets().len()), (1, 1));
    let told = device.metadata();
    assert!(waited_for(told.last().unwrap()) < timeout, "{told:?}");
}
