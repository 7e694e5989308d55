//! The `lockstep` binary: a node, simulated devices, and the operator's commands.

mod ask;
mod change;
mod cli;
mod client;
mod config;
mod demo;
mod login;
mod model;
mod output;
mod planned;
mod reach;
mod secret;
mod serve;
mod show;
mod signals;
mod sim;
mod store;
mod target;
mod user;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = cli::Cli::parse();
    let runtime = match tokio::runtime::Runtime::new() {
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
            eprintln!("lockstep: {}", output::chain(&*error));
            ExitCode::FAILURE
        }
    }
}
