//! Nodes of two versions on one store, as during a rolling restart.

use std::sync::Arc;

use lockstep_node::{Models, Options, StartError, start};
use lockstep_protocol::Reply;
use lockstep_protocol::record::{Initial, Status};
use lockstep_store::Error::NewerFormat;
use lockstep_store::{Memory, Records, Store};
use lockstep_types::NodeName;

use crate::lab::{Lab, models, options, spec};

/// A node of the next version, and later the other one in that version, beside a node of this one.
#[tokio::test(flavor = "multi_thread")]
async fn a_store_is_for_every_version_until_no_older_one_is_left() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let older = Records::open_knowing(Arc::clone(&store), 1).await.unwrap();
    let newer = Records::open_knowing(Arc::clone(&store), 2).await.unwrap();
    let (set, named) = (models(), |name: &str| NodeName::new(name).unwrap());
    let lab = Lab::begin(older.clone(), 1, |i, at| spec(i, at, &set, Initial::Adopt)).await;
    let begin = |records: &Records, name| {
        let models = Models::new([("lab".to_owned(), set.clone())].into());
        start(Options { name: named(name), models, ..options(records.clone(), Vec::new()) })
    };
    let second = begin(&newer, "n2").await.unwrap();
    assert_eq!(newer.raise().await.unwrap(), 1, "the older one is there");

    // Either takes what is asked, whoever carries it to the device.
    for (node, motd) in [(lab.handle(), "older"), (second.handle(), "newer")] {
        let reply = node.submit(lab.request(&["leaf1"], motd)).await.unwrap();
        assert!(matches!(reply, Reply::Transaction { status: Status::Applied, .. }), "{reply:?}");
    }

    // The older one goes; it may come back until the first of the next version begins.
    let simulator = lab.leave().await;
    begin(&older, "n1").await.unwrap().stop().await.unwrap();
    let first = begin(&newer, "n1").await.unwrap();
    assert_eq!(newer.raise().await.unwrap(), 2);
    let refused = begin(&older, "n3").await;
    let Err(StartError::Store(error)) = refused else { panic!("{:?}", refused.map(drop)) };
    assert!(matches!(error, NewerFormat { found: 2, known: 1 }), "{error}");
    for node in [first, second] {
        node.stop().await.unwrap();
    }
    simulator.stop().await;
}
