//! Reading sets that must not name a thing twice. What serde has built in keeps the last one without a
//! word.

use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// For `deserialize_with`: a set with each member once.
pub(crate) fn set<'de, D, T>(deserializer: D) -> Result<Arc<BTreeSet<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Ord + Display,
{
    deserializer.deserialize_seq(Unique(PhantomData)).map(Arc::new)
}

struct Unique<T>(PhantomData<T>);

impl<'de, T> Visitor<'de> for Unique<T>
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
                return Err(A::Error::custom(format_args!("`{member}` is there twice")));
            }
            set.insert(member);
        }
        Ok(set)
    }
}
