//! Reading by Subscribe, for devices that have no Get.

use lockstep_gnmi::proto::gnmi::subscribe_request::Request as Kind;
use lockstep_gnmi::proto::gnmi::subscribe_response::Response as Told;
use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi::{
    GetRequest, GetResponse, SubscribeRequest, Subscription, SubscriptionList,
};
use tokio_stream::StreamExt;
use tonic::{Request, Status};

use super::Client;

/// What a Get would have answered, from a subscription that ends when all was told once. State comes
/// along and is left out when it is read.
pub(super) async fn read(
    mut client: Client,
    get: Request<GetRequest>,
) -> Result<GetResponse, Status> {
    let request = get.map(|get| {
        // Some devices take the end of our side for that of the subscription.
        tokio_stream::once(subscribe(get)).chain(tokio_stream::pending())
    });
    let mut told = client.subscribe(request).await?.into_inner();
    let mut response = GetResponse::default();
    while let Some(message) = told.message().await? {
        match message.response {
            Some(Told::Update(notification)) => response.notification.push(notification),
            Some(Told::SyncResponse(true)) => return Ok(response),
            _ => {}
        }
    }
    Err(Status::unavailable("the device ended the subscription before it had told all"))
}

fn subscribe(get: GetRequest) -> SubscribeRequest {
    let wanted = |path| Subscription { path: Some(path), ..Subscription::default() };
    let list = SubscriptionList {
        subscription: get.path.into_iter().map(wanted).collect(),
        mode: Mode::Once.into(),
        encoding: get.encoding,
        ..SubscriptionList::default()
    };
    SubscribeRequest { request: Some(Kind::Subscribe(list)), ..SubscribeRequest::default() }
}
