//! A batch is one sync of the disk, however many share it.

use super::drive::Drive;
use super::open;
use crate::kv::{Op, Txn};
use crate::ledger::Job;

#[test]
fn a_batch_is_one_sync() {
    let drive = Drive::new(Vec::new(), usize::MAX);
    let ledger = open(drive.clone()).unwrap();
    for jobs in [1_u64, 16, 64, 256] {
        let job = |n: u64| {
            let op = Op::put([jobs.to_be_bytes(), n.to_be_bytes()].concat(), vec![0; 400]);
            Job::Txn(Txn { compares: Vec::new(), ops: vec![op] })
        };
        let before = (drive.syncs(), ledger.commits());
        let batch: Vec<Job> = (0..jobs).map(job).collect();
        assert!(ledger.run(&batch).iter().all(Result::is_ok));
        let after = (drive.syncs(), ledger.commits());
        assert_eq!((after.0 - before.0, after.1 - before.1), (1, 1), "{jobs} in one batch");
    }
}
