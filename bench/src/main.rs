//! What Lockstep is measured against, and its rooms by themselves. `bench/run.py` asks for all of it, beside whole nodes;
//! each part writes one JSON document.
//!
//! A floor is the same work with nothing of ours in it: an empty RPC, the same bytes made durable, the same Set straight
//! to a device. Machines differ and are shared, so a figure means little without the floor of the same minute.

#[cfg(test)]
mod cliffs;
mod core;
mod direct;
mod fill;
mod libyang;
mod measure;
mod rpc;
mod store;
mod times;
mod trees;
#[cfg(test)]
mod whole;
mod yang;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Parser, Subcommand};
use serde_json::{Value, json};

/// How a bench fails: with whatever went wrong below.
pub(crate) type Failed = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug, Parser)]
struct Cli {
    #[command(subcommand)]
    part: Part,
}

#[derive(Debug, Subcommand)]
enum Part {
    /// The rooms by themselves: trees, the core, models
    Rooms,
    /// Group commits of what one-leaf transactions write: ours, the engine's, and a file's
    Commits {
        /// How many transactions are under way at once
        #[arg(long)]
        flight: u64,
        /// How many there are
        #[arg(long)]
        count: u64,
    },
    /// Compare-and-puts of etcd's own client, of as many bytes as a one-leaf transaction writes
    Etcd {
        /// The members
        #[arg(long, value_delimiter = ',')]
        endpoints: Vec<String>,
        #[arg(long)]
        flight: u64,
        #[arg(long)]
        seconds: f64,
    },
    /// A server that does nothing, and says where it is
    Serve {
        /// How much a Get answers
        #[arg(long, default_value_t = 0)]
        bytes: usize,
        /// How many messages a second each subscriber gets
        #[arg(long, default_value_t = 0)]
        rate: u64,
    },
    /// Empty RPCs to it, or Gets
    Call {
        #[arg(long)]
        address: SocketAddr,
        #[arg(long)]
        clients: usize,
        #[arg(long)]
        seconds: f64,
        /// A Get of this path instead
        #[arg(long)]
        get: Option<String>,
        /// Of this target
        #[arg(long, default_value = "")]
        target: String,
    },
    /// Subscribers to it
    Subscribe {
        #[arg(long)]
        address: SocketAddr,
        #[arg(long)]
        subscribers: usize,
        #[arg(long)]
        seconds: f64,
    },
    /// Sets straight to devices: one after the other to the first, and at once to all
    Direct {
        /// Port of the first device
        #[arg(long)]
        first: u16,
        #[arg(long)]
        count: u16,
        #[arg(long, default_value_t = 5)]
        rounds: usize,
    },
    /// Every device dialled and read
    Reads {
        /// Port of the first device
        #[arg(long)]
        first: u16,
        #[arg(long)]
        count: u16,
        #[arg(long, default_value_t = 3)]
        rounds: usize,
    },
    /// libyang printing interfaces of the lab model
    Libyang {
        /// How many leaves
        #[arg(long)]
        leaves: usize,
    },
    /// One-leaf verdicts of models, and what one takes
    Verdict,
    /// A store with so much in it, for a node to start on
    Fill(fill::Fill),
    /// Opening a store, against reading its bytes
    Open {
        #[arg(long)]
        folder: PathBuf,
    },
}

fn main() -> Result<(), Failed> {
    let part = Cli::parse().part;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let told = match part {
        Part::Rooms => rooms(),
        Part::Commits { flight, count } => runtime.block_on(store::commits(flight, count))?,
        Part::Etcd { endpoints, flight, seconds } => {
            runtime.block_on(store::etcd::raw(&endpoints, flight, seconds))?
        }
        Part::Serve { bytes, rate } => return runtime.block_on(rpc::serve(bytes, rate)),
        Part::Call { address, clients, seconds, get, target } => {
            let get = get.map(|path| rpc::get(&target, &path)).transpose()?;
            runtime.block_on(rpc::call(address, clients, seconds, get))?
        }
        Part::Subscribe { address, subscribers, seconds } => {
            runtime.block_on(rpc::subscribe(address, subscribers, seconds))?
        }
        Part::Direct { first, count, rounds } => {
            runtime.block_on(direct::run(first, count, rounds))?
        }
        Part::Reads { first, count, rounds } => {
            runtime.block_on(direct::reads(first, count, rounds))?
        }
        Part::Libyang { leaves } => libyang::print(leaves)?,
        Part::Verdict => yang::verdict(),
        Part::Fill(asked) => runtime.block_on(fill::fill(&asked))?,
        Part::Open { folder } => store::large::open(&runtime, &folder)?,
    };
    println!("{told}");
    Ok(())
}

fn rooms() -> Value {
    let mut rows = Vec::new();
    rows.extend(trees::rows());
    rows.extend(core::rows());
    rows.extend(yang::rows());
    rows.iter()
        .map(|row| json!({ "what": row.what, "size": row.size, "figure": row.figure, "ratio": row.ratio }))
        .collect()
}
