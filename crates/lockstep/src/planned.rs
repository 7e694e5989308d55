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
    Bench(Anything),
}

impl Planned {
    /// What there is to say about any of them.
    pub(crate) fn refuse(&self) -> Result<(), Failed> {
        let Self::Bench(_) = self;
        Err("`lockstep bench` is not implemented yet".into())
    }
}
