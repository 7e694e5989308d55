//! What is counted of the store.

use std::time::{Duration, SystemTime};

use lockstep_metrics::{Counter, Family, Gauge, Histogram, Label, Level, Series};
use lockstep_protocol::Written;

use crate::Error;

const WRITTEN: Label = Label { name: "result", values: &["done", "stale", "failed"] };
const KEPT: Label = Label { name: "result", values: &["ok", "failed"] };

static WRITES: Family<Counter, 3> = Family::counter(
    "lockstep_store_writes_total",
    "Writes that this node asked of the store: done and durable; stale, so that something else was written first and it is decided again; or failed.",
    &[WRITTEN],
);
static WRITE_TIME: Family<Histogram, 1> = Family::durations(
    "lockstep_store_write_duration_seconds",
    "How long a write took until it was durable, or known not to be.",
    &[],
);
pub(crate) static WRITING: Family<Level, 1> =
    Family::level("lockstep_store_writes_in_flight", "Writes that wait for the store.", &[]);
pub(crate) static BATCH: Family<Histogram, 1> = Family::sizes(
    "lockstep_store_batch_size",
    "How many writes went together: in one sync of the disk, or in one request to etcd.",
    &[],
);
static CONTACT: Family<Gauge, 1> = Family::gauge(
    "lockstep_store_last_contact_timestamp_seconds",
    "When the store last answered, in Unix time. A node asks every two seconds at the least.",
    &[],
);
static RENEWALS: Family<Counter, 2> = Family::counter(
    "lockstep_session_renewals_total",
    "Renewals of the lease of this node's session.",
    &[KEPT],
);
pub(crate) static WATCHES_LOST: Family<Counter, 1> = Family::counter(
    "lockstep_store_watches_lost_total",
    "How often the watch of etcd was lost, and went on where it was.",
    &[],
);
pub(crate) static MEMBERS: Family<Counter, 1> =
    Family::counter("lockstep_store_connections_total", "Connections to members of etcd.", &[]);

/// All of it.
pub static ALL: &[&dyn Series] =
    &[&WRITES, &WRITE_TIME, &WRITING, &BATCH, &CONTACT, &RENEWALS, &WATCHES_LOST, &MEMBERS];

/// A write came to its end.
pub(crate) fn wrote(result: &Result<Written, Error>, took: Duration) {
    let word = match result {
        Ok(Written::Done(_)) => "done",
        Ok(Written::Stale(_)) => "stale",
        Err(_) => "failed",
    };
    WRITES.of([word]).inc();
    WRITE_TIME.took(took);
    if result.is_ok() {
        answered();
    }
}

/// The lease of a session was to be renewed.
pub(crate) fn renewed(ok: bool) {
    RENEWALS.of([if ok { "ok" } else { "failed" }]).inc();
    if ok {
        answered();
    }
}

/// The store answered.
fn answered() {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    CONTACT.set(now.as_secs_f64());
}
