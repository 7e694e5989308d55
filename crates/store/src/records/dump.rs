//! A store as lines of JSON, to be kept or to be moved to another kind of store.
//!
//! ```text
//!   {"kind":"lockstep-store","version":1,"level":1,"epoch":4,"revision":812}
//!   {"kind":"binding","key":"binding/leaf1","value":{…}}
//!   …                                  one line for each key
//!   {"kind":"end","entries":97,"digest":"sha256:…"}
//! ```
//!
//! Everything stands as it did at one revision. What the store needs for itself is left out: sessions,
//! and how the trees of a configuration lie in deltas. They are given as one snapshot each, so the
//! lines depend neither on the kind of store nor on its revisions. The last line counts the others and
//! has the SHA-256 of all bytes before it, so that a dump that was cut or changed is noticed.

mod error;
mod export;
mod import;
mod line;
mod read;

pub use error::Error;
pub use export::BLOCK;
pub use import::{Imported, import};
pub use read::{Dump, Header, verify};

/// How far an export or import has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Keys so far.
    pub entries: u64,
    /// Bytes of the dump so far.
    pub bytes: u64,
}
