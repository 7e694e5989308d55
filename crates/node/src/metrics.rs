//! What is counted of a node. What is only looked at when somebody scrapes is here too: most of it is known anyway,
//! and how targets stand takes one pass over them.

use std::time::{Duration, SystemTime};

use lockstep_metrics::{Counter, Family, Gauge, Histogram, Label, Level, Series};
use lockstep_protocol::record::{Kind, PartStatus, Status};
use lockstep_store::Records;
use tokio::sync::mpsc;

use crate::handle::Handle;
use crate::status::State;

const KIND: Label = Label {
    name: "kind",
    values: &["change", "rollback", "restore", "adopt", "add", "rebind", "remove"],
};
const OUTCOME: Label =
    Label { name: "status", values: &["applied", "partial", "rejected", "reverted", "cancelled"] };
const PART: Label =
    Label { name: "status", values: &["applied", "refused", "withdrawn", "undone"] };
const STATE: Label = Label {
    name: "state",
    values: &["pending", "synchronising", "synchronised", "drifted", "paused", "failed"],
};
const QUEUE: Label = Label { name: "queue", values: &["requests", "events", "devices"] };
const VERDICT: Label =
    Label { name: "verdict", values: &["valid", "invalid", "no-models", "failed"] };
const IN_LINE: Label = Label { name: "result", values: &["synchronised", "refused"] };

static TRANSACTIONS: Family<Counter, 35> = Family::counter(
    "lockstep_transactions_total",
    "Transactions whose outcome this node wrote. Each is counted by one node of a cluster: the sum over all is how many there were.",
    &[KIND, OUTCOME],
);
static TRANSACTION_TIME: Family<Histogram, 5> = Family::durations(
    "lockstep_transaction_duration_seconds",
    "How long those transactions took, from Submit to their outcome.",
    &[OUTCOME],
);
static PROPOSALS: Family<Counter, 4> = Family::counter(
    "lockstep_proposals_total",
    "What became of transactions on each of their targets, as far as this node wrote it: applied; refused by the device; withdrawn on that target alone; undone with its transaction.",
    &[PART],
);
static IN_LINES: Family<Counter, 2> = Family::counter(
    "lockstep_target_synchronisations_total",
    "How often a device was read and brought in line with what was applied: after each new connection, and after a refusal or an answer that did not come.",
    &[IN_LINE],
);
pub(crate) static TERMS: Family<Counter, 1> = Family::counter(
    "lockstep_mastership_terms_total",
    "Terms that this node won: a target has a new one with each master and each connection.",
    &[],
);
pub(crate) static DRIFTS: Family<Counter, 1> = Family::counter(
    "lockstep_drifts_total",
    "How often this node found a device changed behind its back.",
    &[],
);
static VERDICTS: Family<Counter, 4> = Family::counter(
    "lockstep_validations_total",
    "Validations against models. no-models: this node lacks them and leaves the decision to others; failed: a fault of Lockstep.",
    &[VERDICT],
);
static VERDICT_TIME: Family<Histogram, 1> = Family::durations(
    "lockstep_validation_duration_seconds",
    "How long validations took, without the wait for a free core.",
    &[],
);
pub(crate) static VALIDATING: Family<Level, 1> = Family::level(
    "lockstep_validations_in_flight",
    "Validations that are under way or wait for a free core.",
    &[],
);
pub(crate) static CLIENTS: Family<Level, 1> = Family::level(
    "lockstep_clients_waiting",
    "Requests that wait for the outcome of a transaction, or for an order to take effect.",
    &[],
);
pub(crate) static STARTS: Family<Counter, 1> = Family::counter(
    "lockstep_node_starts_total",
    "How often the node was started in this process: beyond the first, because its session or its watch was lost.",
    &[],
);
static QUEUED: Family<Gauge, 3> = Family::gauge(
    "lockstep_node_queue_length",
    "What waits for the core: requests of clients, results of writes and verdicts (events), what devices say. Each has room for 1024; then whoever brings more waits.",
    &[QUEUE],
);
static TARGETS: Family<Gauge, 6> = Family::gauge(
    "lockstep_targets",
    "Targets by how they stand, as this node knows it: all nodes say about the same.",
    &[STATE],
);
static CONNECTED: Family<Gauge, 1> = Family::gauge(
    "lockstep_targets_connected",
    "Targets that have a master, whichever node that is.",
    &[],
);
static UNSERVED: Family<Gauge, 1> = Family::gauge(
    "lockstep_targets_unserved",
    "Targets that this node cannot serve: it lacks their models or their credentials.",
    &[],
);
static MASTERSHIPS: Family<Gauge, 1> =
    Family::gauge("lockstep_masterships", "Targets that this node is the master of.", &[]);
static HEAD: Family<Gauge, 1> =
    Family::gauge("lockstep_log_head_index", "The index of the last transaction in the log.", &[]);
static HORIZON: Family<Gauge, 1> = Family::gauge(
    "lockstep_log_horizon_index",
    "Transactions up to this index are no longer kept.",
    &[],
);
static OPEN: Family<Gauge, 1> = Family::gauge(
    "lockstep_transactions_open",
    "Transactions without an outcome, in the whole cluster.",
    &[],
);
static OLDEST: Family<Gauge, 1> = Family::gauge(
    "lockstep_transactions_oldest_open_seconds",
    "How long the oldest of them has been open; 0 if there is none.",
    &[],
);
static WINDOWS: Family<Gauge, 1> = Family::gauge(
    "lockstep_confirm_windows_open",
    "Changes that are taken back unless somebody confirms them.",
    &[],
);
static NODES: Family<Gauge, 1> =
    Family::gauge("lockstep_nodes", "Nodes of the cluster that are alive.", &[]);
static SESSION: Family<Gauge, 1> = Family::gauge(
    "lockstep_session_held",
    "Whether this node holds its session: 1, or 0 if it may not write to devices.",
    &[],
);
static LEASE: Family<Gauge, 1> = Family::gauge(
    "lockstep_session_lease_expiry_timestamp_seconds",
    "Until when the session lasts unless it is renewed, in Unix time.",
    &[],
);
static REVISION: Family<Gauge, 1> = Family::gauge(
    "lockstep_store_revision",
    "The revision of the store that this node has seen.",
    &[],
);
static LAG: Family<Gauge, 1> = Family::gauge(
    "lockstep_watch_lag_revisions",
    "By how many revisions what this node has seen is behind its own last write: more than a few for longer than a moment says that the watch is slow.",
    &[],
);
static SIZE: Family<Gauge, 1> = Family::gauge(
    "lockstep_store_size_bytes",
    "The size of the embedded store's file; 0 with etcd, which has metrics of its own.",
    &[],
);

/// All of it, and what the rooms below count.
pub fn all() -> impl Iterator<Item = &'static &'static dyn Series> {
    ALL.iter().chain(lockstep_southbound::metrics::ALL).chain(lockstep_store::metrics::ALL)
}

/// What is counted here.
static ALL: &[&dyn Series] = &[
    &TRANSACTIONS,
    &TRANSACTION_TIME,
    &PROPOSALS,
    &IN_LINES,
    &TERMS,
    &DRIFTS,
    &VERDICTS,
    &VERDICT_TIME,
    &VALIDATING,
    &CLIENTS,
    &STARTS,
    &QUEUED,
    &TARGETS,
    &CONNECTED,
    &UNSERVED,
    &MASTERSHIPS,
    &HEAD,
    &HORIZON,
    &OPEN,
    &OLDEST,
    &WINDOWS,
    &NODES,
    &SESSION,
    &LEASE,
    &REVISION,
    &LAG,
    &SIZE,
];

/// The word for what a transaction does.
pub(crate) const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Change => "change",
        Kind::Rollback { .. } => "rollback",
        Kind::Restore { .. } => "restore",
        Kind::Adopt { .. } => "adopt",
        Kind::Add => "add",
        Kind::Rebind => "rebind",
        Kind::Remove => "remove",
    }
}

/// A transaction has its outcome.
pub(crate) fn finished(of: Kind, status: Status, took: Duration) {
    TRANSACTIONS.of([kind(of), status.name()]).inc();
    TRANSACTION_TIME.of([status.name()]).took(took);
}

/// A proposal came to its end on a target.
pub(crate) fn part(status: PartStatus) {
    PROPOSALS.of([status.name()]).inc();
}

/// A device was brought in line, or would not be.
pub(crate) fn in_line(synchronised: bool) {
    IN_LINES.of([if synchronised { "synchronised" } else { "refused" }]).inc();
}

/// Models were asked.
pub(crate) fn validated(verdict: &str, took: Duration) {
    VERDICTS.of([verdict]).inc();
    VERDICT_TIME.took(took);
}

/// There is no node in this process, or not any more: it holds nothing. What else was seen last stays as it was.
pub fn no_node() {
    SESSION.count(0);
    MASTERSHIPS.count(0);
    for queue in QUEUE.values {
        QUEUED.of([queue]).count(0);
    }
}

impl Handle {
    /// Looks at everything that is not counted as it happens, for whoever scrapes. Takes one pass over the targets and
    /// one over the open transactions.
    pub fn measure(&self, records: &Records) {
        let (view, shared) = (self.view(), &self.shared);
        let mut states = [0_u64; State::ALL.len()];
        let (mut connected, mut ours) = (0, 0);
        for target in view.targets() {
            let status = self.status_in(&view, target);
            let master = view.master(target);
            connected += u64::from(master.is_some());
            ours += u64::from(master.is_some_and(|m| m.session.as_ref() == Some(self.session())));
            if let Some(at) = State::ALL.iter().position(|state| *state == status.state) {
                states[at] += 1;
            }
        }
        for (state, count) in State::ALL.iter().zip(states) {
            TARGETS.of([state.name()]).count(count);
        }
        CONNECTED.count(connected);
        MASTERSHIPS.count(ours);
        let all = shared.targets.all();
        UNSERVED.count(all.values().filter(|entry| entry.spec.is_none()).count() as u64);
        HEAD.count(view.head().index.get());
        HORIZON.count(view.horizon().get());
        OPEN.count(view.open_count() as u64);
        let oldest = view.open().map(|transaction| transaction.submitted).min();
        let age = oldest.map(|since| self.now().get().saturating_sub(since.get()));
        OLDEST.set(Duration::from_nanos(age.unwrap_or_default()).as_secs_f64());
        WINDOWS.count(view.windows().count() as u64);
        NODES.count(view.sessions().count() as u64);
        let left = self.lease_left();
        SESSION.count(u64::from(!left.is_zero() && view.is_alive(self.session())));
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        LEASE.set((now + left).as_secs_f64());
        let (seen, reached) = (view.revision().get(), records.reached().get());
        REVISION.count(seen);
        LAG.count(reached.saturating_sub(seen));
        SIZE.count(records.size().unwrap_or_default());
        queued("requests", &shared.requests.downgrade());
        queued("events", &shared.events);
        queued("devices", &shared.devices);
    }
}

fn queued<T>(name: &str, queue: &mpsc::WeakSender<T>) {
    let waiting = queue.upgrade().map_or(0, |queue| queue.max_capacity() - queue.capacity());
    QUEUED.of([name]).count(waiting as u64);
}
