//! The door to a device: a small trait for whoever can connect, and one for a connection.

use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::Election;
use lockstep_protocol::{Answer, Ask};

/// What an asynchronous method of a trait object returns.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Knows how to connect to one device.
pub trait Driver: Debug + Send + Sync + 'static {
    /// Opens a new connection, or says why there is none. Gives up by itself after a while. The device
    /// has answered something on the connection by then: a port that is open is not yet a device.
    fn connect(&self) -> BoxFuture<'_, Result<Arc<dyn Line>, ConnectError>>;
}

/// One connection to one device. It never becomes another one, and it is closed when the last
/// reference to it is dropped, before that drop returns.
pub trait Line: Debug + Send + Sync + 'static {
    /// Asks the device and classifies its answer. Gives up by itself after a while, with
    /// [`Answer::Unknown`]. A future that is dropped leaves it open whether the request arrived.
    fn ask(&self, election: Election, ask: Ask) -> BoxFuture<'_, Answer>;

    /// Comes back when the connection is gone, however that came about, and says why.
    fn closed(&self) -> BoxFuture<'_, String>;
}

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

fn sentences(errors: &[ConnectError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
