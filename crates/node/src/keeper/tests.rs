//! For how long a node believes in its session, whatever becomes of its renewals.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use lockstep_protocol::Written;
use lockstep_store::kv::{Lease as Leased, Limits, Page, Range, Txn};
use lockstep_store::{Error, Feed, Memory, Pending, Records, Store};
use lockstep_types::{NodeName, Revision};
use tokio::task::JoinHandle;
use tokio::time::advance;

use super::*;

/// How long the answer to a renewal takes.
const LATE: Duration = Duration::from_secs(2);

/// A store that is late to answer renewals, and answers so many.
#[derive(Debug)]
struct Late {
    store: Memory,
    answers: AtomicU32,
}

impl Store for Late {
    fn limits(&self) -> Limits {
        self.store.limits()
    }

    fn txn(&self, txn: Txn) -> Pending<'_, Written> {
        self.store.txn(txn)
    }

    fn range(&self, range: Range) -> Pending<'_, Page> {
        self.store.range(range)
    }

    fn revision(&self) -> Pending<'_, Revision> {
        self.store.revision()
    }

    fn watch(&self, after: Revision) -> Pending<'_, Box<dyn Feed>> {
        self.store.watch(after)
    }

    fn grant(&self, ttl: Duration) -> Pending<'_, Leased> {
        self.store.grant(ttl)
    }

    fn keep(&self, lease: Leased) -> Pending<'_, ()> {
        Box::pin(async move {
            let answers = self.answers.load(Ordering::Relaxed);
            if answers > 0 {
                self.store.keep(lease).await?;
            }
            sleep(LATE).await;
            self.answers.store(answers.saturating_sub(1), Ordering::Relaxed);
            if answers > 0 { Ok(()) } else { Err(Error::Closed) }
        })
    }

    fn revoke(&self, lease: Leased) -> Pending<'_, ()> {
        self.store.revoke(lease)
    }

    fn close(&self) -> Pending<'_, ()> {
        self.store.close()
    }
}

/// What is believed of a session with so many renewals that are answered.
struct Believed {
    clock: Clock,
    core: watch::Receiver<Timestamp>,
    devices: Lease,
    stop: oneshot::Sender<()>,
    keeper: JoinHandle<Session>,
}

impl Believed {
    async fn of(answers: u32) -> (Self, Duration) {
        let store = Late { store: Memory::new(), answers: AtomicU32::new(answers) };
        let records = Records::open(Arc::new(store)).await.unwrap();
        let session = records.begin(&NodeName::new("n1").unwrap()).await.unwrap();
        let (ttl, clock) = (session.ttl(), Clock::of(|| Duration::from_secs(1)));
        let (renewed, core) = watch::channel(clock.now().after(nanoseconds(ttl)));
        let (devices, (stop, stopped)) = (Lease::until(Instant::now() + ttl), oneshot::channel());
        let kept = keep(session, clock.clone(), (renewed, devices.clone()), stopped);
        (Self { clock, core, devices, stop, keeper: tokio::spawn(kept) }, ttl)
    }

    /// Both the core and what is on its way to devices believe in it.
    fn lives(&self) -> bool {
        let core = self.clock.now() < *self.core.borrow();
        assert_eq!(core, !self.devices.is_over());
        core
    }
}

/// Lets a time go by, and everything happen that it brings.
async fn pass(time: Duration) {
    sleep(time).await;
    advance(Duration::ZERO).await;
}

const MOMENT: Duration = Duration::from_millis(1);

#[tokio::test(start_paused = true)]
async fn a_session_lasts_from_when_its_last_good_renewal_was_sent() {
    let (believed, ttl) = Believed::of(2).await;
    // Sent at once, and when the first was answered and a third of the time gone by: the second is the last good one.
    let last = LATE + pause(ttl);
    pass(last + ttl - MOMENT).await;
    assert!(believed.lives());
    pass(MOMENT).await;
    assert!(!believed.lives(), "not from when that was answered");
}

#[tokio::test(start_paused = true)]
async fn what_was_not_answered_renews_nothing() {
    let (believed, ttl) = Believed::of(0).await;
    pass(ttl - MOMENT).await;
    assert!(believed.lives());
    pass(MOMENT).await;
    assert!(!believed.lives());
}

#[tokio::test(start_paused = true)]
async fn whoever_stops_waits_for_no_answer() {
    let (believed, _) = Believed::of(1).await;
    // The first renewal is under way.
    pass(MOMENT).await;
    let told = Instant::now();
    believed.stop.send(()).unwrap();
    believed.keeper.await.unwrap();
    assert_eq!(told.elapsed(), Duration::ZERO);
}
