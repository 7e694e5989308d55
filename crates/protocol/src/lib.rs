//! The Lockstep protocol as pure decisions.
//!
//! A [`Node`] is told what happened ([`Event`]) and answers with what to do ([`Command`]). It never
//! waits, reads a clock or draws a random number; time is an event like any other.
//!
//! ```text
//!   client   device   yang   store        watch, clock
//!      │        │       │      │               │
//!      └────────┴── Event ─────┴───────────────┘
//!                     │
//!              ┌──────▼──────┐   View  what the store holds, as far as the watch has told
//!              │    Node     │   Desk  what this node has under way: links, writes, waiting clients
//!              └──────┬──────┘
//!                  Command
//!      ┌────────┬───────┼──────┐
//!    Answer    Send  Validate Write
//! ```
//!
//! Every change of state is a [`Txn`] that compares all it was decided on, so a decision made on an
//! old view cannot be written. A device write and its record are two steps; whatever falls between
//! them is recovered from the store and the device, never from memory.
//!
//! Where to look: [`record`] what the store holds; [`view`] a node's cache of it with its queues;
//! `effect` what a transaction does to a tree; `step` the writes of the protocol; [`node`] when each is
//! taken and by whom.

mod command;
mod draft;
mod effect;
mod event;
pub mod node;
pub mod record;
mod request;
mod step;
pub mod trace;
mod txn;
pub mod view;

pub use command::{Ask, Change, Check, Command};
pub use event::{Answer, Base, Event, Subject, Verdict, Wake, Written};
pub use node::{Node, Retention, Settings};
pub use request::{Body, Client, Order, Refusal, Reply, Request, Until};
pub use txn::{Changes, Compare, Op, Txn};
pub use view::View;
