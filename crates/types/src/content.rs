//! What a unit of state holds when it is there.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Keys, Value};

/// The content of a unit of state. The path says where it stands, and with the schema which of
/// these it can be. A clone shares what is inside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// The value of a leaf.
    Leaf(Value),
    /// The values of a leaf-list: all of them, in their order. Where the system orders them,
    /// whoever makes the content sorts them, so that the same values are the same content.
    LeafList(Arc<[Value]>),
    /// A list entry is there. Its path ends in all the keys of the list.
    Entry,
    /// A presence container is there.
    Presence,
    /// The order of the entries of a user-ordered list, by their keys. It stands at the path of the
    /// list, without keys, exactly while the list has entries; so its absence means an empty list.
    Order(Arc<[Keys]>),
}

impl Content {
    /// A leaf with this value.
    pub fn leaf(value: impl Into<Value>) -> Self {
        Self::Leaf(value.into())
    }

    /// A leaf-list with these values.
    pub fn leaf_list<V: Into<Value>>(values: impl IntoIterator<Item = V>) -> Self {
        Self::LeafList(values.into_iter().map(Into::into).collect())
    }
}

impl<V: Into<Value>> From<V> for Content {
    fn from(value: V) -> Self {
        Self::leaf(value)
    }
}
