//! One step of a path.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::Map;

/// The keys of a list entry, by name.
pub type Keys = Map<String, String>;

/// Matches any one element as a name, and any value as the value of a key.
pub(super) const ONE: &str = "*";
/// Matches any number of elements.
pub(super) const MANY: &str = "...";

/// An element that cannot be part of a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It has no name.
    #[error("path element has an empty name")]
    EmptyName,
    /// One of its keys has no name.
    #[error("path element `{element}` has a key with an empty name")]
    EmptyKey {
        /// The name of the element.
        element: Box<str>,
    },
    /// `...` stands for any number of elements, so keys on it mean nothing.
    #[error("path element `...` cannot have the key `{key}`")]
    KeyOnMany {
        /// The name of the key.
        key: String,
    },
}

/// One step of a path: a name, and for a list entry the values of its keys.
///
/// Elements are ordered by name, then by keys, fewer keys first; so a list comes right before its
/// entries. A clone shares everything: the same few elements are in most paths of a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Element(Arc<Inner>);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Inner {
    /// That of all entries of a list is the same.
    name: Arc<str>,
    keys: Keys,
}

impl Ord for Element {
    fn cmp(&self, other: &Self) -> Ordering {
        // Neighbours in a configuration mostly share theirs.
        if Arc::ptr_eq(&self.0, &other.0) { Ordering::Equal } else { self.0.cmp(&other.0) }
    }
}

impl PartialOrd for Element {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Element {
    /// The element with this name and no keys.
    pub fn new(name: impl AsRef<str>) -> Result<Self, Error> {
        let name = name.as_ref();
        if name.is_empty() {
            return Err(Error::EmptyName);
        }
        Ok(Self(Arc::new(Inner { name: name.into(), keys: Keys::new() })))
    }

    /// The same element with one more key, or another value for the key it has.
    pub fn with_key(
        mut self,
        key: impl Into<String>,
        value: impl Into<String>,
    ) -> Result<Self, Error> {
        let key = key.into();
        if key.is_empty() {
            return Err(Error::EmptyKey { element: self.name().into() });
        }
        if self.is_many() {
            return Err(Error::KeyOnMany { key });
        }
        let keys = &mut Arc::make_mut(&mut self.0).keys;
        // Put together anew, so that it takes no more room than it needs: there are many of these.
        *keys = std::mem::take(keys).into_iter().chain([(key, value.into())]).collect();
        Ok(self)
    }

    /// The name, never empty.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The keys by name; none for what is not a list entry.
    pub fn keys(&self) -> &Keys {
        &self.0.keys
    }

    /// The value of one key.
    pub fn key(&self, name: &str) -> Option<&str> {
        self.0.keys.get(name).map(String::as_str)
    }

    /// Whether this is `...`, which stands for any number of elements.
    pub(super) fn is_many(&self) -> bool {
        self.name() == MANY
    }

    /// The same name without keys.
    pub(super) fn bare(&self) -> Self {
        self.with_keys(Keys::new())
    }

    /// The same name with other keys. Only for keys that some element had, or for a position in a
    /// scan.
    pub(super) fn with_keys(&self, keys: Keys) -> Self {
        Self(Arc::new(Inner { name: self.0.name.clone(), keys }))
    }
}
