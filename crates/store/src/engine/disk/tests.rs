//! Power cuts: what was not synced is lost, in part or in whole, and the disk may fail at any write.

use std::io;
use std::sync::{Arc, Mutex};

use lockstep_protocol::Written;
use lockstep_types::Revision;
use redb::{Database, StorageBackend};

use super::Disk;
use crate::Error;
use crate::kv::{Op, Range, Txn};
use crate::ledger::{Job, Ledger, lock};

const SECTOR: usize = 512;

#[derive(Clone, Debug)]
enum Pending {
    Write(usize, Vec<u8>),
    Length(usize),
}

fn put(bytes: &mut Vec<u8>, change: &Pending) {
    match change {
        Pending::Write(at, data) => {
            bytes.resize(bytes.len().max(at + data.len()), 0);
            bytes[*at..at + data.len()].copy_from_slice(data);
        }
        Pending::Length(length) => bytes.resize(*length, 0),
    }
}

/// A disk with a cache that forgets, and a plug that can be pulled.
#[derive(Debug, Default)]
struct Platter {
    durable: Vec<u8>,
    cached: Vec<u8>,
    pending: Vec<Pending>,
    /// How many calls until the power goes.
    left: usize,
}

#[derive(Clone, Debug)]
struct Drive(Arc<Mutex<Platter>>);

impl Drive {
    fn new(durable: Vec<u8>, left: usize) -> Self {
        let cached = durable.clone();
        Self(Arc::new(Mutex::new(Platter { durable, cached, pending: Vec::new(), left })))
    }

    /// What is found after the power is back: what was synced, and of the rest whatever the dice say,
    /// sector by sector.
    fn remains(&self, dice: &mut u64) -> Vec<u8> {
        let platter = lock(&self.0);
        let mut bytes = platter.durable.clone();
        for change in &platter.pending {
            match change {
                Pending::Length(_) => put(&mut bytes, change),
                Pending::Write(at, data) => {
                    for (number, sector) in data.chunks(SECTOR).enumerate() {
                        if roll(dice, 2) == 0 {
                            let part = Pending::Write(at + number * SECTOR, sector.to_vec());
                            put(&mut bytes, &part);
                        }
                    }
                }
            }
        }
        bytes
    }

    fn change(&self, change: Pending) -> io::Result<()> {
        let mut platter = lock(&self.0);
        platter.power()?;
        put(&mut platter.cached, &change);
        platter.pending.push(change);
        Ok(())
    }
}

impl Platter {
    fn power(&mut self) -> io::Result<()> {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 { Err(io::Error::other("the power is out")) } else { Ok(()) }
    }
}

fn small(number: u64) -> usize {
    usize::try_from(number).unwrap()
}

impl StorageBackend for Drive {
    fn len(&self) -> io::Result<u64> {
        Ok(lock(&self.0).cached.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let platter = lock(&self.0);
        let from = small(offset);
        let found = platter.cached.get(from..from + out.len());
        out.copy_from_slice(found.ok_or_else(|| io::Error::other("beyond the end"))?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.change(Pending::Length(small(len)))
    }

    fn sync_data(&self) -> io::Result<()> {
        let platter = &mut *lock(&self.0);
        platter.power()?;
        platter.pending.drain(..).for_each(|change| put(&mut platter.durable, &change));
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.change(Pending::Write(small(offset), data.to_vec()))
    }
}

fn roll(dice: &mut u64, sides: u64) -> u64 {
    *dice ^= *dice << 13;
    *dice ^= *dice >> 7;
    *dice ^= *dice << 17;
    (*dice >> 11) % sides
}

fn open(drive: Drive) -> Result<Ledger, Error> {
    let database = Database::builder().set_cache_size(1 << 20).create_with_backend(drive);
    Ledger::open(Disk::new(database.map_err(super::failed)?)?)
}

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
        bytes = drive.remains(&mut dice);
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
