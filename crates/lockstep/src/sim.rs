//! `lockstep sim`: simulated devices, and what can be done to them.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use lockstep_gnmi::code;
use lockstep_simulator::control::Client;
use lockstep_simulator::faults::Refusal;
use lockstep_simulator::journal::{Effect, Entry};
use lockstep_simulator::{Faults, Options, Simulator};
use lockstep_yang::{ModelSet, Options as Models};
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::{Failed, SIM_LISTEN};
use crate::output::{chain, line};

/// Simulate gNMI devices.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  lockstep sim --models ./models/lab                            one device on 127.0.0.1:57400
  lockstep sim --models ./models/lab --listen 127.0.0.1:57400 --count 3
  lockstep sim refuse 127.0.0.1:57401 /system/motd              from now on it refuses that path
  lockstep sim restart 127.0.0.1:57401                          it loses its configuration

Devices take one port each, from the given one up; port 0 takes free ones. They speak plaintext."
)]
pub(crate) struct Sim {
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
pub(crate) async fn sim(sim: Sim) -> Result<(), Failed> {
    match sim.command {
        Some(act) => act_on(act).await,
        None => run(sim).await,
    }
}

async fn run(sim: Sim) -> Result<(), Failed> {
    let mut terminate = signal(SignalKind::terminate())?;
    let path = sim.models.ok_or("--models DIR is missing")?;
    let options = Models { path, modules: Vec::new(), features: Vec::new(), origin: None };
    let models = ModelSet::load(&options).map_err(|error| chain(&error))?;
    let simulator = Simulator::start(Options { models, listen: sim.listen, count: sim.count })?;
    for address in simulator.addresses() {
        line(&format!("device on {address}"))?;
    }
    tokio::select! {
        _ = terminate.recv() => {}
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    simulator.stop().await;
    Ok(())
}

async fn act_on(act: Act) -> Result<(), Failed> {
    match act {
        Act::Refuse { device, paths, code, message } => {
            let code = code::parse(&code).ok_or_else(|| {
                format!("{code:?} is no gRPC code; write it like FAILED_PRECONDITION")
            })?;
            let refusal = |pattern| Refusal { pattern, code, message: message.clone() };
            let refuse = paths.into_iter().map(refusal).collect();
            Ok(connect(device).await?.set_faults(&Faults { refuse }).await?)
        }
        Act::Heal { device } => Ok(connect(device).await?.set_faults(&Faults::default()).await?),
        Act::Restart { device, keep } => Ok(connect(device).await?.restart(keep).await?),
        Act::Journal { device } => {
            for entry in connect(device).await?.journal(0).await? {
                line(&journal_line(&entry))?;
            }
            Ok(())
        }
    }
}

async fn connect(device: SocketAddr) -> Result<Client, Failed> {
    Ok(Client::connect(device.to_string()).await?)
}

/// An entry of a journal: number, what, by whom, what came of it, where.
fn journal_line(entry: &Entry) -> String {
    let paths: Vec<String> = entry.paths.iter().map(ToString::to_string).collect();
    let master = entry.election.map(|id| format!(" by {}.{}", id.high, id.low)).unwrap_or_default();
    let effect = match &entry.effect {
        Effect::Done => "OK".to_owned(),
        Effect::Refused { code, message } => format!("{}: {message}", code::name(*code)),
    };
    format!("{:>4} {}{master} {effect} {}", entry.number, entry.kind, paths.join(" "))
        .trim_end()
        .into()
}
