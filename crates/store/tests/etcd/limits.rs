//! What the store says it takes, etcd takes.

use lockstep_protocol::Written;
use lockstep_store::Store;
use lockstep_store::kv::{Compare, Op, Range, Txn};

use crate::server::Cluster;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_largest_write_is_taken() {
    let cluster = Cluster::start(1);
    for prefix in ["p", &"long/".repeat(50)] {
        let store = cluster.store(prefix.trim_end_matches('/')).await;
        let limits = store.limits();
        assert!(limits.bytes > 1_300 << 10, "{limits:?}");
        let keys: Vec<String> = (0..limits.operations).map(|n| format!("{n:03}")).collect();
        let named: usize = 2 * keys.iter().map(String::len).sum::<usize>();
        let each = (limits.bytes - named) / keys.len();
        let spare = limits.bytes - named - each * keys.len();
        let value = |n: usize| vec![7; each + if n == 0 { spare } else { 0 }];
        let compares = keys.iter().map(|key| Compare::Absent(key.as_bytes().into())).collect();
        let ops = keys.iter().enumerate().map(|(n, key)| Op::put(key.as_bytes(), value(n)));
        let txn = Txn { compares, ops: ops.collect() };
        assert_eq!(txn.bytes(), limits.bytes);
        assert!(matches!(store.txn(txn).await.unwrap(), Written::Done(_)));

        // And so is the largest value, which a page holds alone.
        let one = Txn { compares: vec![], ops: vec![Op::put(*b"x", vec![7; limits.bytes - 1])] };
        assert!(matches!(store.txn(one).await.unwrap(), Written::Done(_)));
        let page = store.range(Range::key(*b"x")).await.unwrap();
        assert_eq!((page.entries[0].value.len(), page.next), (limits.bytes - 1, None));
        let found = crate::common::all(&store).await.1;
        assert_eq!(found.len(), keys.len() + 1);
    }
}
