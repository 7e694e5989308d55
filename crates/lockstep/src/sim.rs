//! `lockstep sim`: simulated devices, and what can be done to them.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use lockstep_simulator::{Options, Simulator, control};
use lockstep_yang::{ModelSet, Options as Models};
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::{Failed, SIM_LISTEN};
use crate::output::{chain, line};

/// Simulate gNMI devices.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = "\
Examples:
  lockstep sim --models ./models/lab                            one device on 127.0.0.1:57400
  lockstep sim --models ./models/lab --listen 127.0.0.1:57400 --count 3
  lockstep sim refuse 127.0.0.1:57401 /system/motd              from now on it refuses that path
  lockstep sim restart 127.0.0.1:57401                          it loses its configuration

Devices take one port each, from the given one up; port 0 takes free ones. They speak plaintext.")]
pub struct Sim {
    #[command(subcommand)]
    command: Option<Act>,
    /// A folder of YANG modules, which say what a device can be told
    #[arg(long, value_name = "DIR", required = true)]
    models: Option<PathBuf>,
    /// Where the first device listens
    #[arg(long, default_value_t = SIM_LISTEN, value_name = "ADDR")]
    listen: SocketAddr,
    /// How many devices
    #[arg(long, default_value_t = 1, value_name = "N")]
    count: u16,
}

/// What can be done to a simulated device.
#[derive(Debug, Subcommand)]
enum Act {
    /// Have a device refuse every Set that touches these paths
    Refuse {
        /// The device
        device: SocketAddr,
        /// Paths; `*`, `...` and left-out keys stand for all they match
        #[arg(required = true)]
        paths: Vec<lockstep_types::Path>,
        /// The gRPC code it answers with
        #[arg(long, default_value = "FAILED_PRECONDITION")]
        code: String,
        /// What it says
        #[arg(long, default_value = "", hide_default_value = true)]
        message: String,
    },
    /// Have a device refuse nothing any more
    Heal {
        /// The device
        device: SocketAddr,
    },
    /// Restart a device, as if it had lost its power
    Restart {
        /// The device
        device: SocketAddr,
        /// It keeps its configuration
        #[arg(long)]
        keep: bool,
    },
    /// Show what a device was asked, and what it did
    Journal {
        /// The device
        device: SocketAddr,
    },
}

/// `sim`.
pub async fn sim(sim: Sim) -> Result<(), Failed> {
    match sim.command {
        Some(act) => act_on(act).await,
        None => run(sim).await,
    }
}
