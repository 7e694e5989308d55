//! Where the story is played: the system, what is told of it, and whether it is so.

use std::io::{self, Write};
use std::sync::Arc;

use lockstep_protocol::Ask;
use lockstep_protocol::record::{Rule, Status};
use lockstep_types::{Index, Target};

use super::teller::{Sentence, Teller};
use super::{Ending, checked, words};
use crate::scenario::{Entry, Faults, Scenario, catalogue, target};
use crate::system::{Action, Reaction, Told};
use crate::walk::Walk;

/// What clients ask in the course of the story.
fn script() -> Vec<Entry> {
    vec![
        Entry::atomic("leaf1:/mtu=9000 leaf2:/mtu=9000 spine1:/mtu=9000"),
        Entry::atomic("leaf1:/mtu=9216 leaf2:/mtu=9216 spine1:/mtu=9216"),
        Entry::atomic("leaf2:/ntp=on"),
        Entry::queued("leaf1:/ntp=on leaf2:/ntp=on").asynchronous(),
        Entry::rollback(3, Rule::Target),
        Entry::atomic("leaf1:/mtu=1500 spine1:/mtu=1500"),
        Entry::atomic("leaf1:/mtu=1500 spine1:/mtu=1500").with_id_of(6),
    ]
}

/// Two nodes, three devices.
fn scenario() -> Option<Scenario> {
    let targets: Vec<Target> = ["leaf1", "leaf2", "spine1"].map(target).into();
    let faults =
        Faults { restarts: 1, crashes: 1, disconnects: 1, refusals: 1, ..Faults::default() };
    let plain = catalogue().into_iter().next()?;
    Some(Scenario {
        name: "demo",
        nodes: 2,
        fragile: targets.iter().cloned().collect(),
        targets,
        script: script(),
        faults,
        instant: true,
        late_delivery: false,
        gone: [].into(),
        saved: None,
        rewrites: false,
        needs: false,
        reaches: Vec::new(),
        ..(*plain).clone()
    })
}

/// How wide a line may be.
const WIDTH: usize = 80;

/// How far in a sentence begins.
const INDENT: usize = 12;

/// Breaks a text between words.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

/// The stage.
pub(super) struct Stage<'o> {
    pub(super) walk: Walk,
    teller: Teller,
    told: usize,
    failures: Vec<String>,
    out: &'o mut dyn Write,
    colours: bool,
    act: usize,
}

impl<'o> Stage<'o> {
    pub(super) fn new(out: &'o mut dyn Write, colours: bool) -> io::Result<Self> {
        let scenario = scenario().ok_or_else(|| io::Error::other("there is no scenario"))?;
        let walk = Walk::new(Arc::new(scenario));
        let mut teller = Teller::default();
        // How everyone found each other is no part of the story.
        walk.lines.iter().for_each(|line| drop(teller.tell(line)));
        let (told, failures) = (walk.lines.len(), Vec::new());
        let mut stage = Self { walk, teller, told, failures, out, colours, act: 0 };
        stage.say("Lockstep: the real protocol core, played on three devices of the model.")?;
        stage.say("Nodes n0 and n1; n0 is master of leaf1, leaf2 and spine1. All are empty.")?;
        Ok(stage)
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    /// A new act.
    pub(super) fn act(&mut self, title: &str) -> io::Result<()> {
        self.act += 1;
        let (bold, plain) = if self.colours { ("\u{1b}[1m", "\u{1b}[0m") } else { ("", "") };
        writeln!(self.out, "\n{bold}{}. {title}{plain}", self.act)
    }

    /// Something happens, and is told.
    pub(super) fn play(&mut self, action: Action) -> io::Result<()> {
        self.walk.act(action);
        let mut told = Vec::new();
        for line in &self.walk.lines[self.told..] {
            told.extend(self.teller.tell(line));
        }
        self.told = self.walk.lines.len();
        told.into_iter().try_for_each(|Sentence { who, what }| self.row(&who, &what))
    }

    fn row(&mut self, who: &str, what: &str) -> io::Result<()> {
        let mut who = who;
        for line in wrapped(what, WIDTH - INDENT) {
            writeln!(self.out, "   {who:8} {line}")?;
            who = "";
        }
        Ok(())
    }

    /// A remark.
    pub(super) fn remark(&mut self, text: &str) -> io::Result<()> {
        self.row("", &format!("({text})"))
    }

    /// Requests and answers travel until none is left. Devices accept, but the named one refuses what
    /// it is sent first.
    pub(super) fn settle(&mut self, refuses: Option<&str>) -> io::Result<()> {
        let mut refuses = refuses.map(target);
        loop {
            if !self.walk.system.replies.is_empty() {
                self.play(Action::Answer(0))?;
            } else if let Some(request) = self.walk.system.requests.first() {
                let set = matches!(request.ask, Ask::Set(_));
                if set && refuses.as_ref() == Some(&request.target) {
                    refuses = None;
                    self.play(Action::Deliver(0, Reaction::Refuse))?;
                } else {
                    self.play(Action::Deliver(0, Reaction::Accept))?;
                }
            } else {
                return Ok(());
            }
        }
    }

    /// What devices hold is as it should be: `leaf1 /mtu=9000 …`, all of them, in order.
    pub(super) fn holds(&mut self, wanted: [&str; 3]) -> io::Result<()> {
        let devices = &self.walk.system.devices;
        let held: Vec<_> =
            devices.iter().map(|(name, d)| (name.clone(), words::values(&d.values))).collect();
        let all = held.iter().map(|(name, values)| format!("{name} {values}"));
        let all = all.collect::<Vec<_>>().join(" | ");
        self.row("devices", &all)?;
        let so = held.iter().map(|(_, values)| values.as_str()).eq(wanted);
        self.check(so, &format!("the devices should hold {}", wanted.join(" | ")))
    }

    /// A transaction is as it should be.
    pub(super) fn stands(&mut self, index: u64, wanted: Status) -> io::Result<()> {
        let transaction = self.walk.system.store.transaction(Index::new(index));
        let so = transaction.is_some_and(|transaction| transaction.status == wanted);
        self.check(so, &format!("transaction {index} should be {}", wanted.name()))
    }

    /// The client of an entry of the script was told this, or nothing.
    pub(super) fn was_told(&mut self, number: usize, wanted: Option<Told>) -> io::Result<()> {
        let so = self.walk.system.told.get(&number) == wanted.as_ref();
        self.check(so, &format!("client {number} should have been told {wanted:?}"))
    }

    /// Whether it is so. Also looks at the invariants, which hold at every step.
    pub(super) fn check(&mut self, so: bool, what: &str) -> io::Result<()> {
        let broken = std::mem::take(&mut self.walk.broken);
        if !broken.is_empty() {
            self.fails(&format!("invariants broken: {}", broken.join(", ")))?;
        }
        if so { Ok(()) } else { self.fails(what) }
    }

    fn fails(&mut self, what: &str) -> io::Result<()> {
        self.failures.push(what.into());
        self.row("NOT SO", what)
    }

    /// The end: the whole run is held against the checker of traces.
    pub(super) fn end(mut self) -> io::Result<Ending> {
        self.say("")?;
        match checked(&self.walk.lines) {
            Ok(steps) => self.say(&format!(
                "Every invariant held throughout; the trace of the run, {steps} steps, is allowed."
            ))?,
            Err(error) => self.fails(&format!("the trace of the run is not allowed: {error}"))?,
        }
        Ok(Ending { lines: self.walk.lines, failures: self.failures })
    }
}
