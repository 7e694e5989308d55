//! Configurations are equal, ordered and hashed by their units, tombstones and writers included.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use super::Configuration;

impl PartialEq for Configuration {
    fn eq(&self, other: &Self) -> bool {
        // Snapshots of one another, often; and mostly unequal where they are not.
        self.is_one_with(other)
            || (self.digest == other.digest
                && self.units.size() == other.units.size()
                && self.units().eq(other.units()))
    }
}

impl Eq for Configuration {}

impl Ord for Configuration {
    fn cmp(&self, other: &Self) -> Ordering {
        self.units().cmp(other.units())
    }
}

impl PartialOrd for Configuration {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Configuration {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.units.size().hash(state);
        self.units().for_each(|unit| unit.hash(state));
    }
}

impl fmt::Debug for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.units()).finish()
    }
}
