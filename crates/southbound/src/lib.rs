//! Devices: one connection to each, kept up, with the words of the core on one side and gNMI on the
//! other.
//!
//! # The mental model
//!
//! ```text
//!             Event::Connected, Answered, Disconnected
//!    node ◄──────────────────────────────┐
//!      │                                 │
//!      ├── send, close ──►  Link ────────┘          one per target, a task
//!      └── watch, look ──►   │ ──► Noticed, Report  beside what is asked
//!                            │  connect, ask
//!                            ▼
//!                       Driver ──► Line             one connection, from its first byte to its last
//!                            │
//!                            ▼
//!                      gnmi::Gnmi ──► TCP, TLS, HTTP/2 ──► device
//! ```
//!
//! A [`Line`] is one connection and never becomes another. When it is gone the [`Link`] says so, and
//! whatever was asked on it stays unanswered; then the link connects again, under a larger number.
//! So a device that restarted between two requests is always noticed, and the core, which holds a
//! term for each connection, claims and reads it again.
//!
//! # What may be relied on
//!
//! - Events of a connection come in order: Connected, any number of Answered, Disconnected. There are
//!   never two connections to a target at once, and their numbers grow.
//! - Requests go to a device one at a time, in the order they were sent.
//! - Every answer is classified once, in one table (`gnmi/answer.rs`). "Nobody knows" is an answer
//!   too, and the right one whenever a Set may or may not have arrived.
//!
//! - What a device can (whether it fences, has commits that are to be confirmed, tells of changes) is found
//!   out once for each connection.
//! - Notices of a device that is watched are not in order with answers. What looks like drift is to be
//!   read ([`Ask::Read`](lockstep_protocol::Ask::Read)) before it is called so.
//!
//! Absent: retries with a meaning. A link connects again for ever, but never sends anything twice:
//! what to do about a refusal or an unknown outcome is decided by the core.

mod backoff;
mod driver;
pub mod gnmi;
pub mod link;
pub mod metrics;

pub use driver::{
    BoxFuture, ConnectError, Driver, Fencing, Follow, Followed, Lease, Line, Look, Mandate, Notice,
    Pace, Report, Seen, Watch,
};
pub use link::{Link, LookError, Noticed, Stream, Visits};
pub use lockstep_gnmi::Election;
