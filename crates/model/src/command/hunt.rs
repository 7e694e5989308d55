//! `hunt`: what `mutants` asks of each broken core.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use lockstep_model::invariants::{ALL, Invariant};
use lockstep_model::mutants::hunt;
use lockstep_model::scenario::Scenario;

use super::scenario;

/// The options.
#[derive(Debug, Args)]
pub(crate) struct Hunt {
    /// The scenario
    #[arg(value_parser = scenario)]
    scenario: Arc<Scenario>,
    /// Look at this invariant alone
    #[arg(long, value_parser = invariant)]
    invariant: Option<Invariant>,
    /// Give up after so many states
    #[arg(long)]
    states: usize,
}

impl Hunt {
    pub(crate) fn run(self) -> ExitCode {
        let invariants = self.invariant.map_or_else(|| ALL.to_vec(), |one| vec![one]);
        let hunt = hunt(&self.scenario, invariants, self.states);
        match serde_json::to_string(&hunt) {
            Ok(line) => {
                println!("{line}");
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        }
    }
}

fn invariant(name: &str) -> Result<Invariant, String> {
    let known = ALL.iter().find(|invariant| invariant.name == name);
    known.copied().ok_or_else(|| "there is no such invariant".to_owned())
}
