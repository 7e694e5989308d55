//! Values as a person reads them.

use std::fmt;

use super::Value;

/// The lexical form of YANG, without quotes; nothing for `empty`. The type is not told, so this is
/// for people and for keys of list entries, not for reading back.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(number) => number.fmt(f),
            Self::Uint(number) => number.fmt(f),
            Self::Decimal64(number) => number.fmt(f),
            Self::Bool(truth) => truth.fmt(f),
            Self::String(text) | Self::Enum(text) => f.pad(text),
            Self::Bits(names) => names.iter().enumerate().try_for_each(|(at, name)| {
                let space = if at == 0 { "" } else { " " };
                write!(f, "{space}{name}")
            }),
            Self::Binary(bytes) => bytes.fmt(f),
            Self::IdentityRef(identity) => identity.fmt(f),
            Self::Empty => Ok(()),
            Self::InstanceIdentifier(path) => path.fmt(f),
        }
    }
}
