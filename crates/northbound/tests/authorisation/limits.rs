//! How much one call may ask for.

use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::subscribe_request::Request as Message;
use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi::{
    Encoding, GetRequest, Path, SubscribeRequest, SubscribeResponse, Subscription, SubscriptionList,
};
use lockstep_northbound::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};

use super::ask::wire;
use super::lab::Lab;
use super::page::Page;

fn asked(path: Vec<Path>) -> GetRequest {
    let encoding = Encoding::JsonIetf.into();
    GetRequest { path, encoding, r#type: DataType::Config.into(), ..GetRequest::default() }
}

// rule: limit-paths
#[tokio::test(flavor = "multi_thread")]
async fn a_call_has_so_many_paths_and_no_more() {
    let lab = Lab::start(Page::read().roles()).await;
    lab.reset().await;
    let paths = |count| vec![wire("leaf1", "/system"); count];
    let most = lab.gnmi("root").get(asked(paths(1000))).await.unwrap().into_inner();
    assert_eq!(most.notification.len(), 1000);
    let refused = lab.gnmi("root").get(asked(paths(1001))).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(refused.message().contains("up to 1000 paths"), "{refused}");

    let subscribe = async |count| {
        let one = |path| Subscription { path: Some(path), ..Subscription::default() };
        let list = SubscriptionList {
            subscription: paths(count).into_iter().map(one).collect(),
            mode: Mode::Once.into(),
            encoding: Encoding::Proto.into(),
            ..SubscriptionList::default()
        };
        let request = Some(Message::Subscribe(list));
        let request = SubscribeRequest { request, ..SubscribeRequest::default() };
        let mut client = lab.gnmi("root");
        let mut told = client.subscribe(tokio_stream::iter([request])).await?.into_inner();
        told.message().await
    };
    assert!(subscribe(1000).await.is_ok());
    let refused = subscribe(1001).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(refused.message().contains("up to 1000 subscriptions"), "{refused}");
    lab.stop().await;
}

// rule: limit-answer
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_does_not_fit_is_given_up_before_it_is_whole() {
    let limits = Limits { message: 16 << 10, ..Limits::default() };
    let lab = Lab::within(Page::read().roles(), limits).await;
    lab.reset().await;
    // What comes last is never looked at, or that would be what is wrong.
    let mut paths = vec![wire("leaf1", "/"); 300];
    paths.push(wire("leaf1", "/nonsense"));
    let refused = lab.gnmi("root").get(asked(paths)).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted, "{refused}");
    lab.stop().await;
}

/// Both halves of a subscription.
type Open = (Streaming<SubscribeResponse>, mpsc::Sender<SubscribeRequest>);

/// A subscription that stays open until both are dropped.
async fn subscribed(lab: &Lab, who: &str) -> Result<Open, Status> {
    let one = Subscription { path: Some(wire("leaf1", "/vlans")), ..Subscription::default() };
    let list = SubscriptionList { subscription: vec![one], ..SubscriptionList::default() };
    let first = SubscribeRequest { request: Some(Message::Subscribe(list)), extension: vec![] };
    let (requests, sent) = mpsc::channel(1);
    requests.send(first).await.unwrap();
    let mut told = lab.gnmi(who).subscribe(ReceiverStream::new(sent)).await?.into_inner();
    told.message().await?;
    Ok((told, requests))
}

// rule: limit-share
#[tokio::test(flavor = "multi_thread")]
async fn one_identity_has_half_of_the_subscriptions() {
    let limits = Limits { subscriptions: 4, ..Limits::default() };
    let lab = Lab::within(Page::read().roles(), limits).await;
    lab.reset().await;
    let first = [subscribed(&lab, "root").await.unwrap(), subscribed(&lab, "root").await.unwrap()];
    let refused = subscribed(&lab, "root").await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    assert!(refused.message().contains("root has 2 subscriptions open"), "{refused}");
    // There is room for others, up to all there is.
    let other =
        [subscribed(&lab, "reader").await.unwrap(), subscribed(&lab, "tagged").await.unwrap()];
    let refused = subscribed(&lab, "keeper").await.unwrap_err();
    assert!(refused.message().contains("4 subscriptions are open"), "{refused}");
    drop(first);
    lab.eventually(async || subscribed(&lab, "root").await.is_ok()).await;
    drop(other);
    lab.stop().await;
}

/// Whether a connection stays open, and can be spoken on.
async fn connects(lab: &Lab) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(lab.listens()).await.ok()?;
    let mut answer = [0; 1];
    stream.write_all(PREFACE).await.ok()?;
    stream.read_exact(&mut answer).await.ok()?;
    Some(stream)
}

/// What every client of HTTP/2 says first, and that it has nothing to set.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

// rule: limit-connections
#[tokio::test(flavor = "multi_thread")]
async fn one_network_has_half_of_the_connections() {
    let limits = Limits { connections: 6, ..Limits::default() };
    let lab = Lab::within(Page::read().roles(), limits).await;
    // The lab has one itself.
    let held = [connects(&lab).await, connects(&lab).await];
    assert!(held.iter().all(Option::is_some));
    assert!(connects(&lab).await.is_none());
    // Who is connected goes on as before.
    lab.reset().await;
    drop(held);
    lab.eventually(async || connects(&lab).await.is_some()).await;
    lab.stop().await;
}

// rule: limit-streams
#[tokio::test(flavor = "multi_thread")]
async fn a_connection_has_so_many_calls_at_once() {
    let lab = Lab::start(Page::read().roles()).await;
    let mut stream = TcpStream::connect(lab.listens()).await.unwrap();
    stream.write_all(PREFACE).await.unwrap();
    // A frame of settings: its length, type 4, flags, stream; then a number of two bytes and a value of four each.
    let mut head = [0; 9];
    stream.read_exact(&mut head).await.unwrap();
    assert_eq!(head[3], 4);
    let mut settings = vec![0; usize::from(u16::from_be_bytes([head[1], head[2]]))];
    stream.read_exact(&mut settings).await.unwrap();
    let streams = settings.chunks(6).find(|one| one[..2] == [0, 3]).unwrap();
    assert_eq!(streams[2..], 256_u32.to_be_bytes());
    drop(stream);
    lab.stop().await;
}
