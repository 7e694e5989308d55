//! Commands that are to come: each is there and says so, so that nobody looks for a mistake of theirs.

use clap::{Args, Subcommand};

use crate::cli::Failed;

/// Whatever stands behind the name.
#[derive(Debug, Args)]
pub(crate) struct Anything {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<String>,
}

/// Commands by themselves.
#[derive(Debug, Subcommand)]
pub(crate) enum Planned {
    #[command(hide = true)]
    Diff(Anything),
    #[command(hide = true)]
    Node(Anything),
    #[command(hide = true)]
    Completions(Anything),
    #[command(hide = true)]
    Bench(Anything),
}

/// Those of `tx`.
#[derive(Debug, Subcommand)]
pub(crate) enum PlannedTx {
    #[command(hide = true)]
    Watch(Anything),
}

impl Planned {
    /// What there is to say about any of them.
    pub(crate) fn refuse(&self) -> Result<(), Failed> {
        refuse(match self {
            Self::Diff(_) => "diff",
            Self::Node(_) => "node",
            Self::Completions(_) => "completions",
            Self::Bench(_) => "bench",
        })
    }
}

impl PlannedTx {
    /// The same.
    pub(crate) fn refuse(&self) -> Result<(), Failed> {
        let Self::Watch(_) = self;
        refuse("tx watch")
    }
}

fn refuse(command: &str) -> Result<(), Failed> {
    Err(format!("`lockstep {command}` is not implemented yet").into())
}
