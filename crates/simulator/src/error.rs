//! Why a device does not run.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

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
    /// There may not be as many listeners.
    #[error(
        "{devices} devices need {needed} open files, and there may be {limit}; raise the limit with ulimit -n {needed}"
    )]
    Files {
        /// How many were asked for.
        devices: u16,
        /// The files that takes.
        needed: u64,
        /// The limit.
        limit: u64,
    },
    /// The certificates cannot be used.
    #[error("the certificates of the devices cannot be used")]
    Tls {
        /// Why.
        source: tonic::transport::Error,
    },
    /// What it held when it ran last cannot be used.
    #[error("{path}: {reason}")]
    State {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The simulator was stopped, and its devices with it.
    #[error("the simulator was stopped")]
    Stopped,
}
