//! Whatever a node writes is loaded as the watch told it, before and after the store is opened again.

use std::sync::Arc;

use lockstep_protocol::View;
use lockstep_store::{Embedded, Memory, Records, Store};

use crate::same::same;
use crate::support::{follow, records};
use crate::world::World;

/// The store as its content makes it, one write after the other.
async fn made(records: &Records) -> View {
    let mut view = View::new();
    for changes in records.content().await.unwrap() {
        view.absorb(&changes);
    }
    view
}

#[tokio::test]
async fn what_is_loaded_is_what_was_watched() {
    let mut seen = Seen::default();
    for seed in 0..12 {
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        let mut world =
            World::start(Records::open(Arc::clone(&store)).await.unwrap(), seed, 1_000).await;
        for step in 1..=400 {
            world.step().await;
            if step % 50 == 0 {
                let other = Records::open(Arc::clone(&store)).await.unwrap();
                let watched = world.view().await.clone();
                same(&watched, &other.load().await.unwrap());
                same(&watched, &made(&other).await.as_read());
                seen.take(&watched);
            }
        }
    }
    seen.check();
}

#[tokio::test]
async fn a_store_opened_again_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mut now = 1_000;
    for opening in 0..6 {
        let store = records(Embedded::open(folder.path()).unwrap()).await;
        let mut world = World::start(store.clone(), 100 + opening, now).await;
        for step in 0..120 {
            world.step().await;
            if step == 60 {
                for on in world.view().await.clone().targets() {
                    store.fold(on).await.unwrap();
                }
            }
        }
        let mut watched = world.view().await.clone();
        now = world.now();
        // What the folds and whatever else wrote after the last word of the watch.
        let last = store.revision().await.unwrap();
        let mut watch = store.watch(watched.revision()).await.unwrap();
        follow(&mut watch, &mut watched, last).await;
        drop(world);
        store.close().await.unwrap();

        let store = records(Embedded::open(folder.path()).unwrap()).await;
        let loaded = store.load().await.unwrap();
        assert_eq!(loaded.sessions().count(), 0, "the session went with its process");
        let mut watch = store.watch(watched.revision()).await.unwrap();
        follow(&mut watch, &mut watched, loaded.revision()).await;
        same(&watched, &loaded);
        store.close().await.unwrap();
    }
}

/// That the dice brought up what matters.
#[derive(Debug, Default)]
struct Seen {
    transactions: usize,
    finished: usize,
    units: usize,
    marks: usize,
}

impl Seen {
    fn take(&mut self, view: &View) {
        self.transactions = self.transactions.max(view.transactions().count());
        self.finished += view.transactions().filter(|t| t.status.is_final()).count();
        for on in view.targets() {
            self.units += view.applied(on).len();
            self.marks += view.marks(on).map_or(0, |marks| marks.len());
        }
    }

    fn check(&self) {
        println!("{self:?}");
        assert!(self.units > 50 && self.marks > 0, "{self:?}");
        assert!(self.transactions > 10 && self.finished > 50, "{self:?}");
    }
}
