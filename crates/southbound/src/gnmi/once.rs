//! Reading by Subscribe, for devices that have no Get.

use lockstep_gnmi::proto::gnmi::subscribe_request::Request as Kind;
use lockstep_gnmi::proto::gnmi::subscribe_response::Response as Told;
use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi::{
    self, GetRequest, GetResponse, SubscribeRequest, SubscriptionList,
};
use tonic::{Request, Status};

use super::Client;
use super::subscription::Subscription;

/// What a Get would have answered, from a subscription that ends when all was told once. State comes
/// along and is left out when it is read.
pub(super) async fn read(client: Client, get: Request<GetRequest>) -> Result<GetResponse, Status> {
    let mut told = Subscription::begin(client, get.map(subscribe)).await?;
    let mut response = GetResponse::default();
    while let Some(message) = told.next().await? {
        match message.response {
            Some(Told::Update(notification)) => response.notification.push(notification),
            Some(Told::SyncResponse(true)) => return Ok(response),
            _ => {}
        }
    }
    Err(Status::unavailable("the device ended the subscription before it had told all"))
}

fn subscribe(get: GetRequest) -> SubscribeRequest {
    let wanted = |path| gnmi::Subscription { path: Some(path), ..gnmi::Subscription::default() };
    let list = SubscriptionList {
        subscription: get.path.into_iter().map(wanted).collect(),
        mode: Mode::Once.into(),
        encoding: get.encoding,
        ..SubscriptionList::default()
    };
    SubscribeRequest { request: Some(Kind::Subscribe(list)), ..SubscribeRequest::default() }
}
