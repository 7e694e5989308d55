//! Ids that are counted.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(u64);

        impl $name {
            /// Zero, which stands before everything that is counted.
            pub const ZERO: Self = Self(0);

            /// The id with this number.
            pub const fn new(number: u64) -> Self {
                Self(number)
            }

            /// The number of this id.
            pub const fn get(self) -> u64 {
                self.0
            }

            /// The number that follows.
            ///
            /// Counted up by one from zero, 2⁶⁴ lies beyond reach (at a billion steps a second it
            /// takes 584 years), so `u64::MAX` can only come from data that was never ours.
            /// Stopping there would hand out one number twice; as arithmetic it is an overflow.
            pub const fn next(self) -> Self {
                Self(self.0 + 1)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl FromStr for $name {
            type Err = ParseIntError;

            fn from_str(text: &str) -> Result<Self, ParseIntError> {
                text.parse().map(Self)
            }
        }
    };
}

number! {
    /// The place of a transaction in the log, from 1. Zero is before the first: no transaction.
    Index
}
number! {
    /// A term of mastership over a target: it only grows, and fences the terms before it.
    Term
}
number! {
    /// A connection to a device. A new connection is a new number, so a restart is never missed.
    Connection
}
number! {
    /// An epoch of the store, raised when it is created, imported or restored.
    Epoch
}
number! {
    /// A revision of the store: one more with each write to it.
    Revision
}
number! {
    /// The number of a request to a target, which tells an answer from a late one.
    Sequence
}
number! {
    /// A moment in log time, in nanoseconds since the Unix epoch. Later entries have later moments.
    Timestamp
}

impl Timestamp {
    /// The moment `nanos` nanoseconds later, or the last one there is: a deadline beyond the end
    /// of time is one that never comes.
    pub const fn after(self, nanos: u64) -> Self {
        Self(self.0.saturating_add(nanos))
    }
}
