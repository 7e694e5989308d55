//! A node whose store takes its time when it starts: longer than a session lasts that nobody renews.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lockstep_node::{Running, StartError, start};
use lockstep_protocol::Written;
use lockstep_store::kv::{Lease, Limits, Page, Range, Txn};
use lockstep_store::{Error, Feed, Memory, Pending, Records, Store};
use lockstep_types::Revision;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::lab::options;

/// Long enough for a machine that is busy with something else.
const PATIENCE: Duration = Duration::from_secs(30);

/// What happens while a node catches up with the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meanwhile {
    /// It takes until the session was renewed.
    MustBeRenewed,
    /// The session ends.
    Ends,
    /// The store lets go of what was written since it was read.
    IsCompacted,
    /// Nothing.
    Nothing,
}

#[derive(Debug)]
struct Slow {
    store: Memory,
    meanwhile: Meanwhile,
    granted: Mutex<Option<Lease>>,
    renewed: watch::Sender<bool>,
    /// How often it was read from its beginning.
    loads: Arc<AtomicUsize>,
}

impl Store for Slow {
    fn limits(&self) -> Limits {
        self.store.limits()
    }

    fn txn(&self, txn: Txn) -> Pending<'_, Written> {
        self.store.txn(txn)
    }

    fn range(&self, range: Range) -> Pending<'_, Page> {
        self.loads.fetch_add(usize::from(range.from.starts_with(b"chunk/")), Ordering::Relaxed);
        self.store.range(range)
    }

    fn revision(&self) -> Pending<'_, Revision> {
        self.store.revision()
    }

    fn watch(&self, after: Revision) -> Pending<'_, Box<dyn Feed>> {
        let granted = *self.granted.lock().unwrap();
        Box::pin(async move {
            match (self.meanwhile, granted) {
                (Meanwhile::MustBeRenewed, _) => {
                    self.renewed.subscribe().wait_for(|renewed| *renewed).await.unwrap();
                }
                (Meanwhile::Ends, Some(lease)) => self.store.revoke(lease).await.unwrap(),
                // The first time.
                (Meanwhile::IsCompacted, _) if self.loads.load(Ordering::Relaxed) == 1 => {
                    let oldest = self.store.revision().await.unwrap();
                    return Err(Error::Compacted { asked: after, oldest });
                }
                _ => {}
            }
            self.store.watch(after).await
        })
    }

    fn grant(&self, ttl: Duration) -> Pending<'_, Lease> {
        Box::pin(async move {
            let lease = self.store.grant(ttl).await?;
            *self.granted.lock().unwrap() = Some(lease);
            Ok(lease)
        })
    }

    fn keep(&self, lease: Lease) -> Pending<'_, ()> {
        Box::pin(async move {
            self.store.keep(lease).await?;
            self.renewed.send_replace(true);
            Ok(())
        })
    }

    fn revoke(&self, lease: Lease) -> Pending<'_, ()> {
        self.store.revoke(lease)
    }

    fn close(&self) -> Pending<'_, ()> {
        self.store.close()
    }
}

/// Starts a node on such a store. And how often that was loaded.
async fn started(meanwhile: Meanwhile) -> (Result<Running, StartError>, usize) {
    let (store, granted, renewed) = (Memory::new(), Mutex::default(), watch::Sender::new(false));
    let loads = Arc::<AtomicUsize>::default();
    let store = Slow { store, meanwhile, granted, renewed, loads: Arc::clone(&loads) };
    let records = Records::open(Arc::new(store)).await.unwrap();
    let started = timeout(PATIENCE, start(options(records, Vec::new())));
    let started = started.await.expect("it starts, or says why not");
    (started, loads.load(Ordering::Relaxed))
}

#[tokio::test(flavor = "multi_thread")]
async fn its_session_is_kept_while_it_catches_up_with_the_store() {
    started(Meanwhile::MustBeRenewed).await.0.unwrap().stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn it_does_not_begin_with_a_session_that_is_over() {
    let (started, _) = started(Meanwhile::Ends).await;
    assert!(matches!(started, Err(StartError::Session)), "{:?}", started.map(drop));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_store_is_loaded_once_unless_it_let_go_of_what_came_since() {
    for (meanwhile, expected) in [(Meanwhile::Nothing, 1), (Meanwhile::IsCompacted, 2)] {
        let (started, loads) = started(meanwhile).await;
        let node = started.unwrap();
        assert!(node.handle().view().is_alive(node.handle().session()));
        node.stop().await.unwrap();
        assert_eq!(loads, expected, "{meanwhile:?}");
    }
}
