//! Readers and subscribers, beside those who send changes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use lockstep_gnmi::proto::gnmi::subscribe_request::Request;
use lockstep_gnmi::proto::gnmi::subscribe_response::Response;
use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi::{
    Encoding, GetRequest, SubscribeRequest, Subscription, SubscriptionList, SubscriptionMode,
    get_request::DataType,
};
use tokio::time::sleep;
use tonic::{Code, Request as Call, Status};

use super::meter::Meter;
use super::pace::Pace;
use super::plan::Plan;
use crate::client::Client;

/// How often it is looked whether subscribers are up to date.
const LOOK: Duration = Duration::from_millis(10);

/// After an error: a node that refuses everything is not asked as fast as it can refuse.
pub(super) const RESPITE: Duration = Duration::from_millis(10);

/// Reads the leaves of one target after the other, until it is over.
pub(super) async fn read(
    plan: Arc<Plan>,
    pace: Arc<Pace>,
    meter: Arc<Meter>,
    client: Client,
    mut number: usize,
) {
    let mut gnmi = client.gnmi();
    while !pace.is_over() {
        let (prefix, path) = plan.looked_at(number);
        number += 1;
        let request = GetRequest {
            prefix: Some(prefix),
            path,
            r#type: DataType::Config.into(),
            encoding: Encoding::JsonIetf.into(),
            ..GetRequest::default()
        };
        let due = Instant::now();
        let answer = gnmi.get(request).await.map(drop);
        let failed = answer.is_err();
        meter.record(&pace, due, present(answer));
        if failed {
            sleep(RESPITE).await;
        }
    }
}

/// That there is nothing yet is an answer like any other.
fn present(answer: Result<(), Status>) -> Result<(), Status> {
    match answer {
        Err(status) if status.code() == Code::NotFound => Ok(()),
        answer => answer,
    }
}

/// What subscribers were told.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// None: it has not begun, for not all of them are up to date.
    pace: OnceLock<Arc<Pace>>,
    /// How many of them are up to date.
    pub(super) synced: AtomicU64,
    /// How many messages with changes came while it was measured, and how many changes were in them.
    pub(super) messages: AtomicU64,
    pub(super) updates: AtomicU64,
    /// How many were cut off.
    pub(super) lost: AtomicU64,
}

impl Told {
    /// Waits until so many are up to date, or were turned away.
    pub(super) async fn up_to_date(&self, count: usize) {
        let there = || self.synced.load(Ordering::Relaxed) + self.lost.load(Ordering::Relaxed);
        while there() < count as u64 {
            sleep(LOOK).await;
        }
    }

    /// The load begins.
    pub(super) fn begin(&self, pace: &Arc<Pace>) {
        let _first = self.pace.set(Arc::clone(pace));
    }

    /// Whether what comes now counts.
    fn counts(&self) -> bool {
        self.pace.get().is_some_and(|pace| pace.counts(Instant::now()) && !pace.is_over())
    }

    fn is_over(&self) -> bool {
        self.pace.get().is_some_and(|pace| pace.is_over())
    }
}

/// Subscribes to the leaves of one target, and counts what comes.
pub(super) async fn subscribe(plan: Arc<Plan>, told: Arc<Told>, client: Client, number: usize) {
    let (prefix, paths) = plan.looked_at(number);
    let subscription = paths.into_iter().map(|path| Subscription {
        path: Some(path),
        mode: SubscriptionMode::OnChange.into(),
        ..Subscription::default()
    });
    let list = SubscriptionList {
        prefix: Some(prefix),
        subscription: subscription.collect(),
        mode: Mode::Stream.into(),
        encoding: Encoding::JsonIetf.into(),
        ..SubscriptionList::default()
    };
    let request =
        SubscribeRequest { request: Some(Request::Subscribe(list)), ..Default::default() };
    if follow(client, request, &told).await.is_err() && !told.is_over() {
        told.lost.fetch_add(1, Ordering::Relaxed);
    }
}

async fn follow(client: Client, request: SubscribeRequest, told: &Told) -> Result<(), Status> {
    // It stays open on our side: whoever ends their side has had enough.
    let requests = open_ended(request);
    let mut stream = client.gnmi().subscribe(Call::new(requests)).await?.into_inner();
    while let Some(message) = stream.message().await? {
        match message.response {
            Some(Response::SyncResponse(_)) => drop(told.synced.fetch_add(1, Ordering::Relaxed)),
            Some(Response::Update(notification)) if told.counts() => {
                let count = notification.update.len() + notification.delete.len();
                told.messages.fetch_add(1, Ordering::Relaxed);
                told.updates.fetch_add(count as u64, Ordering::Relaxed);
            }
            _ => {}
        }
    }
    Err(Status::unavailable("the node ended the subscription"))
}

/// One request, and no end.
fn open_ended(request: SubscribeRequest) -> impl tokio_stream::Stream<Item = SubscribeRequest> {
    tokio_stream::StreamExt::chain(tokio_stream::once(request), tokio_stream::pending())
}
