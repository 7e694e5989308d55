//! Ordered maps that are short for the most part, and read far more often than changed.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use litemap::LiteMap;
use serde::de::{DeserializeSeed, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A map in the order of its keys, kept as one sorted vector.
///
/// A proposal, a patch or the keys of a list entry mostly hold one or two things, and a node of a tree
/// has room for eleven: at a hundred thousand transactions that is the difference between megabytes
/// and gigabytes. Whoever builds a long one does so in order, or at once from an iterator.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Map<K, V>(LiteMap<K, V>);

impl<K, V> Map<K, V> {
    /// A map of nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self(LiteMap::new_vec())
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Map<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter()).finish()
    }
}

impl<K, V> Deref for Map<K, V> {
    type Target = LiteMap<K, V>;

    fn deref(&self) -> &LiteMap<K, V> {
        &self.0
    }
}

impl<K, V> DerefMut for Map<K, V> {
    fn deref_mut(&mut self) -> &mut LiteMap<K, V> {
        &mut self.0
    }
}

/// The last one counts where a key comes twice.
impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<T: IntoIterator<Item = (K, V)>>(entries: T) -> Self {
        let mut entries: Vec<(K, V)> = entries.into_iter().collect();
        if !is_sorted(&entries) {
            // A tree keeps the last of equal keys, in order.
            entries = BTreeMap::from_iter(entries).into_iter().collect();
        }
        Self::sorted(entries)
    }
}

impl<K: Ord, V> Map<K, V> {
    fn sorted(mut entries: Vec<(K, V)>) -> Self {
        entries.shrink_to_fit();
        Self(LiteMap::from_sorted_store_unchecked(entries))
    }
}

fn is_sorted<K: Ord, V>(entries: &[(K, V)]) -> bool {
    entries.is_sorted_by(|(one, _), (other, _)| one < other)
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for Map<K, V> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<K: Ord, V> Extend<(K, V)> for Map<K, V> {
    fn extend<T: IntoIterator<Item = (K, V)>>(&mut self, entries: T) {
        let before = std::mem::take(self);
        *self = before.into_iter().chain(entries).collect();
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_tuple_vec().into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a Map<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries()
    }
}

/// The entries of a map, in order.
pub type Iter<'a, K, V> = std::iter::Map<std::slice::Iter<'a, (K, V)>, Entry<K, V>>;
type Entry<K, V> = fn(&(K, V)) -> (&K, &V);

impl<K, V> Map<K, V> {
    /// The entries, in order.
    pub fn entries(&self) -> Iter<'_, K, V> {
        self.0.as_slice().iter().map(|(key, value)| (key, value))
    }
}

impl<K: Serialize, V: Serialize> Serialize for Map<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

/// What can be the key of a map that is read.
pub trait Name: Ord + Display + Sized {
    /// What is remembered from one key to the next.
    type Reader: Default;

    /// The key with this text, or what is wrong with it.
    #[allow(clippy::missing_errors_doc, reason = "just said")]
    fn read(reader: &mut Self::Reader, text: &str) -> Result<Self, String>;
}

impl Name for String {
    type Reader = ();

    fn read((): &mut (), text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }
}

/// Each key once: what serde has built in would keep the last one without a word.
impl<'de, K: Name, V: Deserialize<'de>> Deserialize<'de> for Map<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Whole(PhantomData))
    }
}

struct Whole<K, V>(PhantomData<(K, V)>);

impl<'de, K: Name, V: Deserialize<'de>> Visitor<'de> for Whole<K, V> {
    type Value = Map<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map with each key once")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let (mut entries, mut reader) = (Vec::new(), K::Reader::default());
        while let Some(key) = access.next_key_seed(Key::<K>(&mut reader))? {
            entries.push((key, access.next_value()?));
        }
        if !is_sorted(&entries) {
            entries.sort_by(|(one, _), (other, _)| one.cmp(other));
            let twice = entries.windows(2).find(|pair| pair[0].0 == pair[1].0);
            if let Some([(key, _), _]) = twice {
                return Err(A::Error::custom(format_args!("`{key}` is there twice")));
            }
        }
        Ok(Map::sorted(entries))
    }
}

struct Key<'a, K: Name>(&'a mut K::Reader);

impl<'de, K: Name> DeserializeSeed<'de> for Key<'_, K> {
    type Value = K;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<K, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<K: Name> Visitor<'_> for Key<'_, K> {
    type Value = K;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the text of a key")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<K, E> {
        K::read(self.0, text).map_err(E::custom)
    }
}
