//! What is wrong with a trace, and where.

use std::fmt;

use lockstep_protocol::record::Status;
use lockstep_protocol::{Client, Compare, Subject, Wake};
use lockstep_types::{
    Connection, Index, NodeName, Revision, Sequence, SessionId, Target, Term, Timestamp,
};
use serde::Serialize;

use super::difference::Difference;
use super::line::VERSION;

/// The first line that cannot have happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Finding {
    /// Which line, from 1.
    pub line: usize,
    /// Whose step it is, where it is one.
    pub step: Option<At>,
    /// Why.
    pub reason: Reason,
}

/// A step of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct At {
    /// The node, where it is known.
    pub node: Option<NodeName>,
    /// Its session.
    pub session: SessionId,
    /// The step's number.
    pub number: u64,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(At { node, session, number }) = &self.step {
            match node {
                Some(node) => write!(f, ", node {node}, session {session}, step {number}")?,
                None => write!(f, ", session {session}, step {number}")?,
            }
        }
        write!(f, ": {}", self.reason)
    }
}

/// Why a line is not allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// Not one of our lines.
    #[error("this cannot be read: {0}")]
    Unreadable(String),
    /// More than there should be.
    #[error("there is no field {0} in this version of the format")]
    UnknownField(String),
    /// Readable, and not as it would be written.
    #[error("this is not how it is written, {0}")]
    Form(Box<Difference>),
    /// The first line is something else.
    #[error("the first line must be the header of a trace")]
    NoHeader,
    /// A header in the middle.
    #[error("a second header; a trace begins only once")]
    SecondHeader,
    /// The header has the store's records in no order.
    #[error(
        "the store in the header must be told revision by revision, and revision {0} is out of order"
    )]
    Content(Revision),
    /// Written by another version.
    #[error("this trace has format version {}, and this checker reads version {VERSION}; use the checker that came with the node", .found.map_or_else(|| "unknown".into(), |v| v.to_string()))]
    Version {
        /// What the header says.
        found: Option<u64>,
    },

    /// A step of a node that never began.
    #[error("session {0} has not begun")]
    UnknownSession(SessionId),
    /// A session begins twice.
    #[error("session {0} begins a second time; a session is one start of one node")]
    SessionAgain(SessionId),
    /// A session that the store does not have.
    #[error("the store has no session {0} at this point")]
    NoSession(SessionId),
    /// A view of a revision that was never seen.
    #[error("the view is of revision {read}, but nothing is known past revision {known}")]
    Ahead {
        /// What the node read.
        read: Revision,
        /// What is known.
        known: Revision,
    },
    /// Steps are missing.
    #[error("step {expected} is missing")]
    Missing {
        /// The number that should be next.
        expected: u64,
    },
    /// The clock went back.
    #[error("the clock goes back, from {from} to {to}")]
    ClockBack {
        /// From.
        from: Timestamp,
        /// To.
        to: Timestamp,
    },
    /// Other commands than those of the protocol.
    #[error("not what the protocol does, {0}")]
    NotTheProtocol(Box<Difference>),
    /// What the step says of itself does not fit what it saw and did.
    #[error("the step's own account does not fit, {0}")]
    Account(Box<Difference>),
    /// A client is told what is not so.
    #[error("client {} is told that transaction {index} is {}; the store at revision {revision} says {}", .client.0, status(Some(*.told)), status(*.holds))]
    Told {
        /// Who.
        client: Client,
        /// Of which transaction.
        index: Index,
        /// What.
        told: Status,
        /// What the store holds.
        holds: Option<Status>,
        /// At which revision.
        revision: Revision,
    },

    /// Revisions left out, or in another order.
    #[error("revision {found} comes where revision {expected} should")]
    Gap {
        /// What is next.
        expected: Revision,
        /// What came.
        found: Revision,
    },
    /// A revision that was seen with other content.
    #[error("revision {revision} was seen before with other content, {difference}")]
    OtherContent {
        /// Which.
        revision: Revision,
        /// Where it differs.
        difference: Box<Difference>,
    },
    /// A revision that is not quite what a node wrote.
    #[error("revision {revision} is not what session {session} wrote for {}, {difference}", json(.wake))]
    OtherOps {
        /// Which.
        revision: Revision,
        /// Who wrote something like it.
        session: SessionId,
        /// For what.
        wake: Wake,
        /// Where it differs.
        difference: Box<Difference>,
    },
    /// A revision that nobody wrote.
    #[error("nobody wrote revision {revision}: no node has such a write under way")]
    Nobody {
        /// Which.
        revision: Revision,
    },
    /// A write that cannot have happened.
    #[error(
        "the write of session {session} for {} cannot have made revision {revision}: {} does not hold, the record is of revision {is}",
        json(.wake),
        json(.compare)
    )]
    CompareFails {
        /// Which.
        revision: Revision,
        /// Whose.
        session: SessionId,
        /// For what.
        wake: Wake,
        /// What it compares.
        compare: Box<Compare>,
        /// The revision of the record compared.
        is: Revision,
    },
    /// The answer to a write that was not made.
    #[error("there is no write under way for {}", json(.0))]
    NoWrite(Wake),
    /// A write is said to have made a revision that it did not make.
    #[error("the write for {} did not make revision {revision}", json(.wake))]
    NotThisWrite {
        /// Which.
        wake: Wake,
        /// Which revision.
        revision: Revision,
    },
    /// A guarantee does not hold.
    #[error("revision {revision} breaks {guarantee}")]
    Broken {
        /// The invariant, as in the specification.
        guarantee: &'static str,
        /// From which revision on.
        revision: Revision,
    },

    /// A verdict that nobody asked for, or on something else.
    #[error("nobody asked for this verdict on {}, or not on this base", json(.0))]
    Unasked(Subject),
    /// A connection's number is used again.
    #[error("connection {connection} to {target} is not new")]
    OldConnection {
        /// To which device.
        target: Target,
        /// Its number.
        connection: Connection,
    },
    /// A connection is gone that was not there.
    #[error("there is no connection {connection} to {target}")]
    NoConnection {
        /// To which device.
        target: Target,
        /// Its number.
        connection: Connection,
    },
    /// An answer out of nowhere.
    #[error("no answer of {target} is due on connection {connection} to request {sequence}")]
    NoRequest {
        /// Which device.
        target: Target,
        /// On which connection.
        connection: Connection,
        /// Which request.
        sequence: Sequence,
    },
    /// An answer to something else.
    #[error("the answer of {target} does not fit what request {sequence} asked")]
    Misfit {
        /// Which device.
        target: Target,
        /// Which request.
        sequence: Sequence,
    },
    /// A device accepted a request of an older master.
    #[error("{target} accepts election id {term} after {newer}")]
    OlderElection {
        /// Which device.
        target: Target,
        /// The election id.
        term: Term,
        /// A newer one it had accepted before.
        newer: Term,
    },
    /// A device turned down a request as too old that is not.
    #[error("{target} fences election id {term}, and has seen none newer than {newest}")]
    NotFenced {
        /// Which device.
        target: Target,
        /// The election id.
        term: Term,
        /// The newest one it has seen.
        newest: Term,
    },
    /// A device took a request that nobody sent, or took it twice.
    #[error(
        "{target} takes request {sequence} of session {session}, which was not sent like this or was taken before"
    )]
    NotSent {
        /// Which device.
        target: Target,
        /// Whose.
        session: SessionId,
        /// Which.
        sequence: Sequence,
    },
    /// A node was told something else than the device answered.
    #[error("this is not what {target} answered to request {sequence}")]
    OtherAnswer {
        /// Which device.
        target: Target,
        /// Which request.
        sequence: Sequence,
    },
}

fn status(status: Option<Status>) -> String {
    status.map_or_else(|| "there is none".into(), |status| json(&status).replace('"', ""))
}

/// As it stands in the trace, where a reader will look for it.
fn json<T: Serialize>(thing: &T) -> String {
    serde_json::to_string(thing).unwrap_or_default()
}
