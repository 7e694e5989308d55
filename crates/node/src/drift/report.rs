//! What a master sees of drift is written to the store, for those who ask another node.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use lockstep_protocol::record::Key;
use lockstep_protocol::{Compare, Op, Txn, View, Written};
use lockstep_store::Records;
use lockstep_types::Target;
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

use super::Drift;
use crate::targets::Targets;

/// How long is waited between writes: a device that is changed all the time is told of so often.
const PAUSE: Duration = Duration::from_millis(200);
/// How many devices one write tells of.
const AT_ONCE: usize = 16;

/// Writes what is heard of these devices, until nobody says of any more.
pub(crate) async fn report(
    drift: Arc<Drift>,
    records: Records,
    targets: Arc<Targets>,
    views: watch::Receiver<Arc<View>>,
    mut heard: mpsc::Receiver<Target>,
) {
    let mut waiting = BTreeSet::new();
    loop {
        if waiting.is_empty() {
            let Some(target) = heard.recv().await else { return };
            waiting.insert(target);
        }
        while let Ok(target) = heard.try_recv() {
            waiting.insert(target);
        }
        let view = Arc::clone(&views.borrow());
        let some: Vec<Target> = waiting.iter().take(AT_ONCE).cloned().collect();
        if write(&drift, &records, &targets, &view, &some).await {
            some.iter().for_each(|target| {
                waiting.remove(target);
            });
        }
        sleep(PAUSE).await;
    }
}

/// Whether all of it is in the store. Somebody else may have become the master: then it is not ours to say.
async fn write(
    drift: &Drift,
    records: &Records,
    targets: &Targets,
    view: &View,
    some: &[Target],
) -> bool {
    let mut txn = Txn::default();
    for target in some {
        let Some(spec) = targets.spec(target) else { continue };
        let Some(drifted) = drift.news(view, &spec) else { continue };
        let key = Key::Mastership(target.clone());
        let revision = view.version(&key);
        txn.compares.push(Compare::Unchanged(key, revision));
        txn.ops.push(Op::Drifted { target: target.clone(), drifted });
    }
    if txn.ops.is_empty() {
        return true;
    }
    match records.write(&txn).await {
        Ok(Written::Done(_)) => true,
        Ok(Written::Stale(_)) => false,
        Err(error) => {
            tracing::warn!(%error, "what is known of drift could not be written; tried again");
            false
        }
    }
}
