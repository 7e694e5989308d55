//! What a node learns: from the store, a device, yang, a client, the clock.

use std::collections::BTreeMap;

use lockstep_types::{
    Configuration as Tree, Connection, Index, ModelDigest, Revision, Sequence, Target, Timestamp,
    TransactionId,
};
use serde::{Deserialize, Serialize};

use crate::record::{Failure, Trials, Violation};
use crate::request::{Client, Order, Request};
use crate::txn::Changes;

/// One thing a node learns. Everything the core knows comes in as one of these.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// It is now this late; never goes back.
    Tick(Timestamp),
    /// The watch brought the next revision.
    Watch(Changes),
    /// A write came back.
    Written {
        /// Whose.
        wake: Wake,
        /// What became of it.
        result: Written,
    },
    /// yang's verdict on what it was asked.
    Verdict {
        /// On what.
        subject: Subject,
        /// The verdict.
        verdict: Verdict,
    },
    /// There is a connection to a device. Numbers grow; each is used once.
    Connected {
        /// Which device.
        target: Target,
        /// The new connection.
        connection: Connection,
    },
    /// The device on this connection can take something on trial. Known before its claim is answered.
    Trials {
        /// Which device.
        target: Target,
        /// On which connection.
        connection: Connection,
        /// When that is made use of.
        trials: Trials,
    },
    /// A connection is gone, and with it every answer still due on it.
    Disconnected {
        /// Which device.
        target: Target,
        /// The connection.
        connection: Connection,
    },
    /// A device answered.
    Answered {
        /// Which device.
        target: Target,
        /// On which connection.
        connection: Connection,
        /// Which request.
        sequence: Sequence,
        /// What.
        answer: Answer,
    },
    /// A device was changed behind our back.
    Drifted(Target),
    /// A device that was changed behind our back, and left so, shows what was applied again.
    InLine(Target),
    /// A client asks for a transaction.
    Submit {
        /// Who is to be answered.
        client: Client,
        /// What is asked.
        request: Request,
        /// What yang said of it already, to whoever brought it here; see [`View::checks`](crate::View::checks).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        verdict: Option<Verdict>,
    },
    /// A client that asked for a transaction has gone away.
    Leave {
        /// Who.
        client: Client,
        /// What it asked for.
        id: TransactionId,
    },
    /// A client asks for a transaction to be called off.
    Cancel {
        /// Who is to be answered.
        client: Client,
        /// Which transaction.
        index: Index,
        /// Who asks; the author of the revert, if it comes to one.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        author: String,
    },
    /// A client confirms a change, so that it stays.
    Confirm {
        /// Who is to be answered.
        client: Client,
        /// Which transaction.
        index: Index,
    },
    /// A client gives a change another time to be confirmed in.
    Extend {
        /// Who is to be answered.
        client: Client,
        /// Which transaction.
        index: Index,
        /// How long from now, in nanoseconds.
        length: u64,
    },
    /// An operator asks for something to be done with a target.
    Operate {
        /// Who is to be answered.
        client: Client,
        /// Which target.
        target: Target,
        /// What.
        order: Order,
        /// Who asks; the author of the entry, if it comes to one.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        author: String,
    },
    /// This node's session is kept until then, counted from the sending of the last good keepalive.
    Lease(Timestamp),
}

/// What a controller is woken by: an id, never a hint of what changed, so that a restart takes the
/// same way as any other wake-up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wake {
    /// What clients submitted and is not in the log.
    Append,
    /// A transaction.
    Transaction(Index),
    /// A target: mastership, resync, apply, undo.
    Target(Target),
    /// A target on which something was withdrawn (rule 9).
    Recheck(Target),
    /// A change with a window, which somebody confirms.
    Window(Index),
    /// What operators ask to be done with a target.
    Operate(Target),
    /// Entries beyond the horizon.
    Retention,
}

/// What became of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Written {
    /// It happened and made this revision.
    Done(Revision),
    /// A compare failed, or nobody knows whether it happened: decide again once the view has reached
    /// this revision. Deciding again is safe in both cases, for every write compares what it changes.
    Stale(Revision),
}

/// What yang is asked about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// A submission, before it is in the log.
    Submission(TransactionId),
    /// An entry of the log.
    Transaction(Index),
    /// An entry behind one that was withdrawn on this target.
    Recheck(Target, Index),
}

/// What a verdict was reached on; it counts only while this still is so.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Base {
    /// The revision of the target's configuration.
    pub configuration: Revision,
    /// The target's models.
    pub models: ModelDigest,
}

/// yang's word on the result of a transaction: what it was reached on, and the rules it breaks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Verdict {
    /// On what.
    pub bases: BTreeMap<Target, Base>,
    /// The rules broken; none: valid.
    pub violations: Vec<Violation>,
}

/// A device's answer, classified once, by the driver.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// It did what was asked.
    Accepted,
    /// It took the claim, as it takes anyone's: it turns away no older master. What one of those has
    /// sent may have an effect until so many nanoseconds after that one stopped sending.
    Unfenced(u64),
    /// What it holds, within the models.
    Values(Tree),
    /// It will not, and nothing changed.
    Refused(Failure),
    /// It has nothing on trial that it could keep or take back: it did so before, or never had it.
    Lost,
    /// It listens to a newer master, and nothing changed.
    Fenced,
    /// Nobody knows whether it did.
    Unknown,
    /// Not now, and nothing changed.
    Busy,
}
