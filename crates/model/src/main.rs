//! The tool behind `make explore`, `make mutants`, `make demo` and the trace checker.

mod command;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

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
    Explore(command::explore::Explore),
    /// Break the core in every known way; each mutant must be noticed by the invariant it names
    Mutants(command::mutants::Mutants),
    /// Explore a scenario until an invariant breaks, and say so as JSON
    #[command(hide = true)]
    Hunt(command::hunt::Hunt),
    /// Tell the story of a few transactions, played by the real core
    Demo(command::demo::Demo),
    /// Draw the pictures of the protocol page
    Diagrams(command::diagrams::Diagrams),
    /// Take one run through a scenario, and write it as a trace
    Walk(command::walk::Walk),
    /// Check a trace: names the first step that the protocol does not allow
    CheckTrace(command::check_trace::CheckTrace),
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Explore(explore) => explore.run(),
        Command::Mutants(mutants) => mutants.run(),
        Command::Hunt(hunt) => hunt.run(),
        Command::Demo(demo) => demo.run(),
        Command::Diagrams(diagrams) => diagrams.run(),
        Command::Walk(walk) => walk.run(),
        Command::CheckTrace(check) => check.run(),
    }
}
