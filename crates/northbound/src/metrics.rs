//! What is counted of clients.

use std::time::Duration;

use lockstep_gnmi::code;
use lockstep_metrics::{Counter, Family, Gauge, Histogram, Label, Level, Series};
use tonic::Code;

/// Every RPC of gNMI and `lockstep.v1.Admin`; a test holds this to the services. The others are health and reflection.
const METHODS: &[&str] = &[
    "Capabilities",
    "Get",
    "Set",
    "Subscribe",
    "ListTransactions",
    "GetTransaction",
    "WatchTransactions",
    "DryRun",
    "GetConfiguration",
    "Diff",
    "WatchConfigurations",
    "ListTargets",
    "GetTarget",
    "WatchTargets",
    "AddTarget",
    "SetTarget",
    "RemoveTarget",
    "ListModels",
    "ReloadModels",
    "OperateTarget",
    "Rollback",
    "Restore",
    "Confirm",
    "Cancel",
    "Export",
    "Compact",
    "ListNodes",
    "GetSummary",
    "WhoAmI",
    "other",
];
const CODES: &[&str] = &[
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];
const METHOD: Label = Label { name: "method", values: METHODS };
const CODE: Label = Label { name: "code", values: CODES };
const STATUS: Label = Label {
    name: "code",
    values: &[
        "200", "400", "401", "403", "404", "405", "409", "410", "413", "429", "500", "501", "503",
        "504", "other",
    ],
};
const WHY: Label = Label {
    name: "reason",
    values: &["nobody", "wrong", "token", "throttled", "busy", "rate", "flood", "audit", "site"],
};
const CUT: Label = Label { name: "reason", values: &["behind", "large", "missed"] };

const METHOD_COUNT: usize = METHODS.len();
const RPC_COUNT: usize = METHODS.len() * CODES.len();

static RPCS: Family<Counter, RPC_COUNT> = Family::counter(
    "lockstep_rpcs_total",
    "Calls over gRPC, of gNMI (Set, Get, …) and of lockstep.v1.Admin, by what they were answered with. RESOURCE_EXHAUSTED is a limit that was reached. A stream counts when it begins.",
    &[METHOD, CODE],
)
.sparse();
static RPC_TIME: Family<Histogram, METHOD_COUNT> = Family::durations(
    "lockstep_rpc_duration_seconds",
    "How long they took: until the answer, or until a stream began. A Set waits for its outcome unless it asks not to.",
    &[METHOD],
)
.sparse();
pub(crate) static RPCS_OPEN: Family<Level, 1> =
    Family::level("lockstep_rpcs_in_flight", "Calls over gRPC that have no answer yet.", &[]);
static HTTP: Family<Counter, 15> = Family::counter(
    "lockstep_http_requests_total",
    "Requests of the API over HTTP, by the status of the answer; without the page, /healthz, /readyz and /metrics.",
    &[STATUS],
)
.sparse();
static HTTP_TIME: Family<Histogram, 1> = Family::durations(
    "lockstep_http_request_duration_seconds",
    "How long they took: until the answer, or until a stream of events began.",
    &[],
);
static REFUSED: Family<Counter, 9> = Family::counter(
    "lockstep_calls_refused_total",
    "Calls that were not let in: nobody: no credentials; wrong: a name and password that do not belong together; token: one that is not believed; throttled: too many wrong passwords; busy: too many logins at once; rate: limits.rate; flood: too many wrong credentials from one address; audit: it cannot be written; site: a page of another site.",
    &[WHY],
);
pub(crate) static CONNECTIONS: Family<Level, 1> = Family::level(
    "lockstep_connections",
    "Connections of clients, over gRPC and HTTP together.",
    &[],
);
pub(crate) static TURNED_AWAY: Family<Counter, 1> = Family::counter(
    "lockstep_connections_refused_total",
    "Connections that were closed at once because of limits.connections.",
    &[],
);
pub(crate) static SUBSCRIPTIONS: Family<Level, 1> = Family::level(
    "lockstep_subscriptions",
    "Streams that tell clients of changes: Subscribe, and the watches of the admin API and HTTP.",
    &[],
);
static CUT_OFF: Family<Counter, 3> = Family::counter(
    "lockstep_subscribers_cut_off_total",
    "Subscribers that were cut off: behind: by more than limits.behind transactions; large: too many bytes waited for them; missed: the node itself was too slow.",
    &[CUT],
);
pub(crate) static WAITING: Family<Level, 1> = Family::level(
    "lockstep_subscribers_waiting_bytes",
    "What waits for subscribers that are slow to read, added up over all of them.",
    &[],
);
pub(crate) static AUDIT_LOST: Family<Counter, 1> = Family::counter(
    "lockstep_audit_lines_lost_total",
    "Lines of the audit that could not be written in the end.",
    &[],
);
pub(crate) static AUDIT_FAILING: Family<Gauge, 1> = Family::gauge(
    "lockstep_audit_failing",
    "1 while the audit cannot be written, so that calls which change something are refused.",
    &[],
);
pub(crate) static CERTIFICATE: Family<Gauge, 1> = Family::gauge(
    "lockstep_tls_certificate_expiry_timestamp_seconds",
    "Until when the certificate of the listeners is valid, in Unix time; 0 without TLS.",
    &[],
);

/// All of it.
pub static ALL: &[&dyn Series] = &[
    &RPCS,
    &RPC_TIME,
    &RPCS_OPEN,
    &HTTP,
    &HTTP_TIME,
    &REFUSED,
    &CONNECTIONS,
    &TURNED_AWAY,
    &SUBSCRIPTIONS,
    &CUT_OFF,
    &WAITING,
    &AUDIT_LOST,
    &AUDIT_FAILING,
    &CERTIFICATE,
];

/// Everything that a node counts, room by room.
pub fn everything() -> impl Iterator<Item = &'static &'static dyn Series> {
    ALL.iter().chain(lockstep_node::metrics::all()).chain(lockstep_metrics::process::ALL)
}

/// A call was answered.
pub(crate) fn rpc(method: &str, answer: Code, took: Duration) {
    RPCS.of([method, code::name(answer)]).inc();
    RPC_TIME.of([method]).took(took);
}

/// A request was answered.
pub(crate) fn http(status: u16, took: Duration) {
    HTTP.of([&status.to_string()]).inc();
    HTTP_TIME.took(took);
}

/// A call was not let in.
pub(crate) fn refused(why: &str) {
    REFUSED.of([why]).inc();
}

/// A subscriber was cut off.
pub(crate) fn cut_off(why: &str) {
    CUT_OFF.of([why]).inc();
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use prost::Message;
    use prost_types::FileDescriptorSet;

    use super::*;

    #[test]
    fn every_rpc_has_its_place() {
        let all = FileDescriptorSet::decode(lockstep_gnmi::NODE_DESCRIPTORS).unwrap();
        let services = all.file.iter().flat_map(|file| &file.service);
        let methods = services.flat_map(|service| &service.method).map(|method| method.name());
        let methods: BTreeSet<&str> = methods.chain(["other"]).collect();
        assert_eq!(METHODS.iter().copied().collect::<BTreeSet<_>>(), methods);
    }

    #[test]
    fn every_code_has_its_place() {
        let named: Vec<&str> = (0..17).map(|number| code::name(Code::from(number))).collect();
        assert_eq!(CODES, named);
    }

    #[test]
    fn names_are_as_prometheus_wants_them_and_there_once() {
        let mut names = BTreeSet::new();
        for one in everything() {
            let name = one.name();
            assert!(names.insert(name), "{name} is there twice");
            assert!(name.starts_with("lockstep_") || name.starts_with("process_"), "{name}");
            assert_eq!(one.kind() == "counter", name.ends_with("_total"), "{name}");
            assert!(one.help().ends_with('.'), "{name}");
        }
        assert!(names.len() > 50, "{}", names.len());
    }
}
