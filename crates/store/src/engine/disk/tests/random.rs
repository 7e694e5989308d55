//! A store that lives through one power cut after the other.

use lockstep_protocol::Written;
use lockstep_types::Revision;

use super::drive::{Drive, roll, small};
use super::open;
use crate::Error;
use crate::kv::{Op, Range, Txn};
use crate::ledger::{Job, Ledger};

/// Three jobs a batch, each of two keys.
fn batch(number: u64) -> Vec<Job> {
    let job = |part: u64| {
        let name = number * 3 + part;
        let op = |kind: u8| {
            let key = [&[kind], name.to_be_bytes().as_slice()].concat();
            Op::put(key, vec![kind; 300])
        };
        Job::Txn(Txn { compares: Vec::new(), ops: vec![op(b'a'), op(b'b')] })
    };
    (0..3).map(job).collect()
}

/// The revisions that are there, each with both of its keys.
fn found(ledger: &Ledger) -> Vec<Revision> {
    let mut entries = Vec::new();
    let mut next = Some(Range::all());
    while let Some(range) = next {
        let page = ledger.page(&range).unwrap();
        next = range.after(&page);
        entries.extend(page.entries);
    }
    let half = entries.len() / 2;
    let revisions = |part: &[crate::kv::Entry]| part.iter().map(|e| e.revision).collect::<Vec<_>>();
    assert_eq!(revisions(&entries[..half]), revisions(&entries[half..]), "a write is torn");
    revisions(&entries[..half])
}

#[test]
fn a_power_cut_loses_nothing_that_was_answered() {
    let mut dice = 0x1234_5678_9ABC_DEF1;
    let mut bytes = Vec::new();
    let (mut answered, mut batches, mut cuts, mut carried) = (Revision::ZERO, 0, 0, 0);
    for _ in 0..100 {
        let drive = Drive::new(bytes, small(roll(&mut dice, 120)) + 1);
        if let Ok(ledger) = open(drive.clone()) {
            while let Ok(Written::Done(revision)) = ledger.run(&batch(batches)).remove(2) {
                (answered, batches) = (revision, batches + 1);
            }
            refuses(&ledger, batches);
            cuts += 1;
        }
        bytes = drive.remains(|| roll(&mut dice, 2) == 0);
        let ledger =
            open(Drive::new(bytes.clone(), usize::MAX)).expect("a store after a power cut");
        let there = found(&ledger);
        let last = there.last().copied().unwrap_or(Revision::ZERO);
        assert!(last >= answered, "{answered} was answered, {last} is there");
        assert_eq!(there.len() as u64, last.get(), "a revision is missing");
        assert_eq!(last.get() % 3, 0, "a batch is torn");
        assert_eq!(ledger.revision().unwrap(), last);
        // What nobody was told may have happened all the same, whole.
        carried += u64::from(last > answered);
        (answered, batches) = (last, last.get() / 3);
    }
    println!("{cuts} cuts while writing, {batches} batches, {carried} unanswered but there");
    assert!(cuts > 30 && batches > 100, "{cuts} cuts, {batches} batches");
}

/// After a failure nothing more is written, or told to anyone.
fn refuses(ledger: &Ledger, batches: u64) {
    let again = ledger.run(&batch(batches + 1)).remove(0);
    assert!(matches!(again, Err(Error::Failed { .. })), "{again:?}");
    assert!(matches!(ledger.revision(), Err(Error::Failed { .. })));
}
