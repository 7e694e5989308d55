//! What is counted of devices.

use std::time::Duration;

use lockstep_metrics::{Counter, Family, Histogram, Label, Level, Series};
use lockstep_protocol::{Answer, Ask};

const REQUESTS: &[&str] = &["claim", "read", "set", "trial", "confirm", "cancel"];
const REQUEST: Label = Label { name: "request", values: REQUESTS };
const ANSWER: Label = Label {
    name: "answer",
    values: &["accepted", "values", "refused", "lost", "fenced", "busy", "unknown"],
};
const TRIED: Label = Label { name: "result", values: &["connected", "failed"] };

static ANSWERS: Family<Counter, 42> = Family::counter(
    "lockstep_device_requests_total",
    "What devices of this node were asked, and what they made of it. A claim makes the device listen to this node, a read is of all it holds, a trial is a Set that the device takes back unless it is confirmed; busy: not now; fenced: it listens to a newer master; unknown: no answer in time, so the device is read again.",
    &[REQUEST, ANSWER],
)
.sparse();
static TIME: Family<Histogram, 6> = Family::durations(
    "lockstep_device_request_duration_seconds",
    "How long devices took to answer.",
    &[REQUEST],
);
pub(crate) static CONNECTIONS: Family<Level, 1> = Family::level(
    "lockstep_device_connections",
    "Connections that this node has to devices: to those it is the master or the standby of.",
    &[],
);
static TRIES: Family<Counter, 2> = Family::counter(
    "lockstep_device_connects_total",
    "Tries to connect to a device. Every one after the first of a device is a reconnect.",
    &[TRIED],
);

/// All of it.
pub static ALL: &[&dyn Series] = &[&ANSWERS, &TIME, &CONNECTIONS, &TRIES];

/// What is asked, in a word.
pub(crate) fn word(ask: &Ask) -> &'static str {
    match ask {
        Ask::Claim => "claim",
        Ask::Read => "read",
        Ask::Set(_) => "set",
        Ask::Trial { .. } => "trial",
        Ask::Confirm(_) => "confirm",
        Ask::Cancel(_) => "cancel",
    }
}

/// A device was asked something.
pub(crate) fn answered(asked: &str, answer: &Answer, took: Duration) {
    let answer = match answer {
        Answer::Accepted | Answer::Unfenced(_) => "accepted",
        Answer::Values(_) => "values",
        Answer::Refused(_) => "refused",
        Answer::Lost => "lost",
        Answer::Fenced => "fenced",
        Answer::Busy => "busy",
        Answer::Unknown => "unknown",
    };
    ANSWERS.of([asked, answer]).inc();
    TIME.of([asked]).took(took);
}

/// It was tried to connect to a device.
pub(crate) fn tried(connected: bool) {
    TRIES.of([if connected { "connected" } else { "failed" }]).inc();
}
