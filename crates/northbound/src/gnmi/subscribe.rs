//! Subscribe: what stands, and what becomes of it.
//!
//! ```text
//!   ONCE, POLL   what stands, leaf by leaf ──────────────────────────┐
//!   STREAM       configuration: news of the hub, samples, heartbeats ├──► teller ──► a few messages
//!                state: relays of the devices' own streams ──────────┘              ahead of the client
//! ```
//!
//! A subscriber is a task. It waits for its client, so what waits for it is bounded: a few messages, the
//! news of the hub, and in each relay what the device said last.

mod extras;
mod list;
mod outlet;
mod pass;
mod relay;
mod sample;
mod session;
mod sources;
mod tell;
mod wanted;

use std::time::{Duration, SystemTime};

use lockstep_gnmi::proto::gnmi::{SubscribeRequest, SubscribeResponse};
use tokio::time::sleep;
use tonic::{Code, Status, Streaming};

use super::Service;
use crate::access::Right;
use crate::answers;
use crate::guard::Call;
use crate::metrics;
use crate::refusal;
use crate::shares::{Share, Shares, Taken};
use list::List;
use session::Session;

/// How long it may take until a clock that was set is noticed.
const HOUR: Duration = Duration::from_secs(3600);

pub(crate) use outlet::{Outlet, Told};

/// Who may subscribe: so many at once, by identity.
pub(super) type Places = Shares<String>;

fn place(places: &Places, call: &Call) -> Result<Share<String>, Status> {
    // Those who say nothing of themselves are not one and the same.
    let who = Some(call.author()).filter(|name| !name.is_empty());
    places.take(who).map_err(|taken| {
        Status::resource_exhausted(match taken {
            Taken::All(count) => format!(
                "{count} subscriptions are open, which is limits.subscriptions; try again when some have ended"
            ),
            Taken::Own(count) => format!(
                "{} has {count} subscriptions open, which is half of limits.subscriptions, and nobody has more; \
                 end some of them",
                call.author()
            ),
        })
    })
}

/// Serves one subscriber, for as long as it is there.
pub(super) fn subscribe(
    service: &Service,
    call: Call,
    requests: Streaming<SubscribeRequest>,
) -> Result<Told<SubscribeResponse>, Status> {
    let (asked, caller) = (service.clone(), call.clone());
    watch(
        service,
        call,
        move |outlet| async move { serve(&asked, &caller, requests, &outlet).await },
    )
}

/// Has somebody told of something by a task of its own, for as long as they are there, may hear it, and the node
/// runs.
pub(crate) fn watch<M, W>(
    service: &Service,
    call: Call,
    work: impl FnOnce(Outlet<M>) -> W,
) -> Result<Told<M>, Status>
where
    M: Send + 'static,
    W: Future<Output = Result<(), Status>> + Send + 'static,
{
    call.somewhere(Right::Read)?;
    let place = place(&service.places, &call)?;
    let (outlet, told) = outlet::open();
    let (stopping, work) = (service.stopping.clone(), work(outlet.clone()));
    tokio::spawn(async move {
        let (_place, _counted) = (place, metrics::SUBSCRIPTIONS.hold());
        let ended = tokio::select! {
            ended = work => ended,
            () = outlet.closed() => return,
            () = expired(&call) => Err(Status::unauthenticated("the credentials have expired; subscribe again")),
            () = stopping.cancelled() => Err(refusal::stopping()),
        };
        outlet.end(ended.err());
    });
    Ok(told)
}

/// Comes back when the caller's credentials end by themselves.
async fn expired(call: &Call) {
    let Some(until) = call.until() else { return std::future::pending().await };
    // The clock may be set meanwhile.
    while let Ok(left) = until.duration_since(SystemTime::now())
        && !left.is_zero()
    {
        sleep(left.min(HOUR)).await;
    }
}

async fn serve(
    service: &Service,
    call: &Call,
    mut requests: Streaming<SubscribeRequest>,
    outlet: &Outlet<SubscribeResponse>,
) -> Result<(), Status> {
    let Some(first) = next(&mut requests).await? else {
        return Err(Status::invalid_argument("the call ended without a SubscriptionList"));
    };
    let node = service.node.clone();
    let caller = call.clone();
    let list = service.workers.run(move || List::read(&node, &caller, first)).await;
    // Once it is known who wants what, and before anything of it is told.
    call.write(list.as_ref().err().map_or(Code::Ok, Status::code)).await;
    Session::new(service.clone(), call.clone(), list?, outlet.clone()).serve(requests).await
}

/// The next message of the client.
async fn next(
    requests: &mut Streaming<SubscribeRequest>,
) -> Result<Option<SubscribeRequest>, Status> {
    requests.message().await.map_err(answers::undecodable)
}
