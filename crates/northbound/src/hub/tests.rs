//! Who is cut off, and why.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_node::{
    Clock, Devices, Known, Models, Options, Reached, Retention, Running, Unserved,
};
use lockstep_protocol::record::Binding;
use lockstep_store::{Memory, Records};
use lockstep_types::{NodeName, Target, Timestamp};
use lockstep_yang::ModelSet;

use super::*;

#[derive(Debug)]
struct NoDevices;

impl Devices for NoDevices {
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

async fn node() -> Running {
    let options = Options {
        name: NodeName::new("n1").unwrap(),
        records: Records::open(Arc::new(Memory::new())).await.unwrap(),
        targets: BTreeMap::new(),
        devices: Arc::new(NoDevices),
        models: Models::new(BTreeMap::new()),
        pending: 10,
        retention: Retention::default(),
        clock: Clock::default(),
        trace: None,
    };
    lockstep_node::start(options).await.unwrap()
}

fn named(name: &str) -> Target {
    Target::new(name).unwrap()
}

/// News that a target came, of some size.
fn came(name: &str, size: usize) -> Arc<News> {
    let bound = Bound { targets: [named(name)].into(), view: Arc::new(View::new()) };
    Arc::new(News {
        index: None,
        commit: String::new(),
        timestamp: Timestamp::new(1),
        targets: BTreeMap::new(),
        bound: Some(bound),
        size,
    })
}

fn everything() -> Interest {
    Interest::AllBut(BTreeSet::new())
}

fn joined(queue: Queue) -> (Member, Membership) {
    member::new(everything(), queue, Arc::new(View::new()))
}

// rule: subscribe-slow
#[tokio::test]
async fn so_many_news_wait_and_no_more() {
    let (mut member, mut mine) = joined(Queue { count: 2, bytes: 1000 });
    assert!(member.tell(&came("a", 1)) && member.tell(&came("b", 1)));
    assert!(mine.news.recv().await.is_some() && mine.cut.why().is_none());
    assert!(member.tell(&came("c", 1)) && !member.tell(&came("d", 1)));
    assert_eq!(mine.cut.off().await, Why::Behind(2));
}

// rule: subscribe-slow-bytes
#[tokio::test]
async fn so_many_bytes_wait_and_no_more() {
    let (mut member, mut mine) = joined(Queue { count: 100, bytes: 1000 });
    for _ in 0..20 {
        assert!(member.tell(&came("a", 600)) && member.tell(&came("b", 400)));
        assert!(mine.news.recv().await.is_some() && mine.news.recv().await.is_some());
    }
    // One by itself may be larger than that, or it could never be told.
    assert!(member.tell(&came("large", 5000)) && mine.news.recv().await.is_some());
    assert!(member.tell(&came("a", 600)) && !member.tell(&came("b", 401)));
    assert_eq!(mine.cut.off().await, Why::Large(1000));
}

#[tokio::test]
async fn whoever_wants_all_targets_hears_of_those_that_come() {
    let names = |names: &[&str]| names.iter().map(|name| named(name)).collect::<BTreeSet<_>>();
    let queue = Queue { count: 9, bytes: 9 };
    let join = |interest| member::new(interest, queue, Arc::new(View::new()));
    let (mut some, mut told) = join(Interest::These(names(&["a"])));
    let (mut all, mut mine) = join(Interest::AllBut(names(&["x", "y"])));
    assert!(some.tell(&came("x", 0)) && all.tell(&came("x", 0)));
    // From now on it hears of that one, and of the other no more than before.
    assert!(matches!(&all.interest, Interest::AllBut(others) if *others == names(&["y"])));
    drop((some, all));
    assert!(told.news.recv().await.is_none());
    assert!(mine.news.recv().await.is_some() && mine.news.recv().await.is_none());
}

/// A hub that follows what is sent here.
fn hub(node: &Running) -> (Hub, broadcast::Sender<Arc<Step>>) {
    let (steps, _) = broadcast::channel(2);
    let (followed, queue) = (steps.clone(), Queue { count: 100, bytes: 1000 });
    (Hub::of(node.handle(), Box::new(move || followed.subscribe()), queue), steps)
}

#[tokio::test]
async fn a_node_is_followed_while_somebody_wants_to_hear_of_it() {
    let node = node().await;
    let (hub, steps) = hub(&node);
    let view = node.handle().view();
    let (written, transactions) = (BTreeMap::new(), Vec::new());
    let bound = BTreeSet::from([named("a")]);
    let step = Arc::new(Step { view, written, transactions, bound });
    for _ in 0..3 {
        assert_eq!(steps.receiver_count(), 0);
        let mut member = hub.join(everything(), Revision::default()).await.unwrap();
        let other = hub.join(everything(), Revision::default()).await.unwrap();
        assert_eq!(steps.receiver_count(), 1);
        steps.send(Arc::clone(&step)).unwrap();
        assert!(member.news.recv().await.is_some());
        drop((member, other));
        steps.send(Arc::clone(&step)).unwrap();
        while steps.receiver_count() > 0 {
            tokio::task::yield_now().await;
        }
    }
    node.stop().await.unwrap();
}

// rule: subscribe-missed
#[tokio::test]
async fn a_hub_that_missed_something_cuts_everybody_off() {
    let node = node().await;
    let (hub, steps) = hub(&node);
    let mut first = hub.join(everything(), Revision::default()).await.unwrap();
    let (written, transactions) = (BTreeMap::new(), Vec::new());
    let bound = BTreeSet::from([named("a")]);
    let step = Step { view: node.handle().view(), written, transactions, bound };
    let step = Arc::new(step);
    // What is told in turn arrives.
    steps.send(Arc::clone(&step)).unwrap();
    assert!(first.news.recv().await.is_some());
    // The hub has no chance to take these in before there are too many.
    for _ in 0..5 {
        steps.send(Arc::clone(&step)).unwrap();
    }
    assert_eq!(first.cut.off().await, Why::Missed);
    assert!(first.news.recv().await.is_none());
    // Whoever comes now begins anew.
    let mut second = hub.join(everything(), Revision::default()).await.unwrap();
    steps.send(step).unwrap();
    assert!(second.news.recv().await.is_some() && second.cut.why().is_none());
    node.stop().await.unwrap();
}
