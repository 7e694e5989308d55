//! Runs seeds: each in a process of its own, so that no run leaves anything to the next.

mod kept;
mod totals;

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use clap::{Parser, Subcommand};
use lockstep_simulation::panics;
use lockstep_simulation::run::{Outcome, Size, run};
use totals::Totals;

/// Whole nodes on a clock that stands still: every run of a seed is the same run
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  lockstep-simulation seeds 1000              seeds 1 to 1000
  lockstep-simulation seeds 500 --first 4001  seeds 4001 to 4500
  lockstep-simulation one 17 --trace run.jsonl
  lockstep-simulation twice 17                whether it goes the same way both times
  lockstep-simulation kept                    seeds that once found something")]
struct Cli {
    #[command(subcommand)]
    command: What,
    /// How many nodes
    #[arg(long, default_value_t = 3, global = true)]
    nodes: usize,
    /// How many devices
    #[arg(long, default_value_t = 4, global = true)]
    devices: usize,
    /// How long things go wrong, in seconds of the run's own clock
    #[arg(long, default_value_t = 120, global = true)]
    seconds: u64,
    /// How long a seed may take, in seconds that really pass: one that takes longer goes round in circles
    #[arg(long, default_value_t = 120, global = true)]
    limit: u64,
}

#[derive(Debug, Subcommand)]
enum What {
    /// One seed
    One {
        /// The seed
        seed: u64,
        /// Where its steps are written down
        #[arg(long)]
        trace: Option<PathBuf>,
    },
    /// One seed two times, compared byte for byte
    Twice {
        /// The seed
        seed: u64,
    },
    /// Many seeds, each in a process of its own
    Seeds {
        /// How many
        count: u64,
        /// The first of them
        #[arg(long, default_value_t = 1)]
        first: u64,
        /// How many at a time
        #[arg(long, default_value_t = 2)]
        jobs: usize,
    },
    /// The seeds that once found something, each in a process of its own
    Kept {
        /// How many at a time
        #[arg(long, default_value_t = 2)]
        jobs: usize,
    },
}

/// What every seed of a call has in common.
#[derive(Clone, Copy, Debug)]
struct Manner {
    size: Size,
    limit: u64,
}

/// From so many seeds on, everything has to have happened.
const LONG: usize = 100;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let size = Size { nodes: cli.nodes, devices: cli.devices, seconds: cli.seconds };
    let manner = Manner { size, limit: cli.limit };
    let done = match cli.command {
        What::One { seed, trace } => {
            one(seed, manner, trace).map(|outcome| println!("seed {seed}: {}", told(&outcome)))
        }
        What::Twice { seed } => twice(seed, manner),
        What::Seeds { count, first, jobs } => seeds((first..first + count).collect(), jobs, manner),
        What::Kept { jobs } => seeds(kept::seeds(), jobs, manner),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a seed here.
fn one(seed: u64, manner: Manner, trace: Option<PathBuf>) -> Result<Outcome, String> {
    give_up_after(seed, manner.limit);
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let trace = trace.unwrap_or_else(|| folder.path().join("trace.jsonl"));
    let _ = fs::remove_file(&trace);
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    runtime.block_on(run(seed, manner.size, &trace)).map_err(|why| format!("seed {seed}: {why}"))
}

/// Ends this process if it takes too long: a run whose clock does not get anywhere would never end.
fn give_up_after(seed: u64, limit: u64) {
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(limit));
        let why = panics::first().map(|said| format!("; it {said}")).unwrap_or_default();
        eprintln!("seed {seed}: not done after {limit} s that really passed{why}");
        std::process::exit(1);
    });
}

fn twice(seed: u64, manner: Manner) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let traces = [folder.path().join("1.jsonl"), folder.path().join("2.jsonl")];
    for trace in &traces {
        let (child, _) = spawn(seed, manner, Some(trace))?;
        let done = child.wait_with_output().map_err(|error| error.to_string())?;
        if !done.status.success() {
            return Err(said(seed, &done.stderr));
        }
    }
    let [one, other] = traces.map(|trace| fs::read(trace).unwrap_or_default());
    let differs =
        one.split(|b| *b == b'\n').zip(other.split(|b| *b == b'\n')).position(|(a, b)| a != b);
    match differs {
        None if one == other => {
            println!("seed {seed}: the same twice, {} bytes", one.len());
            Ok(())
        }
        at => Err(format!("seed {seed}: two runs differ from line {:?} on", at.map(|at| at + 1))),
    }
}

/// A process that runs one seed.
fn spawn(seed: u64, manner: Manner, trace: Option<&PathBuf>) -> Result<(Child, u64), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let Manner { size, limit } = manner;
    let mut command = Command::new(program);
    command.args(["one", &seed.to_string(), "--nodes", &size.nodes.to_string()]);
    command.args(["--devices", &size.devices.to_string(), "--seconds", &size.seconds.to_string()]);
    command.args(["--limit", &limit.to_string()]);
    if let Some(trace) = trace {
        command.arg("--trace").arg(trace);
    }
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    child.map(|child| (child, seed)).map_err(|error| error.to_string())
}

fn seeds(seeds: Vec<u64>, jobs: usize, manner: Manner) -> Result<(), String> {
    let (begun, mut done, mut failed) = (Instant::now(), 0, Vec::new());
    let (mut totals, long) = (Totals::default(), seeds.len() >= LONG);
    let mut seeds = seeds.into_iter();
    let mut running = std::collections::VecDeque::new();
    loop {
        while running.len() < jobs.max(1)
            && let Some(seed) = seeds.next()
        {
            running.push_back(spawn(seed, manner, None)?);
        }
        let Some((child, seed)) = running.pop_front() else { break };
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        done += 1;
        if output.status.success() {
            let told = String::from_utf8_lossy(&output.stdout);
            totals.add(told.trim());
            print!("{told}");
        } else {
            println!("FAILED {}", said(seed, &output.stderr));
            failed.push(seed);
        }
    }
    println!("{totals}");
    println!("{done} seeds in {:.0} s, {} failed", begun.elapsed().as_secs_f64(), failed.len());
    let never = totals.never();
    match failed.is_empty() {
        false => Err(format!("failed: {failed:?}; `one SEED` runs one again")),
        true if long && !never.is_empty() => Err(format!("never happened: {}", never.join(", "))),
        true => Ok(()),
    }
}

/// What a process said of its seed, in a few lines; of one that could not, the first that it said at all.
fn said(seed: u64, output: &[u8]) -> String {
    let (said, name) = (String::from_utf8_lossy(output), format!("seed {seed}: "));
    let last = said.rfind(&name).map(|at| at + name.len());
    let lines: Vec<&str> = said.split_at(last.unwrap_or_default()).1.lines().take(3).collect();
    format!("{name}{}", lines.join(" "))
}

fn told(outcome: &Outcome) -> String {
    let counts = |counts: &lockstep_simulation::tally::Counts| {
        let each = counts.iter().map(|(what, count)| format!("{what} {count}"));
        each.collect::<Vec<_>>().join(", ")
    };
    let Outcome { faults, asked, orders, ended, natures, happened, transactions, trace, took } =
        outcome;
    format!(
        "good: transactions {transactions}, steps {}, revisions {}, held {}, seconds {:.0}; told: {}; faults: {}; \
         devices: {}; nodes that ended: {}; orders: {}; log: {}",
        trace.steps,
        trace.revisions,
        trace.held,
        took.as_secs_f64(),
        counts(asked),
        counts(faults),
        counts(natures),
        counts(ended),
        counts(orders),
        counts(happened),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_said_of_its_seed_is_told() {
        let panicked = "thread 'main' panicked at a.rs:1:2:\nfour\nnote: more\nseed 4: Panic: panicked at a.rs:1:2: four\n";
        assert_eq!(said(4, panicked.as_bytes()), "seed 4: Panic: panicked at a.rs:1:2: four");
        assert_eq!(said(5, b"memory is used up\n"), "seed 5: memory is used up");
    }
}
