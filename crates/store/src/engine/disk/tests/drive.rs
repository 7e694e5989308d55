//! A disk that forgets what was not synced, and whose power can be cut at any call.

use std::io;
use std::sync::{Arc, Mutex};

use redb::StorageBackend;

use crate::ledger::lock;

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
    calls: usize,
    syncs: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Drive(Arc<Mutex<Platter>>);

impl Drive {
    pub(super) fn new(durable: Vec<u8>, left: usize) -> Self {
        let cached = durable.clone();
        Self(Arc::new(Mutex::new(Platter {
            durable,
            cached,
            pending: Vec::new(),
            left,
            calls: 0,
            syncs: 0,
        })))
    }

    /// What is found after the power is back: what was synced, and of the rest what `keep` says,
    /// sector by sector.
    pub(super) fn remains(&self, mut keep: impl FnMut() -> bool) -> Vec<u8> {
        let platter = lock(&self.0);
        let mut bytes = platter.durable.clone();
        for change in &platter.pending {
            match change {
                Pending::Length(_) => put(&mut bytes, change),
                Pending::Write(at, data) => {
                    for (number, sector) in data.chunks(SECTOR).enumerate() {
                        if keep() {
                            let part = Pending::Write(at + number * SECTOR, sector.to_vec());
                            put(&mut bytes, &part);
                        }
                    }
                }
            }
        }
        bytes
    }

    /// How many calls there have been.
    pub(super) fn calls(&self) -> usize {
        lock(&self.0).calls
    }

    /// How many of them made something durable.
    pub(super) fn syncs(&self) -> usize {
        lock(&self.0).syncs
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
        self.calls += 1;
        self.left = self.left.saturating_sub(1);
        if self.left == 0 { Err(io::Error::other("the power is out")) } else { Ok(()) }
    }
}

pub(super) fn small(number: u64) -> usize {
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
        platter.syncs += 1;
        platter.pending.drain(..).for_each(|change| put(&mut platter.durable, &change));
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.change(Pending::Write(small(offset), data.to_vec()))
    }
}

pub(super) fn roll(dice: &mut u64, sides: u64) -> u64 {
    *dice ^= *dice << 13;
    *dice ^= *dice >> 7;
    *dice ^= *dice << 17;
    (*dice >> 11) % sides
}
