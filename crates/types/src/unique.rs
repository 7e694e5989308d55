//! Reading maps and sets that must not name a thing twice. What serde has built in keeps the last
//! one without a word.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display};
use std::marker::PhantomData;

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// For `deserialize_with`: a map with each key once.
pub(crate) fn map<'de, D, K, V>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
where
    D: Deserializer<'de>,
    K: Deserialize<'de> + Ord + Display,
    V: Deserialize<'de>,
{
    deserializer.deserialize_map(Unique::<BTreeMap<K, V>>(PhantomData))
}

/// For `deserialize_with`: a set with each member once.
pub(crate) fn set<'de, D, T>(deserializer: D) -> Result<BTreeSet<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Ord + Display,
{
    deserializer.deserialize_seq(Unique::<BTreeSet<T>>(PhantomData))
}

struct Unique<T>(PhantomData<T>);

fn twice<E: Error>(what: impl Display) -> E {
    E::custom(format_args!("`{what}` is there twice"))
}

impl<'de, K, V> Visitor<'de> for Unique<BTreeMap<K, V>>
where
    K: Deserialize<'de> + Ord + Display,
    V: Deserialize<'de>,
{
    type Value = BTreeMap<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map with each key once")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut map = BTreeMap::new();
        while let Some(key) = access.next_key::<K>()? {
            if map.contains_key(&key) {
                return Err(twice(key));
            }
            map.insert(key, access.next_value()?);
        }
        Ok(map)
    }
}

impl<'de, T> Visitor<'de> for Unique<BTreeSet<T>>
where
    T: Deserialize<'de> + Ord + Display,
{
    type Value = BTreeSet<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a set with each member once")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut set = BTreeSet::new();
        while let Some(member) = access.next_element::<T>()? {
            if set.contains(&member) {
                return Err(twice(member));
            }
            set.insert(member);
        }
        Ok(set)
    }
}
