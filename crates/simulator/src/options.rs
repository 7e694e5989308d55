//! How a simulator is started.

use std::net::SocketAddr;

use lockstep_yang::ModelSet;

/// Which devices to run, and where.
#[derive(Clone, Debug)]
pub struct Options {
    /// The models of all of them.
    pub models: ModelSet,
    /// Where the first one listens; the next ones on the ports that follow. Port 0: each on a port
    /// that is free.
    pub listen: SocketAddr,
    /// How many.
    pub count: u16,
}
