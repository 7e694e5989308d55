//! The running node: the core of `protocol`, fed with what happens and carried out.
//!
//! ```text
//!    northbound                                     southbound
//!   Handle::submit                                 a Link per target
//!   Handle::cancel           writes, verdicts      connected, answered, gone
//!         │                        │                     │
//!         ▼                        ▼                     ▼
//!      requests                 events ◄──── fold ─── devices
//!         └────────────┬───────────┴──────────┬──────────┘
//!                      ▼                      │
//!                   Runtime  ◄── lease, watch (whole revisions)
//!                     protocol::Node::handle
//!                                │ commands
//!            ┌───────────┬───────┴──────┬───────────┐
//!          Write      Validate        Send        Answer
//!          store        yang       southbound   northbound
//! ```
//!
//! Which targets there are, and how each is served, is read off their bindings in the store: at the start,
//! and whenever one is written (`retarget`). [`Devices`] reads of a binding how its device is reached;
//! [`Models`] are found by the digest that it names.
//!
//! One task owns the core and never waits for anything but its next input: writes and verdicts are
//! done by tasks of their own, which bring the result back as an event. What readers are served is a
//! snapshot of the core's view, published before any client is told of it.

mod account;
mod aside;
mod bind;
mod caught_up;
mod clients;
mod clock;
mod compact;
mod drift;
mod election;
mod error;
mod feed;
mod handle;
mod inputs;
mod keeper;
mod links;
pub mod metrics;
mod models;
mod namesake;
mod retarget;
mod runtime;
mod start;
mod status;
mod target;
mod targets;
mod trace;
mod validation;

pub use clock::Clock;
pub use compact::Uncompacted;
pub use error::{Busy, StartError};
pub use feed::Step;
pub use handle::Handle;
pub use lockstep_protocol::Retention;
pub use lockstep_protocol::record::Difference;
pub use lockstep_southbound::{
    Driver, Fencing, Follow, Followed, Look, LookError, Pace, Report, Seen, Stream,
};
pub use models::Models;
pub use runtime::Ended;
pub use start::{Options, Running, start};
pub use status::{State, TargetStatus};
pub use target::{Devices, Known, Reached, Source, TargetSpec, Unserved};
pub use trace::TraceError;
