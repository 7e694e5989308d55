//! What is counted, and how Prometheus reads it.
//!
//! ```text
//!   static WRITES: Family<Counter, 3> ◄── of(["done"]).inc()     wherever something happens: one atomic add
//!          │
//!   static ALL: &[&dyn Series]          each room lists its own
//!          │
//!        text(…)  ──► /metrics          whoever scrapes
//! ```
//!
//! A metric is a static with all the values its labels can have, so there is nothing to register, nothing to lock and
//! nothing that grows: what a label may say is a list in the code, and never something that a client or a network
//! brings along. The same statics say what the documentation says.
//!
//! Why not a library: those that were looked at keep labels in a map behind a lock, learn of a metric when it is first
//! used, and speak OpenMetrics alone or bring protobuf along. What is left here is small.
//!
//! Numbers are of the process, and so is a scrape: nodes that share a process (tests do that) share them.

mod cell;
mod family;
pub mod process;
mod text;

pub use cell::{Counter, Gauge, Held, Histogram, Level, Reading};
pub use family::{Each, Family, Label, Series};
pub use text::{CONTENT_TYPE, text};
