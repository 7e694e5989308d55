//! The tool behind `make explore`, `make mutants`, `make demo` and the trace checker.

use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use lockstep_model::explore::{Limits, Report, explore};
use lockstep_model::scenario::{catalogue, find};

/// Explores the protocol, breaks it on purpose, and checks traces against it.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Explore scenarios: every order of everything, every invariant at every step
    Explore {
        /// Only these scenarios
        names: Vec<String>,
        /// Stop a scenario after so many states
        #[arg(long, default_value_t = usize::MAX)]
        states: usize,
        /// Stop a scenario after so many seconds
        #[arg(long)]
        seconds: Option<u64>,
        /// Threads
        #[arg(long, default_value_t = 2)]
        threads: usize,
    },
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Explore { names, states, seconds, threads } => {
            let limits = Limits { states, time: seconds.map(Duration::from_secs), threads };
            let scenarios = if names.is_empty() {
                catalogue()
            } else {
                names.iter().filter_map(|n| find(n)).collect()
            };
            let mut good = true;
            for scenario in scenarios {
                let report = explore(&scenario, limits);
                print(&report);
                good &= report.is_good();
            }
            if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
    }
}

fn print(report: &Report) {
    println!(
        "{:12} {:>10} states  depth {:>3}  {:>7.1?}  {}  missing {:?}",
        report.name,
        report.states,
        report.depth,
        report.time,
        if report.complete { "complete" } else { "stopped" },
        report.missing
    );
    if let Some((names, way)) = &report.broken {
        println!("  BROKEN {names:?}");
        for step in way {
            println!("    {step}");
        }
    }
}
