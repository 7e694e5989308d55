//! What of a device's answers reaches the core.

use std::sync::atomic::AtomicU64;

use lockstep_protocol::record::{Binding, Mastership};
use lockstep_protocol::{Changes, Op, Settings};
use lockstep_southbound::{Lease, Visits};
use lockstep_store::{Memory, Session};
use lockstep_types::{
    Configuration, Epoch, ModelDigest, NodeName, Sequence, SessionId, Term, Timestamp,
};
use lockstep_yang::ModelSet;

use super::*;
use crate::clock::Clock;
use crate::drift::Drift;
use crate::feed::Feed;
use crate::models::Models;
use crate::target::{Devices, Known, Reached, Unserved};

fn name(name: &str) -> NodeName {
    NodeName::new(name).unwrap()
}

fn target(name: &str) -> Target {
    Target::new(name).unwrap()
}

fn bound(target: &Target) -> Op {
    let binding = Binding::of(ModelDigest::new("lab").unwrap());
    Op::Binding { target: target.clone(), binding }
}

fn connected(target: &Target, number: u64) -> Event {
    Event::Connected { target: target.clone(), connection: Connection::new(number) }
}

fn answered(target: &Target, number: u64) -> Event {
    let (target, connection) = (target.clone(), Connection::new(number));
    let (sequence, answer) = (Sequence::default(), Answer::Values(Configuration::default()));
    Event::Answered { target, connection, sequence, answer }
}

/// What a device holds is put in the terms of what is wanted of it, and meanwhile the device may be gone.
#[test]
fn nothing_is_an_answer_on_a_connection_that_is_gone() {
    let (target, session) = (target("leaf1"), SessionId::new("s1").unwrap());
    let ops = vec![Op::Session { session: session.clone(), node: name("n1") }, bound(&target)];
    let mut view = View::new();
    view.absorb(&Changes { revision: Revision::new(1), ops });
    let mut core = Node::new(session, Settings::default(), view);
    core.start();
    let answered = |number| answered(&target, number);
    core.handle(connected(&target, 1));
    assert!(is_of_now(&core, &answered(1)) && !is_of_now(&core, &answered(2)));
    let connection = Connection::new(1);
    core.handle(Event::Disconnected { target: target.clone(), connection });
    assert!(!is_of_now(&core, &answered(1)));
    core.handle(connected(&target, 2));
    assert!(!is_of_now(&core, &answered(1)) && is_of_now(&core, &answered(2)));
}

/// Nobody is reached by it.
#[derive(Debug)]
struct Nowhere;

impl Devices for Nowhere {
    fn known(&self, _: &Target, _: &Binding) -> Known {
        Known::default()
    }

    fn is_same(&self, _: &Target, _: &Binding, _: &Binding) -> bool {
        true
    }

    fn reach(&self, _: &Target, _: &Binding, _: &ModelSet) -> Result<Reached, Unserved> {
        Err(Unserved::failed("there is none"))
    }
}

type Around = (Arc<Shared>, Arc<Links>, Maker, watch::Sender<Arc<View>>, mpsc::Sender<Event>);

/// A core that is connected to a target which it leaves to two others as soon as it looks at the clock, and when that is: whose
/// turn a new target is is worked out a little after it came.
async fn leaving(records: &Records, session: &Session) -> (Node, Timestamp, Target) {
    let other = records.begin(&name("n2")).await.unwrap();
    records.begin(&name("n3")).await.unwrap();
    let view = records.load().await.unwrap();
    let revision = view.revision().next();
    let mut core = Node::new(session.id().clone(), Settings::default(), view);
    core.start();
    let mastership = Mastership {
        session: Some(other.id().clone()),
        term: Term::new(1),
        connection: Connection::new(1),
        next: None,
    };
    let taken = |target: &Target| {
        let (target, mastership) = (target.clone(), mastership.clone());
        [bound(&target), Op::Mastership { target, mastership }]
    };
    let targets: Vec<Target> = (1..9).map(|n| target(&format!("leaf{n}"))).collect();
    let ops = targets.iter().flat_map(taken).collect();
    core.handle(Event::Watch(Changes { revision, ops }));
    for target in &targets {
        core.handle(connected(target, 1));
    }
    let due = core.next_due().unwrap();
    let left =
        core.clone().handle(Event::Tick(due)).into_iter().find_map(|command| match command {
            Command::Close { target, .. } => Some(target),
            _ => None,
        });
    (core, due, left.unwrap())
}

/// What a runtime has around it, at this time.
fn around(records: &Records, session: &Session, view: View, now: Timestamp) -> Around {
    let ((devices, _), (events, _)) = (mpsc::channel(8), mpsc::channel(8));
    let ((requests, _), (new_models, _)) = (mpsc::channel(8), mpsc::channel(8));
    let (publish, published) = watch::channel(Arc::new(view));
    let models = Models::default();
    let shared = Shared {
        name: name("n1"),
        session: session.id().clone(),
        clock: Clock::of(move || Duration::from_nanos(now.get())),
        targets: Arc::default(),
        models: models.clone(),
        requests,
        new_models,
        view: published,
        feed: Feed::new(),
        links: std::sync::Weak::new(),
        visits: Visits::new(1),
        drift: Arc::new(Drift::new(session.id().clone())),
        epoch: records.epoch(),
        lease: AtomicU64::new(u64::MAX),
        mandated: Lease::until(Instant::now() + session.ttl()),
        events: events.downgrade(),
        devices: devices.downgrade(),
    };
    let maker = Maker { node: name("n1"), models, devices: Arc::new(Nowhere) };
    (Arc::new(shared), Arc::new(Links::new(devices)), maker, publish, events)
}

/// The moment that brings the answer is the one in which its connection is given up: that comes first.
#[tokio::test]
async fn an_answer_that_comes_as_its_connection_is_given_up_is_none_any_more() {
    let records = Records::open_at(Arc::new(Memory::new()), Epoch::new(1)).await.unwrap();
    let session = records.begin(&name("n1")).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.jsonl");
    let trace = Trace::open(&file, &records).await.unwrap();
    let (core, now, target) = leaving(&records, &session).await;
    let view = core.view().clone();
    let (shared, links, maker, publish, events) = around(&records, &session, view, now);
    let core = (core, Some(trace));
    let mut runtime = Runtime::new(core, records, shared, links, maker, publish, events);
    let answer = answered(&target, 1);
    assert!(is_of_now(&runtime.core, &answer), "until somebody looks at the clock");
    runtime.take_in(answer);
    let trace = std::fs::read_to_string(&file).unwrap();
    assert!(trace.contains("\"close\""), "{trace}");
    assert!(!trace.contains("\"answered\""), "{trace}");
}
