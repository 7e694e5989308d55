//! Values of leaves, one kind for each built-in type of YANG.

mod binary;
mod convert;
pub mod decimal64;
mod display;
pub mod identity_ref;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use binary::Binary;
pub use decimal64::Decimal64;
pub use identity_ref::IdentityRef;

use crate::Path;
use crate::unique;

/// The value of a leaf, or one value of a leaf-list.
///
/// A value is always the canonical one of its type, so equal values are the same value. A leafref
/// holds the value of the leaf it refers to. A union holds the value of the member type that took
/// it, and the variant says which that was: `Uint(10)` and `String("10")` are different values.
///
/// A clone shares what it holds. There are as many of these as leaves, so a value is kept to three
/// words.
///
/// The order is one to sort by, within a type that of its values; YANG gives no meaning to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Value {
    /// `int8` to `int64`.
    Int(i64),
    /// `uint8` to `uint64`.
    Uint(u64),
    /// `decimal64`.
    Decimal64(Decimal64),
    /// `boolean`.
    Bool(bool),
    /// `string`.
    String(Arc<str>),
    /// `enumeration`: the name that was assigned.
    Enum(Arc<str>),
    /// `bits`: the names of those that are set. YANG prints them by position, which only the
    /// schema knows; here they stand in the order of their names.
    Bits(#[serde(deserialize_with = "unique::set")] Arc<BTreeSet<Arc<str>>>),
    /// `binary`.
    Binary(Binary),
    /// `identityref`, with the module that defines the identity.
    IdentityRef(IdentityRef),
    /// `empty`: the leaf exists, and that is all.
    Empty,
    /// `instance-identifier`, names qualified by their module wherever it changes. The value of a
    /// leaf-list entry is its key `.`.
    InstanceIdentifier(Path),
}

impl Value {
    /// A string value of this text.
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Self::String(text.into())
    }

    /// An enumeration value of this name.
    pub fn enumeration(name: impl Into<Arc<str>>) -> Self {
        Self::Enum(name.into())
    }

    /// A bits value with these bits set.
    pub fn bits<N: Into<Arc<str>>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::Bits(Arc::new(names.into_iter().map(Into::into).collect()))
    }
}

#[cfg(test)]
mod tests;
