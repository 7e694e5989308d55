//! The store in memory, as one node meets it: slow, stalled, failing, late with its news.

use std::sync::Arc;
use std::time::Duration;

use lockstep_protocol::Written;
use lockstep_store::kv::{Commit, Lease, Limits, Page, Range, Txn};
use lockstep_store::{Error, Feed, Memory, Pending, Store};
use lockstep_types::Revision;
use tokio::time::{Instant, sleep, sleep_until};

use crate::chance::Chance;
use crate::signal::Signal;
use crate::weather::Weather;

/// The one store of a run, and everything that was written to it. Clones are the same.
#[derive(Clone, Debug)]
pub struct Shared {
    store: Memory,
    written: Arc<Signal<Vec<Commit>>>,
    /// What was written up to here is told to nobody any more.
    oldest: Arc<Signal<Revision>>,
}

impl Shared {
    /// An empty store. Only one task follows it, and tells all the others in the order in which they wait.
    /// It takes this much at once.
    ///
    /// # Errors
    /// The store says so.
    pub async fn new(limits: Limits) -> Result<Self, Error> {
        let store = Memory::with_limits(limits);
        let (written, oldest) = (Arc::<Signal<Vec<Commit>>>::default(), Arc::default());
        let mut feed = store.watch(Revision::ZERO).await?;
        let told = Arc::clone(&written);
        tokio::spawn(async move {
            while let Ok(commit) = feed.next().await {
                told.change(|written| written.push(commit));
            }
        });
        Ok(Self { store, written, oldest })
    }

    /// Lets go of the past: a watch that is behind has to begin anew. One that begins is not turned away, since a node
    /// that finds its trace behind what is kept can only write down the store as it is, and others watch.
    pub fn compact(&self) {
        let last = self.written.look(|written| written.last().map(|commit| commit.revision));
        self.oldest.change(|oldest| *oldest = last.unwrap_or_default());
    }

    /// What was written next after this revision, for a watch that began when so much was gone already.
    async fn next(&self, after: Revision, begun: Revision) -> Result<Commit, Error> {
        let is_there = |written: &Vec<Commit>| written.last().is_some_and(|c| c.revision > after);
        self.written.until(is_there).await;
        let oldest = self.oldest.look(|oldest| *oldest);
        if after < oldest && oldest > begun {
            return Err(Error::Compacted { asked: after, oldest });
        }
        Ok(self.written.look(|written| {
            let at = written.partition_point(|commit| commit.revision <= after);
            written[at].clone()
        }))
    }
}

/// One node's way to the store.
#[derive(Debug)]
pub struct Shaky {
    shared: Shared,
    store: Memory,
    weather: Weather,
    chance: Chance,
}

impl Shaky {
    /// The way of a node in this weather.
    #[must_use]
    pub fn new(shared: Shared, weather: Weather, chance: Chance) -> Self {
        Self { store: shared.store.clone(), shared, weather, chance }
    }

    /// A call goes out, or an answer comes back.
    async fn pass(&self) {
        sleep(self.chance.time(0, 3)).await;
        self.weather.clear().await;
    }

    fn fails(&self) -> bool {
        self.chance.percent(self.weather.now().failing)
    }

    async fn call<T>(&self, call: Pending<'_, T>) -> Result<T, Error> {
        self.pass().await;
        if self.fails() {
            return Err(Error::Unavailable { source: lost("the call was lost") });
        }
        let answer = call.await;
        self.pass().await;
        answer
    }

    /// A write may also have happened though nobody was told.
    async fn write(&self, txn: Txn) -> Result<Written, Error> {
        self.pass().await;
        let (before, after) = (self.fails(), self.fails());
        if before {
            return Err(Error::Unknown { source: lost("the call was lost") });
        }
        let written = self.store.txn(txn).await;
        self.pass().await;
        if after { Err(Error::Unknown { source: lost("the answer was lost") }) } else { written }
    }
}

fn lost(what: &'static str) -> lockstep_store::Source {
    Arc::new(std::io::Error::other(what))
}

impl Store for Shaky {
    fn limits(&self) -> Limits {
        self.store.limits()
    }

    fn txn(&self, txn: Txn) -> Pending<'_, Written> {
        Box::pin(self.write(txn))
    }

    fn range(&self, range: Range) -> Pending<'_, Page> {
        Box::pin(self.call(self.store.range(range)))
    }

    fn revision(&self) -> Pending<'_, Revision> {
        Box::pin(self.call(self.store.revision()))
    }

    fn watch(&self, after: Revision) -> Pending<'_, Box<dyn Feed>> {
        Box::pin(async move {
            drop(self.call(self.store.watch(after)).await?);
            let shared = self.shared.clone();
            let begun = shared.oldest.look(|oldest| *oldest);
            let (weather, chance) = (self.weather.clone(), self.chance.clone());
            Ok(Box::new(Late { shared, after, begun, weather, chance, next: None })
                as Box<dyn Feed>)
        })
    }

    fn grant(&self, ttl: Duration) -> Pending<'_, Lease> {
        Box::pin(self.call(self.store.grant(ttl)))
    }

    fn keep(&self, lease: Lease) -> Pending<'_, ()> {
        Box::pin(self.call(self.store.keep(lease)))
    }

    fn revoke(&self, lease: Lease) -> Pending<'_, ()> {
        Box::pin(self.call(self.store.revoke(lease)))
    }

    fn close(&self) -> Pending<'_, ()> {
        // The others go on with it.
        Box::pin(async { Ok(()) })
    }
}

/// What is written, told late.
#[derive(Debug)]
struct Late {
    shared: Shared,
    after: Revision,
    /// What was not kept any more when this began.
    begun: Revision,
    weather: Weather,
    chance: Chance,
    /// What is about to be told, and when: whoever waits may stop waiting and begin again.
    next: Option<(Instant, Commit)>,
}

impl Late {
    async fn tell(&mut self) -> Result<Commit, Error> {
        if self.next.is_none() {
            let commit = self.shared.next(self.after, self.begun).await?;
            self.after = commit.revision;
            let late = self.chance.time(0, self.weather.now().late);
            self.next = Some((Instant::now() + late, commit));
        }
        if let Some((due, _)) = &self.next {
            sleep_until(*due).await;
        }
        self.weather.clear().await;
        self.next.take().map(|(_, commit)| commit).ok_or(Error::Closed)
    }
}

impl Feed for Late {
    fn next(&mut self) -> Pending<'_, Commit> {
        let weather = self.weather.clone();
        Box::pin(async move {
            tokio::select! {
                biased;
                // A killed process hears nothing more.
                () = weather.death() => Err(Error::Closed),
                () = weather.silence() => {
                    Err(Error::Unavailable { source: lost("the watch was lost") })
                }
                commit = self.tell() => commit,
            }
        })
    }
}
