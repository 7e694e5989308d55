//! Building mutants and hunting them, one at a time.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{Hunt, Misfit, Mutant, Workspace, patched};

/// A mutant that shows at all shows long before.
const STATES: usize = 600_000;

/// A broken core may also turn round for ever inside one step.
const TIME: Duration = Duration::from_secs(180);

/// What became of a mutant.
#[derive(Clone, Debug)]
pub enum Fate {
    /// Its invariant noticed.
    Caught(Caught),
    /// Its invariant did not notice; others did, or none.
    Survived(Hunt),
    /// It does not fit the sources.
    Misfit(Misfit),
    /// It could not be built, or its hunt did not come to an end.
    Failed(String),
}

/// What became of a mutant, and how long that took.
#[derive(Clone, Debug)]
pub struct Run {
    /// What became of it.
    pub fate: Fate,
    /// How long the build took.
    pub build: Duration,
    /// How long the hunt took.
    pub hunt: Duration,
}

/// How a mutant was caught.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caught {
    /// States told apart until then.
    pub states: usize,
    /// The number of steps of the shortest way there.
    pub steps: usize,
}

/// What is needed to build and hunt.
#[derive(Debug)]
pub struct Runner {
    workspace: Workspace,
    offline: bool,
}

impl Runner {
    /// Builds the core as it is, so that each mutant is only a small step from there. What this needs
    /// and does not find on this machine is fetched.
    ///
    /// # Errors
    /// The sources cannot be copied, or not built.
    pub fn new(workspace: Workspace) -> io::Result<Self> {
        workspace.refresh()?;
        let mut runner = Self { workspace, offline: true };
        if runner.build().is_err() {
            runner.offline = false;
            runner.build().map_err(io::Error::other)?;
        }
        Ok(runner)
    }

    /// Breaks the copy of the core, and hunts until the invariant notices.
    #[must_use]
    pub fn run(&self, mutant: &Mutant) -> Run {
        let start = Instant::now();
        let mut build = Duration::ZERO;
        let fate = self.while_broken(mutant, || {
            let built = self.build().map_err(Fate::Failed);
            build = start.elapsed();
            built.and_then(|()| self.catch(mutant))
        });
        let fate = fate.unwrap_or_else(|fate| fate);
        Run { fate, build, hunt: start.elapsed() - build }
    }

    /// Does something while the copy is broken, and mends it again.
    fn while_broken(
        &self,
        mutant: &Mutant,
        act: impl FnOnce() -> Result<Fate, Fate>,
    ) -> Result<Fate, Fate> {
        let failed = |error: io::Error| Fate::Failed(format!("{}: {error}", mutant.file));
        let whole = self.workspace.read_copy(mutant.file).map_err(failed)?;
        let broken = patched(&whole, mutant.find, mutant.replace).map_err(Fate::Misfit)?;
        self.workspace.write_copy(mutant.file, &broken).map_err(failed)?;
        let fate = act();
        self.workspace.write_copy(mutant.file, &whole).map_err(failed)?;
        fate
    }

    fn catch(&self, mutant: &Mutant) -> Result<Fate, Fate> {
        let hunt = self.hunt(mutant, &["--invariant", mutant.invariant])?;
        if !hunt.broken.is_empty() {
            return Ok(Fate::Caught(Caught { states: hunt.states, steps: hunt.way.len() }));
        }
        self.hunt(mutant, &[]).map(Fate::Survived)
    }

    fn hunt(&self, mutant: &Mutant, more: &[&str]) -> Result<Hunt, Fate> {
        let mut command = Command::new(self.program());
        command.args(["hunt", mutant.scenario, "--states", &STATES.to_string()]).args(more);
        let output = finish(command).map_err(Fate::Failed)?;
        let text = String::from_utf8_lossy(&output.stdout);
        serde_json::from_str(&text).map_err(|_| {
            Fate::Failed(format!("the hunt ended with {}\n{}", output.status, errors(&output)))
        })
    }

    fn program(&self) -> PathBuf {
        let name = format!("lockstep-model{}", std::env::consts::EXE_SUFFIX);
        self.workspace.builds().join("mutant").join(name)
    }

    fn build(&self) -> Result<(), String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let mut command = Command::new(cargo);
        command.current_dir(self.workspace.copy());
        command.args(["build", "--quiet", "--locked", "--profile", "mutant"]);
        command.args(["-p", "lockstep-model", "--bin", "lockstep-model", "--target-dir"]);
        command.arg(self.workspace.builds());
        if self.offline {
            command.arg("--offline");
        }
        let output = command.stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("cargo cannot be run: {error}"))?;
        if output.status.success() { Ok(()) } else { Err(errors(&output)) }
    }
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a command to its end, which must come in time.
fn finish(mut command: Command) -> Result<Output, String> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    if !ends_in_time(&mut child).map_err(|error| error.to_string())? {
        let _already_gone = child.kill();
        let _status = child.wait();
        return Err(format!("the hunt did not end within {} s", TIME.as_secs()));
    }
    child.wait_with_output().map_err(|error| error.to_string())
}

fn ends_in_time(child: &mut Child) -> io::Result<bool> {
    let start = Instant::now();
    while start.elapsed() < TIME {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        sleep(Duration::from_millis(20));
    }
    Ok(false)
}
