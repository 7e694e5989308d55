//! Targets and their models, at the start of a node.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use lockstep_node::{StartError, start};
use lockstep_protocol::Written;
use lockstep_protocol::record::{Header, Initial, Key};
use lockstep_store::kv::{Compare, Limits, Op, Range, Txn};
use lockstep_store::{Memory, Records, Store};
use lockstep_types::{Patch, Target};
use lockstep_yang::{ModelSet, Options as Models};

use crate::lab::{models, options, spec};
use crate::slow::Slow;

/// Models that demand something of a device that has nothing.
fn demanding() -> ModelSet {
    let folder = tempfile::tempdir().unwrap();
    let module = "module demanding { namespace 'urn:demanding'; prefix d;
        container system { leaf name { type string; mandatory true; } leaf motd { type string; } } }";
    fs::write(folder.path().join("demanding.yang"), module).unwrap();
    let path = folder.path().to_owned();
    ModelSet::load(&Models { path, modules: Vec::new(), features: Vec::new(), origin: None })
        .unwrap()
}

async fn started(records: &Records, models: &ModelSet) -> Result<(), StartError> {
    // Nobody listens there, and nobody needs to.
    let nowhere = "127.0.0.1:1".parse().unwrap();
    let targets = vec![spec(1, nowhere, models, Initial::Adopt)];
    start(options(records.clone(), targets)).await?.stop().await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_target_need_not_have_what_its_models_demand() {
    let records = Records::open(Arc::new(Memory::new())).await.unwrap();
    started(&records, &demanding()).await.unwrap();
}

/// Whatever a write compares or puts below a prefix.
fn below(txn: &Txn, prefix: &str) -> Vec<Vec<u8>> {
    let compared = txn.compares.iter().map(Compare::key);
    let keys = compared.chain(txn.ops.iter().map(Op::key));
    keys.filter(|key| key.starts_with(prefix.as_bytes())).map(|key| key.to_vec()).collect()
}

/// Writes what is there once more, as somebody else might.
fn touch(memory: &Memory, keys: Range) {
    let page = memory.range(keys).now_or_never().unwrap().unwrap();
    let ops = page.entries.iter().map(|entry| Op::put(entry.key.clone(), entry.value.clone()));
    let txn = Txn { compares: Vec::new(), ops: ops.collect() };
    memory.txn(txn).now_or_never().unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn targets_are_reached_elsewhere_however_busy_they_are() {
    // Before each write of bindings every target is written to; and the first few times, one of them is bound as well.
    let (writes, in_the_way) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, left) = (Arc::clone(&writes), Arc::clone(&in_the_way));
    let busy = move |memory: &Memory, txn: &Txn| {
        if txn.ops.iter().any(|op| op.key().starts_with(b"binding/")) {
            counted.fetch_add(1, Ordering::Relaxed);
            touch(memory, Range::prefix("configuration/"));
            if left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok()
            {
                touch(memory, Range::key(below(txn, "binding/")[0].clone()));
            }
        }
        true
    };
    let records = Records::open(Arc::new(Slow::new(busy))).await.unwrap();
    let models = models();
    let bound_to = async |address: &str| {
        let address = address.parse().unwrap();
        let targets = (1..=20).map(|n| spec(n, address, &models, Initial::Adopt)).collect();
        let node = start(options(records.clone(), targets)).await?;
        let view = node.handle().view();
        node.stop().await.unwrap();
        Ok::<_, StartError>(view)
    };
    bound_to("127.0.0.1:1").await.unwrap();
    // Something of each is to be written to: so far there are bindings alone.
    let configured = records.load().await.unwrap();
    let header = |target: &Target| lockstep_protocol::Op::Configuration {
        target: target.clone(),
        header: Header::NEW,
        committed: Patch::new(),
        applied: Patch::new(),
        cleared: false,
    };
    let absent =
        |target: &Target| lockstep_protocol::Compare::Absent(Key::Configuration(target.clone()));
    let targets: Vec<Target> = configured.targets().cloned().collect();
    let txn = lockstep_protocol::Txn {
        compares: targets.iter().map(absent).collect(),
        ops: targets.iter().map(header).collect(),
    };
    assert!(matches!(records.write(txn).await.unwrap(), Written::Done(_)));

    writes.store(0, Ordering::Relaxed);
    let view = bound_to("127.0.0.1:2").await.unwrap();
    assert!(targets.iter().all(|target| view.binding(target).unwrap().details == "127.0.0.1:2"));
    assert_eq!(writes.load(Ordering::Relaxed), 1, "all of them at once");

    in_the_way.store(7, Ordering::Relaxed);
    let view = bound_to("127.0.0.1:3").await.unwrap();
    assert!(targets.iter().all(|target| view.binding(target).unwrap().details == "127.0.0.1:3"));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_targets_are_bound_with_few_writes() {
    let limits = Limits { operations: 20, bytes: 1 << 20 };
    let records = Records::open(Arc::new(Memory::with_limits(limits))).await.unwrap();
    let (nowhere, models) = ("127.0.0.1:1".parse().unwrap(), models());
    let targets = || (1..=95).map(|n| spec(n, nowhere, &models, Initial::Adopt)).collect();
    let before = records.revision().await.unwrap();
    let node = start(options(records.clone(), targets())).await.unwrap();
    assert_eq!(node.handle().view().targets().count(), 95);
    node.stop().await.unwrap();
    // Ten at once, and the session.
    let written = records.revision().await.unwrap().get() - before.get();
    assert!((10..=14).contains(&written), "{written}");
    // All of them are as they are to be.
    start(options(records.clone(), targets())).await.unwrap().stop().await.unwrap();
    let again = records.revision().await.unwrap().get() - before.get() - written;
    assert!(again <= 4, "{again}");
}
