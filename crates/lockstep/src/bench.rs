//! `lockstep bench`: a load on a node, and how it bears it.
//!
//! ```text
//!   Plan     which targets, what is written: the n-th change        (plan)
//!   Before   what stood there, put back at the end                  (before)
//!   Pace     when the next change is due: at once, or at a rate     (pace)
//!   Load     clients that send; readers and subscribers beside      (load, beside)
//!   Meter    how long each took, what went wrong                    (meter)
//!   Report   a table or JSON                                        (report)
//! ```
//!
//! With a rate, a change counts from when it was due, not from when a client came to send it: a node that stalls is
//! charged for all that should have come meanwhile.

mod before;
mod beside;
mod live;
mod load;
mod meter;
mod own;
mod pace;
mod plan;
mod report;

use std::time::Duration;

use clap::Args;
use lockstep_simulator::faults::duration;

use crate::ask;
use crate::cli::{Failed, Global};
use crate::client::{Certificates, Client};
use crate::exit::{Ended, USAGE};
use crate::signals::Signals;
use before::Before;
use own::Own;
use plan::Plan;
use report::Report;

/// Put a load on a node, and see how it bears it.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep bench --own 10                                 a node and ten devices of its own
  lockstep bench --own 100 --clients 64 --queued --async  commits only: devices follow
  lockstep bench --own 100 --targets-per-transaction 100 --clients 1
  lockstep bench --own 10 --rate 200 --duration 30s       200 changes a second, whatever becomes of them
  lockstep bench --own 10 --readers 4 --subscribers 100 --output json
  lockstep --insecure bench --targets 2 --yes             on the node that is asked: it changes configuration!
  lockstep --insecure bench --target leaf1 --path /system/motd --yes
  lockstep --insecure bench --target r1 --path '/interfaces/interface[name=lo{leaf}]/config/description' --leaves 4

Every change writes a new value at the path, on each of its targets. When it ends, or is interrupted, what stood there \
before is put back. Without --rate each client sends its next change when it has the answer to the last; with it, \
changes are due at that rate and count from then, even if no client was free.")]
pub(crate) struct Bench {
    /// Start a node with so many simulated devices, in a temporary folder, and load that
    #[arg(long, value_name = "N", conflicts_with_all = ["target", "path", "value"])]
    own: Option<u16>,
    /// How many targets, of those that are synchronised (of all, with --queued --async); all of its own, otherwise one
    #[arg(long, value_name = "N", conflicts_with = "target")]
    targets: Option<usize>,
    /// Only this target; may be given several times
    #[arg(long, value_name = "NAME", add = crate::completions::targets())]
    target: Vec<String>,
    /// How many targets one change concerns
    #[arg(long, default_value_t = 1, value_name = "N")]
    targets_per_transaction: usize,
    /// How many leaves it sets on each
    #[arg(long, default_value_t = 1, value_name = "N")]
    leaves: usize,
    /// Which leaf; {leaf} is its number, from 0
    #[arg(long, default_value = plan::PATH, value_name = "PATH")]
    path: String,
    /// Its value; {n} is the number of the change, from 1
    #[arg(long, default_value = plan::VALUE, value_name = "TEXT")]
    value: String,
    /// Each target when it can, instead of everywhere or nowhere
    #[arg(long)]
    queued: bool,
    /// Answered with the decision, instead of with the outcome
    #[arg(long = "async")]
    asynchronous: bool,
    /// How many clients send changes
    #[arg(long, default_value_t = 16, value_name = "N")]
    clients: usize,
    /// Over how many connections they do
    #[arg(long, value_name = "N")]
    connections: Option<usize>,
    /// So many changes a second are due, however long they take
    #[arg(long, value_name = "N")]
    rate: Option<f64>,
    /// How many clients read the leaves meanwhile, one Get after the other
    #[arg(long, default_value_t = 0, value_name = "N")]
    readers: usize,
    /// How many clients subscribe to the leaves meanwhile
    #[arg(long, default_value_t = 0, value_name = "N")]
    subscribers: usize,
    /// How long it is measured
    #[arg(long, default_value = "10s", value_name = "TIME", value_parser = duration)]
    duration: Duration,
    /// How long there is a load before that
    #[arg(long, default_value = "2s", value_name = "TIME", value_parser = duration)]
    warm_up: Duration,
    /// How long an answer is waited for
    #[arg(long, default_value = "60s", value_name = "TIME", value_parser = duration)]
    timeout: Duration,
    #[command(flatten)]
    certificates: Certificates,
}

/// Over how many connections clients send, where nothing else is said.
const CONNECTIONS: usize = 8;

/// `bench`.
pub(crate) async fn bench(asked: Bench, global: &Global) -> Result<(), Failed> {
    asked.check()?;
    crate::files::use_all();
    let mut signals = Signals::new()?;
    let own = match asked.own {
        None => None,
        Some(count) => Some(tokio::select! {
            own = Own::start(count) => own?,
            signal = signals.next() => return Err(signal.into()),
        }),
    };
    let measured = match &own {
        Some(own) => measured(&asked, global, own.client(), Some(own), &mut signals).await,
        None => {
            let client = Client::connect(global, &asked.certificates).await?;
            measured(&asked, global, client, None, &mut signals).await
        }
    };
    let Some(own) = own else { return measured };
    tokio::select! {
        stopped = own.stop() => measured.and(stopped),
        // Whoever asks once more does not want to wait.
        signal = signals.next() => Err(signal.into()),
    }
}

async fn measured(
    asked: &Bench,
    global: &Global,
    client: Client,
    own: Option<&Own>,
    signals: &mut Signals,
) -> Result<(), Failed> {
    let prepared = async {
        let plan = Plan::make(asked, &client).await?;
        let before = Before::look(&plan, &client).await?;
        Ok::<_, Failed>((plan, before))
    };
    let (plan, before) = tokio::select! {
        prepared = prepared => prepared?,
        signal = signals.next() => return Err(signal.into()),
    };
    if own.is_none() {
        agree(&plan, global)?;
    }
    let clients = match own {
        Some(own) => own.clients(asked.connections()).await?,
        None => connect(asked, global).await?,
    };
    let loaded = load::load(asked, plan.into(), &clients, signals).await?;
    let left = tokio::select! {
        // Nobody needs what is thrown away.
        () = std::future::ready(()), if own.is_some() => Vec::new(),
        left = before.put_back(&client, asked.queued && asked.asynchronous), if own.is_none() => left,
        signal = signals.next() => return Err(signal.into()),
    };
    let report = Report { asked, own: own.is_some(), loaded: &loaded, before: &before, left };
    report.write(global.output)?;
    match loaded.interrupted {
        Some(interrupted) => Err(interrupted.into()),
        None => loaded.worked(),
    }
}

/// One client for each connection.
async fn connect(asked: &Bench, global: &Global) -> Result<Vec<Client>, Failed> {
    let mut clients = Vec::new();
    for _ in 0..asked.connections() {
        clients.push(Client::connect(global, &asked.certificates).await?);
    }
    Ok(clients)
}

/// Somebody has to know that configuration is changed: whoever sits there, or whoever wrote --yes.
fn agree(plan: &Plan, global: &Global) -> Result<(), Failed> {
    if global.yes {
        return Ok(());
    }
    let what = plan.told();
    if ask::is_needed(global) {
        return ask::agree(&format!("this writes {what}, through {}. Go on?", global.server));
    }
    let words = "--yes says that it may, and --own N has a node of its own";
    Err(Ended::with(USAGE, format!("this would write {what}; {words}")))
}

impl Bench {
    fn connections(&self) -> usize {
        self.connections.unwrap_or(CONNECTIONS).clamp(1, self.clients.max(1))
    }

    /// What clap does not see.
    fn check(&self) -> Result<(), Failed> {
        let none = [
            ("--own", self.own == Some(0)),
            ("--targets", self.targets == Some(0)),
            ("--targets-per-transaction", self.targets_per_transaction == 0),
            ("--leaves", self.leaves == 0),
            ("--clients", self.clients == 0),
            ("--connections", self.connections == Some(0)),
            ("--duration", self.duration.is_zero()),
            ("--timeout", self.timeout.is_zero()),
        ];
        if let Some((name, _)) = none.into_iter().find(|(_, is_none)| *is_none) {
            return Err(format!("{name} has to be more than nothing").into());
        }
        if self.rate.is_some_and(|rate| !rate.is_finite() || rate <= 0.0 || rate > 1e6) {
            return Err("--rate has to be more than nothing, and at most a million".into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
