//! The words of Lockstep as types: ids, paths, values, deltas and configuration trees.
//!
//! # The mental model
//!
//! A target is wanted in a certain [`Configuration`]: a map from [`Path`] to [`Unit`]. A unit is the
//! smallest piece of state that is set or absent as a whole (a leaf, a leaf-list, the existence of
//! a list entry or of a presence container, the order of a user-ordered list), together with the
//! [`Index`] of the transaction that wrote it last. An absence has a writer too, so that it can be
//! taken back like any other write.
//!
//! ```text
//!      what a client asked                 what stands now
//!           Edit ───────── resolve ──────── paths of the Configuration
//!                             │
//!                             ▼
//!                           Delta            path → content or absent
//!                          ╱     ╲
//!        before(delta) ◄──╱       ╲──► written_by(writer)
//!              │                              │
//!              ▼                              ▼
//!            Undo                           Patch            path → unit
//!   path → unit that stood there              │
//!              │                              ▼ patch
//!              └── without(writer, undo) ──► Configuration
//! ```
//!
//! Each [`Undo`] names the unit, and with it the writer, that its own write covered. So the writers
//! of one path form a chain, newest first, and a change can leave the middle of it:
//!
//! ```text
//!   configuration   undo of 7     undo of 4        without 4:   configuration   undo of 7
//!   b @ 7  ───────► a @ 4 ──────► absent @ 0                    b @ 7 ────────► absent @ 0
//! ```
//!
//! [`Configuration::without`] gives back the earlier unit where the leaving change is the last
//! writer, [`Undo::relink`] mends the chain where it is not. Together they make the configuration
//! the fold of the changes that remain, whatever the order in which the others left.
//!
//! ```
//! use lockstep_types::{Configuration, Content, Delta, Index, Path};
//!
//! let mtu: Path = "/interfaces/interface[name=eth1/1]/mtu".parse()?;
//! let jumbo = Delta::from_iter([(mtu.clone(), Some(Content::leaf(9000_u64)))]);
//!
//! let mut wanted = Configuration::new();
//! let undo = wanted.before(&jumbo);
//! wanted.patch(&jumbo.written_by(Index::new(1)));
//! assert_eq!(wanted.get(&mtu), Some(&Content::leaf(9000_u64)));
//!
//! wanted.patch(&wanted.without(Index::new(1), &undo));
//! assert_eq!(wanted, Configuration::new());
//! # Ok::<(), lockstep_types::path::Error>(())
//! ```
//!
//! # What may be relied on
//!
//! Everything here is a value: no I/O, no clock, no randomness, and no order that depends on a
//! hash. Configurations share structure, so a snapshot is a pointer copy and a change costs
//! O(log n). Every type has one serialised form, and reading it back refuses what could not have
//! been written.

pub mod configuration;
pub mod content;
pub mod delta;
pub mod edit;
pub mod ids;
pub mod map;
pub mod patch;
pub mod path;
pub mod undo;
pub mod unit;
pub mod value;

mod fingerprint;
mod unique;

pub use configuration::Configuration;
pub use content::Content;
pub use delta::Delta;
pub use edit::{Addition, Edit};
pub use ids::{
    Connection, Epoch, Index, ModelDigest, NodeName, Revision, Sequence, SessionId, Target, Term,
    Timestamp, TransactionId,
};
pub use map::Map;
pub use patch::Patch;
pub use path::{Element, Keys, Path};
pub use undo::Undo;
pub use unit::Unit;
pub use value::{Binary, Decimal64, IdentityRef, Value};
