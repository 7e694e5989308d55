//! `lockstep sim`: simulated devices, and what can be done to them.

mod act;
mod journal;
mod requests;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use lockstep_simulator::{Options, Setup, Simulator, faults, setup};
use lockstep_yang::{ModelSet, Options as Models};
use tokio::signal::unix::{SignalKind, signal};
use tonic::transport::{Certificate, ClientTlsConfig, Identity};

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
  lockstep sim --models ./models/lab --state ./devices          they keep what they hold
  lockstep sim --models ./models/lab --tls-cert dev.pem --tls-key dev-key.pem --tls-ca ca.pem
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
    /// Only this module of them, and what it needs; may be given more than once
    #[arg(long = "module", value_name = "NAME")]
    modules: Vec<String>,
    /// Where the first device listens
    #[arg(long, default_value_t = SIM_LISTEN, value_name = "ADDR")]
    listen: SocketAddr,
    /// How many devices
    #[arg(long, default_value_t = 1, value_name = "N")]
    count: u16,
    /// Faults that devices have from the start (YAML)
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,
    /// A folder that keeps what devices hold, for when they are started again
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    #[command(flatten)]
    tls: Tls,
}

/// Certificates, of the devices or of those who do something to them (PEM).
#[derive(Debug, Args)]
struct Tls {
    /// The devices' certificate: they speak TLS. Of a command: our own
    #[arg(long, global = true, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The key of the certificate
    #[arg(long, global = true, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Who signs the certificates that clients have to show. Of a command: who signed the device's
    #[arg(long, global = true, value_name = "FILE")]
    tls_ca: Option<PathBuf>,
    /// Of a command: the name in the device's certificate, if it is not the address
    #[arg(long, global = true, value_name = "NAME")]
    tls_server_name: Option<String>,
}

/// `sim`.
pub(crate) async fn sim(sim: Sim) -> Result<(), Failed> {
    match sim.command {
        Some(act) => act::act(act, &sim.tls).await,
        None => run(sim).await,
    }
}

async fn run(sim: Sim) -> Result<(), Failed> {
    let mut terminate = signal(SignalKind::terminate())?;
    let path = sim.models.ok_or("--models DIR is missing")?;
    let options = Models { path, modules: sim.modules, features: Vec::new(), origin: None };
    let models = ModelSet::load(&options).map_err(|error| chain(&error))?;
    let faults = sim.faults.map(|path| read_faults(&path)).transpose()?.unwrap_or_default();
    let setup = Setup { tls: sim.tls.of_devices()?, state: sim.state };
    let options = Options { models, listen: sim.listen, count: sim.count };
    let simulator = Simulator::start_with(options, &setup).map_err(|error| chain(&error))?;
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

impl Tls {
    /// What the devices are given.
    fn of_devices(&self) -> Result<Option<setup::Tls>, Failed> {
        let (Some(cert), Some(key)) = (&self.tls_cert, &self.tls_key) else {
            return match self.tls_ca {
                None => Ok(None),
                Some(_) => Err("--tls-ca needs --tls-cert and --tls-key".into()),
            };
        };
        let client_ca = self.tls_ca.as_deref().map(read).transpose()?;
        Ok(Some(setup::Tls { cert: read(cert)?, key: read(key)?, client_ca }))
    }

    /// What a command connects with.
    fn of_client(&self) -> Result<Option<ClientTlsConfig>, Failed> {
        let Some(ca) = &self.tls_ca else { return Ok(None) };
        let mut tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(read(ca)?));
        if let Some(name) = &self.tls_server_name {
            tls = tls.domain_name(name);
        }
        if let (Some(cert), Some(key)) = (&self.tls_cert, &self.tls_key) {
            tls = tls.identity(Identity::from_pem(read(cert)?, read(key)?));
        }
        Ok(Some(tls))
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failed> {
    Ok(std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?)
}

/// The faults in a file, each with the devices it is for.
fn read_faults(path: &Path) -> Result<Vec<(Vec<usize>, faults::Fault)>, Failed> {
    let text = String::from_utf8(read(path)?)?;
    Ok(faults::from_yaml(&text).map_err(|error| format!("{}: {error}", path.display()))?)
}
