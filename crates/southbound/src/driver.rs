//! The door to a device: a small trait for whoever can connect, and one for a connection.

mod fencing;
mod follow;
mod lease;
mod mandate;
mod notice;

use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use lockstep_protocol::record::Failure;
use lockstep_protocol::{Answer, Ask};
use lockstep_types::Path;
use serde_json::Value;
use tokio::sync::mpsc;

pub use fencing::Fencing;
pub use follow::{Follow, Followed, Pace};
pub use lease::Lease;
pub use mandate::Mandate;
pub use notice::{Notice, Watch};

/// What an asynchronous method of a trait object returns.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Knows how to connect to one device.
pub trait Driver: Debug + Send + Sync + 'static {
    /// Opens a new connection, or says why there is none. Gives up by itself after a while. The device
    /// has answered something on the connection by then: a port that is open is not yet a device.
    fn connect(&self) -> BoxFuture<'_, Result<Arc<dyn Line>, ConnectError>>;

    /// How long the device is waited for. A Set that was sent on a connection which ended since may
    /// still have an effect for that long, as far as anyone waited for it.
    fn patience(&self) -> Duration;
}

/// One connection to one device. It never becomes another one, and it is closed when the last
/// reference to it is dropped, before that drop returns.
pub trait Line: Debug + Send + Sync + 'static {
    /// Asks the device and classifies its answer. Gives up by itself after a while, with
    /// [`Answer::Unknown`]. A future that is dropped leaves it open whether the request arrived.
    fn ask(&self, mandate: Mandate, ask: Ask) -> BoxFuture<'_, Answer>;

    /// Whether the device itself turns away an older master; none: not found out. A claim that is
    /// accepted finds it out.
    fn fencing(&self) -> Option<Fencing>;

    /// Whether the device has commits that are to be confirmed; none: not found out. A claim that is
    /// accepted finds it out.
    fn confirms(&self) -> Option<bool>;

    /// Tells of changes of what the device holds, whoever made them, beside whatever else is asked;
    /// until the connection ends or nobody listens. See [`Notice`] for what is told.
    fn watch(&self, watch: Watch, tell: mpsc::Sender<Notice>) -> BoxFuture<'_, ()>;

    /// Looks at what the device reports of itself, beside whatever else is asked.
    fn look(&self, look: Look) -> BoxFuture<'_, Result<Vec<Report>, Failure>>;

    /// Tells of the device's state as it asks to be told, beside whatever else is asked, until the device
    /// ends it; and says why. It has to see by itself when the connection is gone.
    fn follow(&self, follow: Follow, tell: mpsc::Sender<Followed>) -> BoxFuture<'_, Failure>;

    /// Comes back when the connection is gone, however that came about, and says why.
    fn closed(&self) -> BoxFuture<'_, String>;
}

/// What of a device a reader wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// What it is configured with.
    Config,
    /// Its state.
    State,
    /// Only the state that changes by itself, not what merely mirrors configuration.
    Operational,
}

/// What a reader wants to see of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Where; may be a pattern.
    pub path: Path,
    /// What.
    pub seen: Seen,
    /// Whether names are to be qualified (RFC 7951), as far as the device can.
    pub ietf: bool,
}

/// A value that a device reports, relative to its path.
pub type Report = (Path, Value);

/// Why there is no connection to a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// Nothing is there that would talk to us.
    #[error("{address}: {reason}")]
    Unreachable {
        /// Where it was looked for.
        address: String,
        /// What the network said.
        reason: String,
    },
    /// It did not answer in time.
    #[error("{address}: no answer within {after:?}")]
    Timeout {
        /// Where it was looked for.
        address: String,
        /// How long was waited.
        after: Duration,
    },
    /// It answered, and will not talk to us.
    #[error("{address}: the device refused: {code}: {message}")]
    Refused {
        /// Where it is.
        address: String,
        /// Its code, by name.
        code: String,
        /// Its words.
        message: String,
    },
    /// What was configured cannot be used, so nothing was tried.
    #[error("{option}: {reason}")]
    Option {
        /// The option.
        option: &'static str,
        /// What is wrong with it, and what would be right.
        reason: String,
    },
    /// No address worked.
    #[error("{}", sentences(.tried))]
    Everywhere {
        /// What came of each.
        tried: Vec<ConnectError>,
    },
}

impl ConnectError {
    /// For the log: of what a device says, the code alone, since its words may repeat a value that is secret.
    pub(crate) fn for_log(&self) -> String {
        match self {
            Self::Refused { address, code, .. } => format!("{address}: the device refused: {code}"),
            Self::Everywhere { tried } => {
                tried.iter().map(Self::for_log).collect::<Vec<_>>().join("; ")
            }
            Self::Unreachable { .. } | Self::Timeout { .. } | Self::Option { .. } => {
                self.to_string()
            }
        }
    }
}

fn sentences(errors: &[ConnectError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
