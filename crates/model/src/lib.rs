//! The proof: the real protocol core, surrounded by everything that can go wrong.
//!
//! ```text
//!          Action: a write, a request or an answer arrives; something breaks; time passes
//!            │
//!   ┌────────▼─────────────────────────────────────────────┐
//!   │ System   store (a real View)   nodes (the real Node)  │──► Step ──► invariants, one file each
//!   │          devices   requests, answers, writes under way│
//!   └──────────────────────────────────────────────────────┘
//! ```
//!
//! A [`scenario::Scenario`] says what clients ask and which faults may happen; the explorer tries every
//! order of everything. Nothing of the protocol is written again here: [`system`] only carries out
//! what the core commands, at any moment it may happen, or not at all.
//!
//! Also here: [`mutants`], which breaks the core in known ways and shows which invariant notices; and
//! [`trace`], which checks a record of a run of the real product.

pub mod demo;
pub mod diagrams;
pub mod explore;
pub mod facts;
pub mod invariants;
pub mod ledger;
pub mod mutants;
pub mod scenario;
pub mod system;
pub mod trace;
pub mod walk;
