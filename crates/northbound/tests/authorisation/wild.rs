//! Every target is every target that somebody may read, also of those that come later.

use lockstep_gnmi::proto::gnmi::subscribe_request::Request as Message;
use lockstep_gnmi::proto::gnmi::subscribe_response::Response;
use lockstep_gnmi::proto::gnmi::{SubscribeRequest, Subscription, SubscriptionList};
use lockstep_gnmi::proto::lockstep::v1::AddTargetRequest;
use prost_types::value::Kind;
use prost_types::{Struct, Value};
use tokio_stream::StreamExt;

use super::ask::wire;
use super::lab::Lab;
use super::page::Page;

// rule: target-all-later
#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_comes_is_told_to_those_who_may_read_it() {
    let lab = Lab::start(Page::read().roles()).await;
    lab.reset().await;
    // On the leaves, by name.
    let mut client = lab.gnmi("ports");
    let one = Subscription { path: Some(wire("*", "/interfaces")), ..Subscription::default() };
    let list = SubscriptionList { subscription: vec![one], ..SubscriptionList::default() };
    let first = SubscribeRequest { request: Some(Message::Subscribe(list)), extension: vec![] };
    // The client's half stays open.
    let requests = tokio_stream::once(first).chain(tokio_stream::pending());
    let mut told = client.subscribe(requests).await.unwrap().into_inner();
    let mut next = async || match told.message().await.unwrap().unwrap().response {
        Some(Response::Update(told)) => Some(told.prefix.unwrap().target),
        _ => None,
    };
    while next().await.is_some() {}
    for name in ["extra", "leaf9"] {
        let address = Value { kind: Some(Kind::StringValue(lab.address("leaf1"))) };
        let options = Some(Struct { fields: [("address".to_owned(), address)].into() });
        let request =
            AddTargetRequest { name: name.into(), options, ..AddTargetRequest::default() };
        lab.admin("root").add_target(request).await.unwrap();
    }
    // Had the other been told, it would have been first.
    assert_eq!(next().await.as_deref(), Some("leaf9"));
    drop(told);
    lab.stop().await;
}
