//! `lockstep demo`: a node and six simulated devices, and a tour that really does what it tells.

mod invite;
mod network;
mod tell;
mod tour;
mod typed;

use std::pin::pin;
use std::time::Duration;

use clap::Args;
use tokio::time::timeout;

use crate::cli::Failed;
use crate::signals::Signals;
use network::Network;
use tell::Teller;

/// See it at work.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep demo            the tour, then it stays up to be tried
  lockstep demo --fast     without the pauses
  lockstep demo --exit     the tour alone; status 0 only if every step went as told

It stays up until Ctrl-C, or SIGTERM, ends it; without a terminal as well, where it does not pause. It leaves nothing behind.")]
pub(crate) struct Demo {
    /// End after the tour
    #[arg(long)]
    exit: bool,
    /// Do not pause for the reader
    #[arg(long)]
    fast: bool,
}

/// How long a start is waited for that is not wanted any more.
const START: Duration = Duration::from_secs(5);

/// `demo`.
pub(crate) async fn demo(demo: &Demo) -> Result<(), Failed> {
    let mut signals = Signals::new()?;
    let mut start = pin!(Network::start());
    let network = tokio::select! {
        network = &mut start => network?,
        signal = signals.next() => {
            // What has begun is ended in order: a store that is still being opened would be left behind.
            if let Ok(Ok(network)) = timeout(START, start).await {
                network.stop().await?;
            }
            return Err(signal.into());
        }
    };
    let teller = Teller::new(demo.fast);
    let toured = tokio::select! {
        toured = tour::tour(&network, &teller) => toured,
        signal = signals.next() => Err(signal.into()),
    };
    if toured.is_ok() && !demo.exit {
        invite::invite(&network, &teller)?;
        signals.next().await;
    }
    // Ended at any moment, it cleans up all the same, unless somebody cannot wait for that.
    tokio::select! {
        stopped = network.stop() => {
            stopped?;
            teller.farewell()?;
            toured
        }
        signal = signals.next() => Err(signal.into()),
    }
}
