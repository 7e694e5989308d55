//! Where records are kept: the contract, an embedded store, one in memory, and the records of
//! `protocol` on top.
//!
//! ```text
//!     protocol::Txn, Changes, View
//!              │
//!          Records      keys and values of records; trees as snapshot and deltas; sessions
//!              │
//!      dyn Store (kv)   ordered bytes, revisions, compares, watch, leases
//!         ╱        ╲     ╲
//!     Memory     Embedded  Etcd    inline; a writer thread that shares one disk sync; a cluster
//!         ╲        ╱
//!          Ledger       revisions, recent history, leases: what makes a map of bytes a store
//!             │
//!          Engine       a map of bytes: a tree in memory, a redb file
//! ```
//!
//! A write is durable before it is answered, and whoever watches sees it whole. [`Store`] says what
//! every store promises; `tests/suite` holds each of them to it.
//!
//! # Why redb
//!
//! redb 4.4 and fjall 3.1 were put behind the same seam, with everything above it as it is, and given
//! the same work: one-leaf transactions, each decided and then recorded.
//!
//! | | redb | fjall |
//! |---|---|---|
//! | transactions a second, 1 / 16 / 64 / 256 in flight | 1,000 / 4,900 / 8,400 / 8,800 | 1,600 / 8,800 / 16,600 / 16,400 |
//! | a second run | 1,200 / 5,400 / 6,000 / 7,400 | 1,700 / 6,500 / 11,100 / 8,800 |
//! | KB written to the disk for each | 89 / 23 / 16 / 12 | 10 / 3 / 2 / 2 |
//! | the file opened after a kill, 100,000 transactions and 1,000,000 leaves (before every page was checked at opening) | 0.6 s | 0.4 s |
//! | crates it brings | 3 | 48 |
//! | what was not synced can be taken away under test | at every call | no |
//!
//! fjall writes less, and up to twice as fast. We keep redb because of the last row: its disk is a
//! trait of six methods, so a test can cut the power at each call and look at what is left, and one of
//! the first such cuts showed something (a file that was cut off while it was made could never be
//! opened again; now it gets its name when it is made). The price is speed, and it is not small: where
//! it comes to matter, the seam is the place to change it. Measured twice each on a shared machine
//! with two cores, before what stood was told by the write that replaces it; fjall was not put through
//! kills here. `make bench` measures what we have.
//!
//! Absent: what the records mean. Nothing here looks at a status.

mod embedded;
mod engine;
mod error;
pub mod etcd;
pub mod kv;
mod ledger;
mod memory;
pub mod metrics;
pub mod records;
mod store;

pub use embedded::{Embedded, FileCheck};
pub use error::{Error, Source};
pub use etcd::Etcd;
pub use memory::Memory;
pub use records::{Records, Session, Watch};
pub use store::{Feed, Pending, Store};
