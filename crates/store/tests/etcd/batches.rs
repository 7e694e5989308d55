//! Transactions that wait go out together, and each is answered as if it had gone alone.

use std::future::poll_fn;
use std::task::Poll;

use lockstep_protocol::Written;
use lockstep_store::etcd::Options;
use lockstep_store::kv::{Compare, Lease, Op, Txn};
use lockstep_store::{Error, Etcd, Pending, Store};
use lockstep_types::Revision;

use crate::common::{
    absent, all, get, insist, next, put, told, txn, unchanged, until, watch, write,
};
use crate::proxy::{Proxy, Wire};
use crate::server::{Cluster, Setup};

/// A store on which one transaction is under way, and stays so until the wire carries answers again.
struct Held {
    store: Etcd,
    proxy: Proxy,
}

type Answers<'a> = Vec<Pending<'a, Written>>;

impl Held {
    async fn new(cluster: &mut Cluster, prefix: &str) -> Self {
        let options = cluster.options(prefix);
        Self::with(cluster, options).await
    }

    async fn with(cluster: &mut Cluster, mut options: Options) -> Self {
        let proxy = Proxy::start(cluster.member(0).port).await;
        options.endpoints[0] = format!("127.0.0.1:{}", proxy.port);
        let store = Etcd::open(&options).await.unwrap();
        Self { store, proxy }
    }

    /// Has one go out, and the others wait behind it.
    async fn line(&self, txns: Vec<Txn>) -> Answers<'_> {
        self.proxy.set(Wire::Deaf);
        let before = self.store.requests();
        let first = Txn { compares: vec![], ops: vec![put("first", "")] };
        let mut answers = vec![begun(self.store.txn(first)).await];
        until("it is under way", async || self.store.requests() > before).await;
        for txn in txns {
            answers.push(begun(self.store.txn(txn)).await);
        }
        answers
    }

    /// Lets the first come through, and with it the others.
    fn open(&self) {
        self.proxy.set(Wire::Open);
    }
}

/// Asks once, so that it is in the line.
async fn begun(mut answer: Pending<'_, Written>) -> Pending<'_, Written> {
    let poll = poll_fn(|context| Poll::Ready(answer.as_mut().poll(context).is_pending()));
    // However many were asked before, it does get there.
    let pending = tokio::task::unconstrained(poll).await;
    assert!(pending, "nothing is answered");
    answer
}

/// The answers to those that waited.
async fn answered(answers: Answers<'_>) -> Vec<Result<Written, Error>> {
    let mut all = Vec::new();
    for answer in answers {
        all.push(answer.await);
    }
    all.remove(0).expect("the first one has nothing to do with it");
    all
}

fn only(compares: Vec<Compare>, op: Op) -> Txn {
    Txn { compares, ops: vec![op] }
}

fn done(answer: &Result<Written, Error>) -> Revision {
    match answer {
        Ok(Written::Done(revision)) => *revision,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_that_wait_share_a_request_and_a_revision() {
    let mut cluster = Cluster::start(1);
    let direct = cluster.store("share").await;
    let held = Held::new(&mut cluster, "share").await;
    let mut feed = watch(&direct, direct.revision().await.unwrap()).await;
    let before = held.store.requests();
    let names: Vec<String> = (0..100).map(|n| format!("k{n:03}")).collect();
    let line = names.iter().map(|name| only(vec![absent(name)], put(name, "x"))).collect();
    let answers = held.line(line).await;
    held.open();
    let answers = answered(answers).await;
    assert_eq!(held.store.requests() - before, 2, "one, and all the others");
    assert_eq!(told(&next(&mut feed).await), ["first="]);
    let commit = next(&mut feed).await;
    let expected: Vec<String> = names.iter().map(|name| format!("{name}=x")).collect();
    assert_eq!(told(&commit), expected, "in the order they came");
    assert!(answers.iter().all(|answer| done(answer) == commit.revision));
    // Each can be built upon.
    let (_, entries) = all(&direct).await;
    for entry in entries.iter().filter(|entry| entry.key.starts_with(b"k")) {
        assert_eq!(entry.revision, commit.revision);
    }
    let again = unchanged("k007", commit.revision);
    assert!(matches!(txn(&held.store, &[again], &[put("k007", "y")]).await, Ok(Written::Done(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_is_stale_leaves_the_others_alone() {
    let mut cluster = Cluster::start(1);
    let direct = cluster.store("stale").await;
    let there = write(&direct, &[put("there", "1")]).await;
    let held = Held::new(&mut cluster, "stale").await;
    let before = held.store.requests();
    let line = vec![
        only(vec![absent("a")], put("a", "1")),
        only(vec![absent("there")], put("b", "1")),
        only(vec![unchanged("there", there)], put("c", "1")),
        only(vec![unchanged("there", Revision::new(1))], put("d", "1")),
        // Nothing to remove, so it changes nothing; and one that only asks.
        only(vec![], Op::Delete(b"nothing"[..].into())),
        Txn { compares: vec![absent("nowhere")], ops: vec![] },
        Txn { compares: vec![absent("there")], ops: vec![] },
    ];
    let answers = held.line(line).await;
    held.open();
    let answers = answered(answers).await;
    assert_eq!(held.store.requests() - before, 2);
    let made = done(&answers[0]);
    for (at, fine) in [true, false, true, false, true, true, false].into_iter().enumerate() {
        let expected = if fine { Written::Done(made) } else { Written::Stale(made) };
        assert_eq!(*answers[at].as_ref().unwrap(), expected, "{at}");
    }
    let (_, entries) = all(&direct).await;
    let keys: Vec<&[u8]> = entries.iter().map(|entry| &*entry.key).collect();
    assert_eq!(keys, [&b"a"[..], b"c", b"first", b"there"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_that_do_not_get_along_go_one_after_the_other() {
    let mut cluster = Cluster::start(1);
    let direct = cluster.store("apart").await;
    let there = write(&direct, &[put("x", "0")]).await;
    let held = Held::new(&mut cluster, "apart").await;
    let before = held.store.requests();
    let line = vec![
        only(vec![], put("x", "1")),
        // What it compares was just written, and it must notice.
        only(vec![unchanged("x", there)], put("y", "1")),
        only(vec![], put("x", "2")),
        only(vec![], put("z", "1")),
        only(vec![absent("y")], put("x", "3")),
    ];
    let answers = held.line(line).await;
    held.open();
    let answers = answered(answers).await;
    assert_eq!(held.store.requests() - before, 1 + 4);
    let (one, two, three) = (done(&answers[0]), done(&answers[2]), done(&answers[4]));
    assert!(one < two && two < three);
    assert_eq!(done(&answers[3]), one, "nothing was in its way");
    assert!(matches!(answers[1], Ok(Written::Stale(_))), "{answers:?}");
    assert_eq!(&*get(&direct, "x").await.unwrap().value, b"3");
    assert!(get(&direct, "y").await.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_is_refused_takes_nobody_with_it() {
    let mut cluster = Cluster::start(1);
    let direct = cluster.store("refused").await;
    let held = Held::new(&mut cluster, "refused").await;
    let gone = Lease(4_711);
    let member = |n: usize| {
        let lease = (n == 5).then_some(gone);
        Op::Put { key: n.to_string().as_bytes().into(), value: b"x"[..].into(), lease }
    };
    let answers = held.line((0..12).map(|n| only(vec![], member(n))).collect()).await;
    held.open();
    for (n, answer) in answered(answers).await.iter().enumerate() {
        match answer {
            Err(Error::LeaseGone(lease)) if n == 5 => assert_eq!(*lease, gone),
            answer => {
                let made = done(answer);
                assert_eq!(get(&direct, &n.to_string()).await.unwrap().revision, made);
            }
        }
    }
    assert!(get(&direct, "5").await.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_that_takes_less_at_once_is_no_hindrance() {
    let setup = Setup { args: vec!["--max-txn-ops=9".to_owned()], ..Setup::default() };
    let mut cluster = Cluster::start_with(1, &setup);
    let direct = cluster.store("less").await;
    let held = Held::new(&mut cluster, "less").await;
    let before = held.store.requests();
    let answers =
        held.line((0..32).map(|n| only(vec![], put(&n.to_string(), "x"))).collect()).await;
    held.open();
    for (n, answer) in answered(answers).await.iter().enumerate() {
        assert_eq!(get(&direct, &n.to_string()).await.unwrap().revision, done(answer));
    }
    // 32 and twice 16 are refused, four times 8 are taken.
    assert_eq!(held.store.requests() - before, 1 + 1 + 2 + 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_became_of_a_batch_without_an_answer_is_unknown_of_each() {
    let mut cluster = Cluster::start(3);
    let direct = cluster.store("lost").await;
    let options = cluster.quick("lost");
    let held = Held::with(&mut cluster, options).await;
    let mut feed = watch(&direct, direct.revision().await.unwrap()).await;
    let large = "x".repeat(4 << 10);
    let names: Vec<String> = (0..10).map(|n| format!("k{n}")).collect();
    let line = names.iter().map(|name| only(vec![], put(name, &large))).collect();
    let answers = held.line(line).await;
    held.proxy.set(Wire::DeafAfter(8 << 10));
    for answer in answered(answers).await {
        assert!(matches!(answer, Err(Error::Unknown { .. })), "{answer:?}");
    }
    // It did happen, and none of it was sent again; the store goes on with another member.
    insist(|| txn(&held.store, &[], &[put("end", "")])).await;
    assert_eq!(told(&next(&mut feed).await), ["first="]);
    let batch = next(&mut feed).await;
    assert_eq!(batch.events.len(), names.len());
    assert_eq!(told(&next(&mut feed).await), ["end="]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_waits_for_long_for_a_cluster_that_is_gone() {
    let mut cluster = Cluster::start(1);
    let mut options = cluster.options("gone");
    options.timeout = std::time::Duration::from_millis(300);
    let store = Etcd::open(&options).await.unwrap();
    write(&store, &[put("a", "1")]).await;
    cluster.member(0).kill();
    // All on one key, so that each would have to wait for the one before it.
    let tries = (0..100).map(|_| begun(store.txn(only(vec![], put("a", "2")))));
    let mut answers = Vec::new();
    for one in tries {
        answers.push(one.await);
    }
    let answers = async {
        for answer in answers {
            let answer = answer.await;
            assert!(answer.as_ref().is_err_and(Error::is_retryable), "{answer:?}");
        }
    };
    tokio::time::timeout(crate::server::DEADLINE, answers).await.expect("answers");
    cluster.member(0).restart();
    insist(|| txn(&store, &[], &[put("a", "3")])).await;
}

/// Writes so often, so many at a time, each to a key of its own; how many requests that took.
async fn requests(store: &Etcd, flight: usize, each: usize) -> u64 {
    let before = store.requests();
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..flight {
        let store = store.clone();
        writers.spawn(async move {
            let (key, mut at) = (format!("{flight}/{writer}"), Revision::ZERO);
            for round in 0..each {
                let write = txn(&store, &[unchanged(&key, at)], &[put(&key, &round.to_string())]);
                at = done(&write.await);
            }
        });
    }
    writers.join_all().await;
    store.requests() - before
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_more_are_in_flight_the_fewer_requests_each_takes() {
    let cluster = Cluster::start(1);
    let store = cluster.store("counted").await;
    for (flight, each, most) in [(1, 50, 50), (16, 50, 800 / 4), (64, 50, 3_200 / 8)] {
        let requests = requests(&store, flight, each).await;
        println!("{flight} in flight: {requests} requests for {} transactions", flight * each);
        assert!(requests <= most, "{flight} in flight: {requests}");
    }
}
