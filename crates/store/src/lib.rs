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
//! every store promises; `tests/suite.rs` holds each of them to it.
//!
//! Absent: what the records mean. Nothing here looks at a status.

mod embedded;
mod engine;
mod error;
pub mod etcd;
pub mod kv;
mod ledger;
mod memory;
pub mod records;
mod store;

pub use embedded::{Embedded, FileCheck};
pub use error::{Error, Source};
pub use etcd::Etcd;
pub use memory::Memory;
pub use records::{Records, Session, Watch};
pub use store::{Feed, Pending, Store};
