//! The map in memory.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Mutex, PoisonError};

use super::{Engine, Fault, Reading, Writing};

type Map = BTreeMap<Vec<u8>, Vec<u8>>;

/// A tree in memory; gone with the process.
#[derive(Debug, Default)]
pub(crate) struct Tree(Mutex<Map>);

impl Engine for Tree {
    fn read(&self, work: &mut dyn FnMut(&dyn Reading) -> Result<(), Fault>) -> Result<(), Fault> {
        work(&*self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Nothing in here fails, so there is never anything to take back.
    fn write(
        &self,
        work: &mut dyn FnMut(&mut dyn Writing) -> Result<bool, Fault>,
    ) -> Result<(), Fault> {
        work(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).map(drop)
    }
}

impl Reading for Map {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
        Ok(BTreeMap::get(self, key).cloned())
    }

    fn scan(
        &self,
        from: &[u8],
        until: Option<&[u8]>,
        each: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), Fault> {
        let empty = until.is_some_and(|until| until <= from);
        let bounds = (Bound::Included(from), until.map_or(Bound::Unbounded, Bound::Excluded));
        if !empty {
            let _enough = self.range::<[u8], _>(bounds).all(|(key, value)| each(key, value));
        }
        Ok(())
    }
}

impl Writing for Map {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
        Ok(self.insert(key.to_vec(), value.to_vec()))
    }

    fn remove(&mut self, key: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
        Ok(BTreeMap::remove(self, key))
    }
}
