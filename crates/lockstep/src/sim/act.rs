//! What can be done to a simulated device.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Subcommand, ValueEnum};
use lockstep_simulator::control::Client;
use lockstep_simulator::faults::{self, Does, Fault, Feature, On, Plan, Rewrite};
use lockstep_simulator::journal::Entry;
use lockstep_types::Path;
use serde_json::Value as Json;

use super::requests::{Narrow, Requests, error_code, feature, rewrite};
use super::{Tls, journal, read_faults};
use crate::cli::{Failed, Output};
use crate::output::line;

/// What can be done to a simulated device. Faults add up until the device is healed.
#[derive(Debug, Subcommand)]
pub(super) enum Act {
    /// Have a device refuse every Set that touches these paths
    #[command(after_help = "\
Examples:
  lockstep sim refuse 127.0.0.1:57400 /system/motd
  lockstep sim refuse 127.0.0.1:57400 /interfaces --deletes --times 3 --code ABORTED
  lockstep sim refuse 127.0.0.1:57400 --on get,subscribe --code UNAVAILABLE")]
    Refuse {
        /// The device
        device: SocketAddr,
        /// Paths; `*`, `...` and left-out keys stand for all they match. None: whatever it touches
        paths: Vec<Path>,
        /// The gRPC code it answers with
        #[arg(long, default_value = "FAILED_PRECONDITION")]
        code: String,
        /// What it says
        #[arg(long, default_value = "", hide_default_value = true)]
        message: String,
        /// Do what was asked all the same, and only say that it was not done
        #[arg(long)]
        after: bool,
        #[command(flatten)]
        to: Requests,
    },
    /// Have a device take its time
    #[command(after_help = "\
Examples:
  lockstep sim delay 127.0.0.1:57400 2s
  lockstep sim delay 127.0.0.1:57400 500ms --on any")]
    Delay {
        /// The device
        device: SocketAddr,
        /// How long, such as 500ms or 2s
        #[arg(value_parser = faults::duration)]
        by: Duration,
        #[command(flatten)]
        to: Narrow,
    },
    /// Have a device never answer, and apply what it was sent late
    #[command(after_help = "\
Examples:
  lockstep sim hang 127.0.0.1:57400 --apply-after 5s --times 1
  lockstep sim hang 127.0.0.1:57400 --on set,claim; lockstep sim release 127.0.0.1:57400")]
    Hang {
        /// The device
        device: SocketAddr,
        /// When it is applied; otherwise when the device is told to release it
        #[arg(long, value_name = "TIME", value_parser = faults::duration)]
        apply_after: Option<Duration>,
        #[command(flatten)]
        to: Narrow,
    },
    /// Have a device apply what hangs now
    Release {
        /// The device
        device: SocketAddr,
    },
    /// Have a device drop the connection, before or after it does what it was asked
    #[command(after_help = "\
Example:
  lockstep sim drop 127.0.0.1:57400 after --times 1")]
    Drop {
        /// The device
        device: SocketAddr,
        /// When
        when: When,
        #[command(flatten)]
        to: Narrow,
    },
    /// Have a device accept values and hold others
    #[command(after_help = "\
Examples:
  lockstep sim rewrite 127.0.0.1:57400 upper /system/hostname
  lockstep sim rewrite 127.0.0.1:57400 keep /interfaces/interface/mtu
  lockstep sim rewrite 127.0.0.1:57400 '\"mine\"' /system/motd")]
    Rewrite {
        /// The device
        device: SocketAddr,
        /// upper, lower, keep (it stays as it was), or a value in JSON
        #[arg(value_parser = rewrite)]
        how: Rewrite,
        /// Paths; none: every value
        paths: Vec<Path>,
        /// As many Sets, then no more
        #[arg(long, value_name = "N")]
        times: Option<u32>,
    },
    /// Have a device answer UNIMPLEMENTED to whatever uses a feature
    #[command(after_help = "\
Examples:
  lockstep sim lack 127.0.0.1:57400 get
  lockstep sim lack 127.0.0.1:57400 commit-confirmed")]
    Lack {
        /// The device
        device: SocketAddr,
        /// get, subscribe, on-change, capabilities, arbitration, role, commit-confirmed or depth
        #[arg(value_parser = feature)]
        feature: Feature,
    },
    /// Have a device behave as if requests did not use a feature
    #[command(after_help = "\
Example:
  lockstep sim ignore 127.0.0.1:57400 arbitration               every master is listened to")]
    Ignore {
        /// The device
        device: SocketAddr,
        /// arbitration or commit-confirmed
        #[arg(value_parser = feature)]
        feature: Feature,
    },
    /// Change a leaf of a device behind the back of its clients
    #[command(after_help = "\
Examples:
  lockstep sim drift 127.0.0.1:57400 /system/motd '\"who was that\"'
  lockstep sim drift 127.0.0.1:57400 /system/motd --delete
  lockstep sim drift 127.0.0.1:57400 /system/motd '\"again\"' --every 5s")]
    Drift {
        /// The device
        device: SocketAddr,
        /// Where
        path: Path,
        /// The value, in JSON; text that is no JSON is a string
        #[arg(required_unless_present = "delete")]
        value: Option<String>,
        /// Delete it
        #[arg(long, conflicts_with = "value")]
        delete: bool,
        /// Again and again
        #[arg(long, value_name = "TIME", value_parser = faults::duration)]
        every: Option<Duration>,
    },
    /// Show the faults of a device, or give it those in a file
    #[command(after_help = "\
Examples:
  lockstep sim faults 127.0.0.1:57400
  lockstep sim faults 127.0.0.1:57400 faults.yaml

A file is a list, such as:
  - {refuse: {code: ABORTED, message: no}, paths: /system/motd, times: 3}
  - {hang: {apply-after: 5s}, on: [set, claim]}
  - lack: get")]
    Faults {
        /// The device
        device: SocketAddr,
        /// Faults that it is to have instead (YAML)
        file: Option<PathBuf>,
    },
    /// Have a device do nothing wrong any more
    Heal {
        /// The device
        device: SocketAddr,
    },
    /// Restart a device, as if it had lost its power
    #[command(after_help = "\
Examples:
  lockstep sim restart 127.0.0.1:57400                          it comes back empty
  lockstep sim restart 127.0.0.1:57400 --keep")]
    Restart {
        /// The device
        device: SocketAddr,
        /// It keeps its configuration
        #[arg(long)]
        keep: bool,
    },
    /// Show what a device was asked, and what it did
    #[command(after_help = "\
Examples:
  lockstep sim journal 127.0.0.1:57400
  lockstep sim journal 127.0.0.1:57400 --after 12
  lockstep sim journal 127.0.0.1:57400 --output json")]
    Journal {
        /// The device
        device: SocketAddr,
        /// Only entries after this one
        #[arg(long, default_value_t = 0, value_name = "NUMBER")]
        after: u64,
        /// How entries are written; JSON: one object on each line
        #[arg(long, short, value_enum, default_value = "table")]
        output: Output,
    },
}

/// Before or after the device does what it was asked.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum When {
    /// Before: nothing is changed
    Before,
    /// After: it is changed, and nobody is told
    After,
}

/// Does it.
pub(super) async fn act(act: Act, tls: &Tls) -> Result<(), Failed> {
    let connect = async |device| connect(device, tls).await;
    let add = async |device, fault: Fault| add(connect(device).await?, fault).await;
    match act {
        Act::Refuse { device, paths, code, message, after, to } => {
            if paths.is_empty() && to.on.is_empty() && !to.deletes {
                return Err("say which paths, which requests (--on), or --deletes".into());
            }
            let does = Does::Refuse { code: error_code(&code)?, message, after };
            add(device, to.fault(paths, does)).await
        }
        Act::Delay { device, by, to } => add(device, to.fault(Does::Delay(by))).await,
        Act::Hang { device, apply_after, to } => {
            add(device, to.fault(Does::Hang(apply_after))).await
        }
        Act::Release { device } => Ok(connect(device).await?.release().await?),
        Act::Drop { device, when, to } => {
            add(device, to.fault(Does::Drop { after: matches!(when, When::After) })).await
        }
        Act::Rewrite { device, how, paths, times } => {
            let on = On { paths, ..On::default() };
            add(device, Fault { on, does: Does::Rewrite(how), times }).await
        }
        Act::Lack { device, feature } => add(device, Does::Lack(feature).always()).await,
        Act::Ignore { device, feature } => add(device, Does::Ignore(feature).always()).await,
        Act::Drift { device, path, value, delete: _, every } => {
            let value = value.map(|text| serde_json::from_str(&text).unwrap_or(Json::String(text)));
            match every {
                None => Ok(connect(device).await?.drift(&path, value.as_ref()).await?),
                Some(every) => add(device, Does::Drift { value, every }.always().at(path)).await,
            }
        }
        Act::Faults { device, file: None } => {
            let faults = connect(device).await?.faults().await?;
            faults.iter().try_for_each(|fault| line(&journal::fault(fault)))?;
            Ok(())
        }
        Act::Faults { device, file: Some(path) } => {
            let faults = read_faults(&path)?.into_iter().map(|(_, fault)| fault);
            let faults: Vec<Fault> = faults.collect();
            Ok(connect(device).await?.set_faults(faults).await?)
        }
        Act::Heal { device } => Ok(connect(device).await?.set_faults(Plan::default()).await?),
        Act::Restart { device, keep } => Ok(connect(device).await?.restart(keep).await?),
        Act::Journal { device, after, output } => {
            let entries = connect(device).await?.journal(after).await?;
            let write = |entry: &Entry| match output {
                Output::Table => journal::entry(entry),
                Output::Json => journal::json(entry).to_string(),
            };
            entries.iter().try_for_each(|entry| line(&write(entry)))?;
            Ok(())
        }
    }
}

async fn add(mut device: Client, fault: Fault) -> Result<(), Failed> {
    Ok(device.add_faults(fault).await?)
}

async fn connect(device: SocketAddr, tls: &Tls) -> Result<Client, Failed> {
    let device = device.to_string();
    Ok(match tls.of_client()? {
        None => Client::connect(device).await?,
        Some(tls) => Client::connect_tls(device, tls).await?,
    })
}
