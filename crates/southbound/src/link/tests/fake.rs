//! A device that does as the test says.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::Mandate;
use lockstep_protocol::record::Failure;
use lockstep_protocol::{Answer, Ask, Event};
use lockstep_types::{Connection, Sequence, Target};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, timeout};

use crate::{
    BoxFuture, ConnectError, Driver, Fencing, Follow, Followed, Line, Link, Look, Notice, Report,
    Watch,
};

/// Longer than any wait of a link; the clock stands still, so it costs nothing.
const LONG: Duration = Duration::from_secs(3600);

pub(super) struct World {
    pub(super) link: Link,
    pub(super) device: Device,
    pub(super) events: mpsc::Receiver<Event>,
    target: Target,
}

impl World {
    pub(super) fn start(first: Connection) -> Self {
        Self::start_refusing(first, 0)
    }

    /// With a device that refuses the first tries.
    pub(super) fn start_refusing(first: Connection, refusals: usize) -> Self {
        let (asked, asks) = mpsc::unbounded_channel();
        let (looked, looks) = mpsc::unbounded_channel();
        let (watched, watches) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            refusals: AtomicUsize::new(refusals),
            tries: watch::Sender::default(),
            open: watch::Sender::default(),
            most: AtomicUsize::new(0),
            end: Mutex::new(watch::Sender::default()),
            by_itself: Mutex::new(None),
            asked,
            looked,
            watched,
            fencing: Mutex::default(),
        });
        let (sender, events) = mpsc::channel(2);
        let target = Target::new("leaf1").unwrap();
        let driver = Arc::new(FakeDriver(Arc::clone(&shared)));
        let link = Link::spawn(target.clone(), driver, first, sender);
        Self { link, device: Device { shared, asks, looks, watches }, events, target }
    }

    async fn event(&mut self) -> Event {
        timeout(LONG, self.events.recv()).await.expect("no event").expect("the link ended")
    }

    pub(super) async fn expect_connected(&mut self, connection: u64) {
        let connection = Connection::new(connection);
        let wanted = Event::Connected { target: self.target.clone(), connection };
        assert_eq!(self.event().await, wanted);
    }

    pub(super) async fn expect_disconnected(&mut self, connection: u64) {
        let connection = Connection::new(connection);
        let wanted = Event::Disconnected { target: self.target.clone(), connection };
        assert_eq!(self.event().await, wanted);
    }

    pub(super) async fn expect_answered(&mut self, connection: u64, request: u64, answer: Answer) {
        let (connection, sequence) = (Connection::new(connection), Sequence::new(request));
        let target = self.target.clone();
        assert_eq!(self.event().await, Event::Answered { target, connection, sequence, answer });
    }
}

pub(super) struct Device {
    shared: Arc<Shared>,
    asks: mpsc::UnboundedReceiver<Asked>,
    looks: mpsc::UnboundedReceiver<Looked>,
    watches: mpsc::UnboundedReceiver<Watched>,
}

/// Someone who looks, as the device sees it.
pub(super) type Looked = (Look, oneshot::Sender<Result<Vec<Report>, Failure>>);

/// Someone who watches, as the device sees it.
pub(super) type Watched = (Watch, mpsc::Sender<Notice>);

/// A request as the device sees it.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) mandate: Mandate,
    pub(super) ask: Ask,
    reply: oneshot::Sender<Answer>,
}

impl Asked {
    pub(super) fn answer(self, answer: Answer) {
        self.reply.send(answer).expect("nobody waits for the answer");
    }

    pub(super) fn is_dropped(&self) -> bool {
        self.reply.is_closed()
    }
}

impl Device {
    /// Whoever connects to it.
    pub(super) fn driver(&self) -> impl Driver {
        FakeDriver(Arc::clone(&self.shared))
    }

    pub(super) async fn asked(&mut self) -> Asked {
        timeout(LONG, self.asks.recv()).await.expect("nothing asked").expect("no device")
    }

    /// Whoever watches now.
    pub(super) async fn watched(&mut self) -> Watched {
        timeout(LONG, self.watches.recv()).await.expect("nobody watches").expect("no device")
    }

    pub(super) fn fences(&self, fencing: Option<Fencing>) {
        *self.shared.fencing.lock().unwrap() = fencing;
    }

    pub(super) async fn looked_at(&mut self) -> Looked {
        timeout(LONG, self.looks.recv()).await.expect("nobody looks").expect("no device")
    }

    pub(super) async fn is_asked_nothing(&mut self) {
        let asked = timeout(Duration::from_millis(50), self.asks.recv()).await;
        assert!(asked.is_err(), "{asked:?}");
    }

    pub(super) fn hang_up(&self, why: &str) {
        self.shared.end.lock().unwrap().send_replace(Some(why.to_owned()));
    }

    pub(super) fn answers_by_itself(&self, answer: Answer) {
        *self.shared.by_itself.lock().unwrap() = Some(answer);
    }

    /// Comes back when the link is stuck with what it has to tell: the clock moves only then.
    pub(super) async fn held_back(&self) {
        tokio::time::advance(Duration::from_secs(1)).await;
    }

    pub(super) async fn tried(&self) {
        self.shared.tries.subscribe().wait_for(|tries| !tries.is_empty()).await.unwrap();
    }

    pub(super) async fn gone(&self) {
        self.shared.open.subscribe().wait_for(|open| *open == 0).await.unwrap();
    }

    pub(super) fn tries(&self) -> Vec<Instant> {
        self.shared.tries.borrow().clone()
    }

    pub(super) fn open(&self) -> usize {
        *self.shared.open.borrow()
    }

    pub(super) fn most_at_once(&self) -> usize {
        self.shared.most.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
struct Shared {
    refusals: AtomicUsize,
    tries: watch::Sender<Vec<Instant>>,
    open: watch::Sender<usize>,
    most: AtomicUsize,
    end: Mutex<watch::Sender<Option<String>>>,
    by_itself: Mutex<Option<Answer>>,
    asked: mpsc::UnboundedSender<Asked>,
    looked: mpsc::UnboundedSender<Looked>,
    watched: mpsc::UnboundedSender<Watched>,
    fencing: Mutex<Option<Fencing>>,
}

#[derive(Debug)]
struct FakeDriver(Arc<Shared>);

impl Driver for FakeDriver {
    fn connect(&self) -> BoxFuture<'_, Result<Arc<dyn Line>, ConnectError>> {
        Box::pin(async {
            let shared = &self.0;
            shared.tries.send_modify(|tries| tries.push(Instant::now()));
            let left = shared.refusals.load(Ordering::Relaxed);
            if left > 0 {
                shared.refusals.store(left - 1, Ordering::Relaxed);
                let (address, reason) = ("device".into(), "nobody is here".into());
                return Err(ConnectError::Unreachable { address, reason });
            }
            shared.open.send_modify(|open| *open += 1);
            shared.most.fetch_max(*shared.open.borrow(), Ordering::Relaxed);
            let end = watch::Sender::default();
            let ended = end.subscribe();
            *shared.end.lock().unwrap() = end;
            Ok(Arc::new(FakeLine { shared: Arc::clone(shared), ended }) as Arc<dyn Line>)
        })
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(7)
    }
}

#[derive(Debug)]
struct FakeLine {
    shared: Arc<Shared>,
    ended: watch::Receiver<Option<String>>,
}

impl Line for FakeLine {
    fn ask(&self, mandate: Mandate, ask: Ask) -> BoxFuture<'_, Answer> {
        Box::pin(async move {
            if let Some(answer) = self.shared.by_itself.lock().unwrap().clone() {
                return answer;
            }
            let (reply, answer) = oneshot::channel();
            self.shared.asked.send(Asked { mandate, ask, reply }).unwrap();
            answer.await.unwrap_or(Answer::Unknown)
        })
    }

    fn fencing(&self) -> Option<Fencing> {
        *self.shared.fencing.lock().unwrap()
    }

    fn confirms(&self) -> Option<bool> {
        self.fencing().map(|fencing| fencing == Fencing::Device)
    }

    fn watch(&self, watch: Watch, tell: mpsc::Sender<Notice>) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.shared.watched.send((watch, tell.clone())).unwrap();
            tell.closed().await;
        })
    }

    fn look(&self, look: Look) -> BoxFuture<'_, Result<Vec<Report>, Failure>> {
        Box::pin(async move {
            let (reply, answer) = oneshot::channel();
            self.shared.looked.send((look, reply)).unwrap();
            answer.await.unwrap_or_else(|_| Ok(Vec::new()))
        })
    }

    /// Says that all was told, and no more.
    fn follow(&self, _: Follow, tell: mpsc::Sender<Followed>) -> BoxFuture<'_, Failure> {
        Box::pin(async move {
            tell.send(Followed::Synced).await.unwrap();
            std::future::pending().await
        })
    }

    fn closed(&self) -> BoxFuture<'_, String> {
        let mut ended = self.ended.clone();
        Box::pin(async move {
            let why = ended.wait_for(Option::is_some).await.unwrap();
            why.clone().unwrap_or_default()
        })
    }
}

impl Drop for FakeLine {
    fn drop(&mut self) {
        self.shared.open.send_modify(|open| *open -= 1);
    }
}
