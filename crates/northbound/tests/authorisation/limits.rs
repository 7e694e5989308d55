//! How much one call may ask for.

use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::subscribe_request::Request as Message;
use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi::{
    Encoding, GetRequest, Path, SubscribeRequest, Subscription, SubscriptionList,
};
use lockstep_northbound::Limits;
use tonic::Code;

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
