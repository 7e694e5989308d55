//! Wildcards: `*` for one element or one value of a key, `...` for any number of elements.
//!
//! gNMI has no way to tell a wildcard from a key whose value really is `*`, so nor have we: such an
//! entry can be held and matched, but not be named alone.

use super::Path;
use super::element::{Element, ONE};

impl Path {
    /// Whether this path holds a wildcard. An element that leaves out its keys is not told from a
    /// container here: that takes the schema.
    pub fn is_pattern(&self) -> bool {
        self.elements().iter().any(Element::is_pattern)
    }

    /// Whether this path is one that `pattern` stands for: as many elements (any number for
    /// `...`), each with the name and at least the keys that the pattern asks for.
    pub fn matches(&self, pattern: &Self) -> bool {
        glob(pattern.elements(), self.elements(), false)
    }

    /// Whether `other` lies in the subtree at this path, itself included. An element that lacks
    /// some keys stands for every entry of its list, and a wildcard for all that it matches: `/l`
    /// and `/*` cover `/l[k=1]/x`.
    pub fn covers(&self, other: &Self) -> bool {
        glob(self.elements(), other.elements(), true)
    }

    /// The longest path without wildcards that covers all that this one does.
    pub(super) fn plain(&self) -> Self {
        let named = self.elements().iter().take_while(|element| !element.is_wildcard());
        named.map(Element::plain).collect()
    }
}

impl Element {
    fn is_pattern(&self) -> bool {
        self.is_wildcard() || self.keys().values().any(|value| value == ONE)
    }

    fn is_wildcard(&self) -> bool {
        self.is_many() || self.name() == ONE
    }

    /// Without the keys that may have any value.
    fn plain(&self) -> Self {
        let fixed = self.keys().iter().filter(|(_, value)| *value != ONE);
        self.with_keys(fixed.map(|(key, value)| (key.clone(), value.clone())).collect())
    }

    fn accepts(&self, other: &Self) -> bool {
        let name = self.name() == ONE || self.name() == other.name();
        name && self.keys().iter().all(|(key, wanted)| {
            other.key(key).is_some_and(|value| wanted == ONE || wanted == value)
        })
    }
}

/// Matches all of `path`, or with `subtree` some first part of it. When it gets stuck it lets the
/// latest `...` take one element more; an earlier one need never be tried again, as the latest can
/// take whatever that would free. So the work is bounded by the product of the lengths.
fn glob(pattern: &[Element], path: &[Element], subtree: bool) -> bool {
    let (mut p, mut at) = (0, 0);
    let mut latest_many = None;
    loop {
        if p == pattern.len() && (subtree || at == path.len()) {
            return true;
        }
        if pattern.get(p).is_some_and(Element::is_many) {
            p += 1;
            latest_many = Some((p, at));
        } else if let (Some(wanted), Some(element)) = (pattern.get(p), path.get(at))
            && wanted.accepts(element)
        {
            p += 1;
            at += 1;
        } else {
            match latest_many {
                Some((after, taken)) if taken < path.len() => {
                    (p, at) = (after, taken + 1);
                    latest_many = Some((after, taken + 1));
                }
                _ => return false,
            }
        }
    }
}
