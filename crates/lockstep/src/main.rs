//! The `lockstep` binary: a node, simulated devices, and the operator's commands.

mod ask;
mod bench;
mod change;
mod cli;
mod client;
mod completions;
mod config;
mod demo;
mod diff;
mod exit;
mod files;
mod get;
mod log;
mod login;
mod model;
mod node;
mod output;
mod progress;
mod reach;
mod secret;
mod serve;
mod show;
mod signals;
mod sim;
mod store;
mod target;
mod terminal;
mod typed;
mod user;
mod watch;

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// How many threads at the most do work that holds up others: judging and reading configurations for the most part,
/// which is done no sooner by more threads than cores, while each has memory of its own.
const ASIDE: usize = 64;

fn main() -> ExitCode {
    completions::answer();
    let arguments = cli::Cli::parse();
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = match builder.enable_all().max_blocking_threads(ASIDE).build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("lockstep: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let ended = runtime.block_on(cli::run(arguments));
    // What still runs in the background (a read of standard input, models being loaded) has nobody left
    // to wait for it.
    runtime.shutdown_background();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<signals::Interrupted>() => {
            // Whoever interrupted it knows.
            ExitCode::from(error.downcast_ref().map_or(1, signals::Interrupted::status))
        }
        Err(error) => {
            eprintln!("lockstep: {}", terminal::harmless(&output::chain(&*error)));
            ExitCode::from(exit::status(&error))
        }
    }
}
