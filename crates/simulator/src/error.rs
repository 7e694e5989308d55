//! Why a device does not run.

use std::io;
use std::net::SocketAddr;

/// What keeps a device from running.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Its address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Which.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// There are fewer ports from the first one up than devices.
    #[error("{count} devices from port {first} on: ports end at 65535")]
    Ports {
        /// The first port.
        first: u16,
        /// How many were asked for.
        count: u16,
    },
    /// The simulator was stopped, and its devices with it.
    #[error("the simulator was stopped")]
    Stopped,
}
