//! `lockstep sim`: simulated devices, and what can be done to them.

mod act;
mod journal;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use lockstep_simulator::{Options, Simulator, faults};
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
  lockstep sim --models ./models/lab --faults faults.yaml       with faults from the start
  lockstep sim refuse 127.0.0.1:57401 /system/motd              from now on it refuses that path
  lockstep sim hang 127.0.0.1:57401 --apply-after 5s --times 1  the next Set is applied late
  lockstep sim journal 127.0.0.1:57401                          what it was asked, and what it did
  lockstep sim heal 127.0.0.1:57401                             nothing is wrong with it any more
  lockstep sim restart 127.0.0.1:57401                          it loses its configuration

Devices take one port each, from the given one up; port 0 takes free ones."
)]
pub(crate) struct Sim {
    #[command(subcommand)]
    command: Option<act::Act>,
    /// A folder of YANG modules, which say what a device can be told
    #[arg(long, value_name = "DIR", required = true)]
    models: Option<PathBuf>,
    /// Where the first device listens
    #[arg(long, default_value_t = SIM_LISTEN, value_name = "ADDR")]
    listen: SocketAddr,
    /// How many devices
    #[arg(long, default_value_t = 1, value_name = "N")]
    count: u16,
    /// Faults that devices have from the start (YAML)
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,
}

/// `sim`.
pub(crate) async fn sim(sim: Sim) -> Result<(), Failed> {
    match sim.command {
        Some(act) => act::act(act).await,
        None => run(sim).await,
    }
}

async fn run(sim: Sim) -> Result<(), Failed> {
    let mut terminate = signal(SignalKind::terminate())?;
    let path = sim.models.ok_or("--models DIR is missing")?;
    let options = Models { path, modules: Vec::new(), features: Vec::new(), origin: None };
    let models = ModelSet::load(&options).map_err(|error| chain(&error))?;
    let faults = sim.faults.map(|path| read_faults(&path)).transpose()?.unwrap_or_default();
    let simulator = Simulator::start(Options { models, listen: sim.listen, count: sim.count })?;
    for (devices, fault) in faults {
        for (number, device) in (1..).zip(simulator.devices()) {
            if devices.is_empty() || devices.contains(&number) {
                device.add_faults(fault.clone());
            }
        }
    }
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

/// The faults in a file, each with the devices it is for.
fn read_faults(path: &std::path::Path) -> Result<Vec<(Vec<usize>, faults::Fault)>, Failed> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    Ok(faults::from_yaml(&text).map_err(|error| format!("{}: {error}", path.display()))?)
}
