//! What a master sees of drift is written to the store, for those who ask another node.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use lockstep_protocol::record::Key;
use lockstep_protocol::{Compare, Event, Op, Txn, View, Written};
use lockstep_store::Records;
use lockstep_types::Target;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep};

use super::Drift;
use crate::metrics;
use crate::targets::Targets;

/// How long is waited between writes: a device that is changed all the time is told of so often.
const PAUSE: Duration = Duration::from_millis(200);

/// How many devices are written of at once.
const AT_ONCE: usize = 64;

/// Writes what may be news of devices, until the node ends.
pub(crate) async fn report(
    drift: Arc<Drift>,
    records: Records,
    targets: Arc<Targets>,
    views: watch::Receiver<Arc<View>>,
    events: mpsc::Sender<Event>,
) {
    loop {
        let some = tokio::select! {
            biased;
            () = events.closed() => return,
            some = drift.to_report() => some,
        };
        let written = stream::iter(some).map(async |target| {
            let view = Arc::clone(&views.borrow());
            if !write(&drift, &records, &targets, &view, &target).await {
                drift.report(&target);
            }
        });
        // Side by side, so that they go into the same writes of the store.
        written.buffer_unordered(AT_ONCE).collect::<()>().await;
        sleep(PAUSE).await;
    }
}

/// Whether there is nothing left to write about it. Somebody else may have become the master: then it is not
/// ours to say.
async fn write(
    drift: &Drift,
    records: &Records,
    targets: &Targets,
    view: &View,
    target: &Target,
) -> bool {
    let Some(spec) = targets.spec(target) else { return true };
    let Some(drifted) = drift.news(view, &spec, Instant::now()) else { return true };
    let key = Key::Mastership(target.clone());
    let unchanged = Compare::Unchanged(key.clone(), view.version(&key));
    let was = view.drifted(target).is_some_and(|before| !before.first.is_empty());
    let differences = drifted.first.len() + drifted.more;
    let is_new = differences > 0 && !was;
    let op = Op::Drifted { target: target.clone(), drifted };
    match records.write(Txn { compares: vec![unchanged], ops: vec![op] }).await {
        Ok(Written::Done(_)) => {
            if is_new {
                metrics::DRIFTS.inc();
                tracing::warn!(%target, differences, "it was changed behind our back");
            }
            true
        }
        Ok(Written::Stale(_)) => false,
        Err(error) => {
            tracing::warn!(%target, error = &error as &dyn std::error::Error, "what is known of its drift could not be written");
            !error.is_retryable()
        }
    }
}
