//! Paths to units of state: how they are built, compared and ordered.

mod display;
pub mod element;
mod error;
mod parse;
mod pattern;
pub(crate) mod scan;
mod text;

use std::sync::Arc;

pub use element::{Element, Keys};
pub use error::{Error, Expected, Found};

/// Where a unit of state stands in a target's configuration: elements from the root down.
///
/// Paths are compared element by element and each element by name, then by keys. So in any ordered
/// map everything under a path follows it without a gap, and so do the entries of a list after the
/// path of the list. A clone shares the elements.
///
/// The text form is gNMI's, `/interfaces/interface[name=eth1/1]/mtu`, with keys in the order of
/// their names; [`std::str::FromStr`] says which escapes it knows. Text is also how a path is
/// serialised, so it can be a key of a JSON object.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(Arc<[Element]>);

impl Path {
    /// The path of no elements, which everything lies under.
    pub fn root() -> Self {
        Self(Arc::from([]))
    }

    /// The path of these elements, from the root down.
    pub fn new(elements: impl IntoIterator<Item = Element>) -> Self {
        Self(elements.into_iter().collect())
    }

    /// The elements, from the root down.
    pub fn elements(&self) -> &[Element] {
        &self.0
    }

    /// Whether this is the path of no elements.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The last element; none at the root.
    pub fn last(&self) -> Option<&Element> {
        self.0.last()
    }

    /// The path one element up; none at the root.
    pub fn parent(&self) -> Option<Self> {
        self.0.split_last().map(|(_, above)| Self(Arc::from(above)))
    }

    /// Every path above this one, from the parent up to the root.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> {
        (0..self.0.len()).rev().map(|length| Self(Arc::from(&self.0[..length])))
    }

    /// The path one element down.
    pub fn child(&self, element: Element) -> Self {
        self.0.iter().cloned().chain([element]).collect()
    }

    /// The path that continues this one with the elements of `below`.
    pub fn join(&self, below: &Self) -> Self {
        self.0.iter().chain(below.elements()).cloned().collect()
    }

    /// The path of the list this entry is in: the same without the keys of the last element. None
    /// if the last element has no keys. This is where the order of a user-ordered list stands.
    pub fn list(&self) -> Option<Self> {
        let (last, above) = self.0.split_last()?;
        let bare = (!last.keys().is_empty()).then(|| last.bare())?;
        Some(above.iter().cloned().chain([bare]).collect())
    }

    /// The path of the entry of this list that has these keys. None at the root, or if a key has no
    /// name.
    pub fn entry(&self, keys: &Keys) -> Option<Self> {
        let (last, above) = self.0.split_last()?;
        let named = keys
            .iter()
            .try_fold(last.clone(), |element, (key, value)| element.with_key(key, value).ok());
        Some(above.iter().cloned().chain([named?]).collect())
    }

    /// Whether `other` starts with exactly these elements. `/l` is no prefix of `/l[k=1]`.
    pub fn is_prefix_of(&self, other: &Self) -> bool {
        other.elements().starts_with(&self.0)
    }

    /// What follows `prefix`, if this path starts with exactly its elements.
    pub fn strip_prefix(&self, prefix: &Self) -> Option<Self> {
        self.0.strip_prefix(prefix.elements()).map(|rest| Self(Arc::from(rest)))
    }
}

impl FromIterator<Element> for Path {
    fn from_iter<T: IntoIterator<Item = Element>>(elements: T) -> Self {
        Self::new(elements)
    }
}

impl Default for Path {
    fn default() -> Self {
        Self::root()
    }
}

#[cfg(test)]
mod tests;
