//! A subscriber in few words.

use std::time::Duration;

use lockstep_gnmi::proto::gnmi::subscribe_request::Request;
use lockstep_gnmi::proto::gnmi::subscribe_response::Response;
use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi::{
    Notification, Path, Poll, SubscribeRequest, SubscribeResponse, Subscription, SubscriptionList,
    SubscriptionMode,
};
use lockstep_gnmi::proto::gnmi_ext::Extension;
use lockstep_gnmi::{path, value};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};

use crate::ask::at;
use crate::stage::Client;

const SOON: Duration = Duration::from_secs(10);
/// Long enough to believe that nothing comes.
const QUIET: Duration = Duration::from_millis(120);

/// What a subscriber hears.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Heard {
    Sync,
    /// Updates and deletes of one message.
    News(Vec<(String, Value)>, Vec<String>),
    /// The extension that ends a commit.
    Done(Extension),
    End,
    Error(Code),
}

pub(crate) struct Listener {
    requests: Option<mpsc::Sender<SubscribeRequest>>,
    answers: Streaming<SubscribeResponse>,
}

pub(crate) fn list(mode: Mode, subscriptions: Vec<Subscription>) -> SubscriptionList {
    SubscriptionList {
        mode: mode.into(),
        subscription: subscriptions,
        ..SubscriptionList::default()
    }
}

pub(crate) fn to(path: &str, mode: SubscriptionMode) -> Subscription {
    Subscription { path: Some(at(path)), mode: mode.into(), ..Subscription::default() }
}

/// One ON_CHANGE subscription for each path.
pub(crate) fn paths(mode: Mode, paths: &[&str]) -> SubscriptionList {
    list(mode, paths.iter().map(|path| to(path, SubscriptionMode::OnChange)).collect())
}

pub(crate) fn message(list: SubscriptionList) -> SubscribeRequest {
    SubscribeRequest { request: Some(Request::Subscribe(list)), ..SubscribeRequest::default() }
}

pub(crate) async fn listen(client: &mut Client, first: SubscribeRequest) -> Listener {
    let (requests, receiver) = mpsc::channel(4);
    requests.send(first).await.unwrap();
    let answers = client.subscribe(ReceiverStream::new(receiver)).await.unwrap().into_inner();
    Listener { requests: Some(requests), answers }
}

impl Listener {
    pub(crate) async fn say(&self, request: Request) {
        let request = SubscribeRequest { request: Some(request), ..SubscribeRequest::default() };
        self.requests.as_ref().unwrap().send(request).await.unwrap();
    }

    pub(crate) async fn poll(&self) {
        self.say(Request::Poll(Poll {})).await;
    }

    /// Says no more, and goes on listening.
    pub(crate) fn half_close(&mut self) {
        self.requests = None;
    }

    pub(crate) async fn raw(&mut self) -> Result<Option<SubscribeResponse>, Status> {
        timeout(SOON, self.answers.message()).await.expect("an answer")
    }

    pub(crate) async fn next(&mut self) -> Heard {
        match self.raw().await {
            Err(status) => Heard::Error(status.code()),
            Ok(None) => Heard::End,
            Ok(Some(SubscribeResponse { response: None, mut extension })) => {
                Heard::Done(extension.remove(0))
            }
            Ok(Some(SubscribeResponse { response: Some(response), .. })) => match response {
                Response::SyncResponse(true) => Heard::Sync,
                Response::Update(notification) => news(&notification),
                other => panic!("{other:?}"),
            },
        }
    }

    /// All updates until everything was sent.
    pub(crate) async fn pass(&mut self) -> Vec<(String, Value)> {
        let mut all = Vec::new();
        loop {
            match self.next().await {
                Heard::Sync => return all,
                Heard::News(updates, deletes) => {
                    assert_eq!(deletes, Vec::<String>::new());
                    all.extend(updates);
                }
                other => panic!("{other:?} after {all:?}"),
            }
        }
    }

    /// Nothing is heard for a while.
    pub(crate) async fn silence(&mut self) {
        let heard = timeout(QUIET, self.answers.message()).await;
        assert!(heard.is_err(), "{heard:?}");
    }
}

fn news(notification: &Notification) -> Heard {
    assert!(notification.timestamp > 0);
    let text = |wire: &Path| path::read(None, wire).unwrap().to_string();
    let updates = notification.update.iter().map(|one| {
        let (_, json) = value::read(one.val.as_ref().unwrap()).unwrap();
        assert!(!json.is_object() || json.as_object().unwrap().is_empty(), "one leaf: {json}");
        (text(one.path.as_ref().unwrap()), json)
    });
    Heard::News(updates.collect(), notification.delete.iter().map(text).collect())
}
