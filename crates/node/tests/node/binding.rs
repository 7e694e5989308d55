//! Targets and their models, at the start of a node.

use std::fs;
use std::sync::Arc;

use lockstep_node::{StartError, start};
use lockstep_protocol::record::Initial;
use lockstep_store::kv::Limits;
use lockstep_store::{Memory, Records};
use lockstep_yang::{ModelSet, Options as Models};

use crate::lab::{models, options, spec};

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
