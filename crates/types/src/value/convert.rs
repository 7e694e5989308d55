//! Making values from what Rust has.

use super::{Binary, Decimal64, IdentityRef, Value};

macro_rules! integers {
    ($variant:ident: $($integer:ty),*) => {$(
        impl From<$integer> for Value {
            fn from(number: $integer) -> Self {
                Self::$variant(number.into())
            }
        }
    )*};
}

integers!(Int: i8, i16, i32, i64);
integers!(Uint: u8, u16, u32, u64);

impl From<Decimal64> for Value {
    fn from(number: Decimal64) -> Self {
        Self::Decimal64(number)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::string(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::string(text)
    }
}

impl From<Binary> for Value {
    fn from(bytes: Binary) -> Self {
        Self::Binary(bytes)
    }
}

impl From<IdentityRef> for Value {
    fn from(identity: IdentityRef) -> Self {
        Self::IdentityRef(identity)
    }
}
