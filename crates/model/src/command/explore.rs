//! `explore`: every order of everything, every invariant at every step.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use lockstep_model::explore::{Limits, Progress, Report, explore_and_tell};
use lockstep_model::scenario::{Scenario, catalogue};

use super::{scenario, thousands};

/// What a quick exploration takes altogether: a minute or two, with what is around it.
const QUICK: Duration = Duration::from_secs(75);

/// How long a scenario may go on without a word.
const PATIENCE: Duration = Duration::from_secs(10);

/// The options.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep-model explore                      every scenario, as far as memory reasonably goes
  lockstep-model explore --quick              a minute or two for all of them together
  lockstep-model explore crash stale          two of them
  lockstep-model explore mixed --states 20000000 --seconds 3600

Ends with status 1 if an invariant is broken, with a way there, or if a scenario did not
come across what it is there to show. A scenario that --quick stops early need not have.")]
pub(crate) struct Explore {
    /// Only these scenarios
    #[arg(value_name = "SCENARIO", value_parser = scenario)]
    scenarios: Vec<Arc<Scenario>>,
    /// Share a fixed time, a little over a minute, among the scenarios
    #[arg(long, conflicts_with = "seconds")]
    quick: bool,
    /// Stop a scenario after so many states
    #[arg(long, default_value_t = 3_000_000)]
    states: usize,
    /// Stop a scenario after so many seconds
    #[arg(long)]
    seconds: Option<u64>,
    /// Explore on so many threads
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// List the scenarios and what each is for
    #[arg(long)]
    list: bool,
}

impl Explore {
    pub(crate) fn run(self) -> ExitCode {
        let scenarios =
            if self.scenarios.is_empty() { catalogue() } else { self.scenarios.clone() };
        if self.list {
            scenarios
                .iter()
                .for_each(|scenario| println!("{:12} {}", scenario.name, scenario.about));
            return ExitCode::SUCCESS;
        }
        self.explore(&scenarios)
    }

    fn explore(&self, scenarios: &[Arc<Scenario>]) -> ExitCode {
        let start = Instant::now();
        let (mut states, mut bad) = (0, 0);
        println!(
            "{:12} {:>12} {:>6} {:>8}  {:9} {:7} what it is for",
            "scenario", "states", "depth", "time", "explored", "result"
        );
        for (at, scenario) in scenarios.iter().enumerate() {
            let left = QUICK.saturating_sub(start.elapsed());
            let share = left / u32::try_from(scenarios.len() - at).unwrap_or(u32::MAX);
            let time = self.quick.then_some(share).or(self.seconds.map(Duration::from_secs));
            let limits = Limits { states: self.states, time, threads: self.threads };
            let report = explore_and_tell(scenario, limits, progress(scenario.name));
            let good = self.is_good(&report);
            row(&report, scenario, good);
            states += report.states;
            bad += usize::from(!good);
        }
        let time = start.elapsed().as_secs_f64();
        println!("{:12} {:>12} {:>6} {time:>7.1}s", "total", thousands(states), "");
        if bad == 0 {
            return ExitCode::SUCCESS;
        }
        println!("{bad} of {} scenarios did not go well", scenarios.len());
        ExitCode::FAILURE
    }

    /// What a scenario must come across counts once it had the time for it.
    fn is_good(&self, report: &Report) -> bool {
        report.is_good() || (self.quick && !report.complete && report.broken.is_none())
    }
}

/// Says how far a long scenario is, every now and then.
fn progress(name: &str) -> impl FnMut(Progress) {
    let mut last = Duration::ZERO;
    move |progress| {
        if progress.time - last < PATIENCE {
            return;
        }
        last = progress.time;
        let (states, seconds) = (thousands(progress.states), progress.time.as_secs());
        eprintln!("{name}: {states} states, depth {}, after {seconds} s", progress.depth);
    }
}

fn row(report: &Report, scenario: &Scenario, good: bool) {
    println!(
        "{:12} {:>12} {:>6} {:>7.1}s  {:9} {:7} {}",
        report.name,
        thousands(report.states),
        report.depth,
        report.time.as_secs_f64(),
        if report.complete { "complete" } else { "stopped" },
        if good { "ok" } else { "BROKEN" },
        scenario.about
    );
    if !report.missing.is_empty() {
        println!("             not come across: {}", report.missing.join(", "));
    }
    if let Some((names, way)) = &report.broken {
        println!("             breaks {}; the way there:", names.join(", "));
        for (at, step) in way.iter().enumerate() {
            println!("             {:>3}. {step}", at + 1);
        }
    }
}
