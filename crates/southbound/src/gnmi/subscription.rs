//! A subscription as a call: our side of it stays open for as long as the other side is of interest.
//!
//! Some devices take the end of our side for that of the subscription, so it must not end early. But a
//! call of which one side is never ended stays open after it was dropped, and a connection has room for
//! few: so it must end.

use futures_util::stream::{self, Stream, StreamExt};
use lockstep_gnmi::proto::gnmi::{SubscribeRequest, SubscribeResponse};
use tokio::sync::oneshot;
use tonic::{Request, Status, Streaming};

use super::Client;

/// What a device tells. When this is dropped the call is over.
pub(super) struct Subscription {
    told: Streaming<SubscribeResponse>,
    _open: oneshot::Sender<()>,
}

impl Subscription {
    /// Begins one, with the first and only request of it.
    pub(super) async fn begin(
        mut client: Client,
        first: Request<SubscribeRequest>,
    ) -> Result<Self, Status> {
        let (open, ended) = oneshot::channel();
        let request = first.map(|first| requests(first, ended));
        let told = client.subscribe(request).await?.into_inner();
        Ok(Self { told, _open: open })
    }

    /// What is told next; none: the device has ended it. Nothing is lost if this is dropped.
    pub(super) async fn next(&mut self) -> Result<Option<SubscribeResponse>, Status> {
        self.told.message().await
    }
}

fn requests(
    first: SubscribeRequest,
    ended: oneshot::Receiver<()>,
) -> impl Stream<Item = SubscribeRequest> + Send {
    let end = stream::once(ended).filter_map(|_| std::future::ready(None));
    stream::iter([first]).chain(end)
}
