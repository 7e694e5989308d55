//! A device: what it holds, and whom it listens to.

use lockstep_protocol::record::Failure;
use lockstep_protocol::{Answer, Ask};
use lockstep_types::{Configuration as Tree, Content, Delta, Index, Path, Term, Unit, Value};

use super::action::Reaction;
use crate::scenario::{leaf, path};

/// A device of the model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Device {
    /// Whether it runs.
    pub on: bool,
    /// What it holds.
    pub values: Tree,
    /// The highest election id it has seen since it started.
    pub election: Term,
    /// It refuses whatever leaves it without this.
    pub insists: Option<Path>,
    /// Somebody else changed it, and it has not told.
    pub tampered: bool,
    /// What it takes back unless it is told to keep it.
    pub trial: Option<Trial>,
}

/// A change that a device has on trial.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Trial {
    /// The transaction.
    pub index: Index,
    /// What it held before.
    pub before: Tree,
}

/// What devices of a run are like.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// Whether they turn away older masters.
    pub fences: bool,
    /// Whether they write `v` as `V`.
    pub rewrites: bool,
    /// Whether what they have on trial is in the way of a claim, too, and the election id of a request
    /// counts only if it is accepted.
    pub wary: bool,
}

/// Somebody else's election id: far beyond any of ours, however far we leap.
pub(super) const USURPER: Term = Term::new(1 << 40);

/// What devices have seen of a store that was set back: more than one leap beyond what it knows of.
pub(super) const FORGOTTEN: Term = Term::new(20);

impl Default for Device {
    fn default() -> Self {
        Self {
            on: true,
            values: Tree::new(),
            election: Term::ZERO,
            insists: None,
            tampered: false,
            trial: None,
        }
    }
}

impl Device {
    /// Takes a request whole, or refuses it whole.
    pub fn take(&mut self, term: Term, ask: &Ask, reaction: Reaction, manner: Manner) -> Answer {
        if let Ask::Read = ask {
            return Answer::Values(self.values.clone());
        }
        if manner.fences && term < self.election {
            return Answer::Fenced;
        }
        let reaction = if self.turns_down(ask) { Reaction::Refuse } else { reaction };
        let answer = self.react(ask, reaction, manner);
        if !manner.wary || matches!(answer, Answer::Accepted | Answer::Unfenced(_)) {
            self.election = self.election.max(term);
        }
        answer
    }

    fn react(&mut self, ask: &Ask, reaction: Reaction, manner: Manner) -> Answer {
        match (reaction, ask) {
            (Reaction::Refuse, _) => refused(),
            (Reaction::Busy, _) => Answer::Busy,
            (Reaction::Accept, Ask::Confirm(index) | Ask::Cancel(index)) => {
                self.settle(*index, matches!(ask, Ask::Confirm(_)))
            }
            // Whatever is on trial is in the way of everything else.
            (Reaction::Accept, _)
                if self.trial.is_some() && (*ask != Ask::Claim || manner.wary) =>
            {
                refused()
            }
            (Reaction::Accept, Ask::Trial { index, delta, .. }) => {
                self.trial = Some(Trial { index: *index, before: self.values.clone() });
                self.set(delta, manner)
            }
            (Reaction::Accept, Ask::Set(delta)) => self.set(delta, manner),
            (Reaction::Accept, _) if manner.fences => Answer::Accepted,
            (Reaction::Accept, _) => Answer::Unfenced(1),
        }
    }

    fn set(&mut self, delta: &Delta, manner: Manner) -> Answer {
        self.values.apply_values(&if manner.rewrites { rewritten(delta) } else { delta.clone() });
        Answer::Accepted
    }

    fn settle(&mut self, index: Index, keeps: bool) -> Answer {
        match self.trial.take() {
            None => Answer::Lost,
            Some(trial) if trial.index == index => {
                if !keeps {
                    self.values = trial.before;
                }
                Answer::Accepted
            }
            other => {
                self.trial = other;
                refused()
            }
        }
    }

    /// Nobody told it to keep what it has on trial.
    pub fn take_back(&mut self) {
        if let Some(trial) = self.trial.take() {
            self.values = trial.before;
        }
    }

    fn turns_down(&self, ask: &Ask) -> bool {
        let (Some(delta), Some(path)) = (ask.delta(), &self.insists) else { return false };
        let mut values = self.values.clone();
        values.apply_values(delta);
        values.get(path).is_none()
    }

    /// Somebody else changes it.
    pub fn tamper(&mut self) {
        let unit = Unit { content: Some(leaf("own")), ..Unit::default() };
        self.values.assign(path("/a"), unit);
        self.tampered = true;
    }

    /// Somebody else makes it listen to them.
    pub fn usurp(&mut self) {
        self.election = self.election.max(USURPER);
    }

    /// Stops, and forgets.
    pub fn stop(&mut self) {
        *self = Self { on: false, ..Self::default() };
    }
}

fn refused() -> Answer {
    Answer::Refused(Failure { code: "InvalidArgument".into(), message: "will not".into() })
}

/// The device writes `v` as `V`.
fn rewritten(delta: &Delta) -> Delta {
    let upper = |content: &Content| match content {
        Content::Leaf(Value::String(text)) => {
            Content::Leaf(Value::String(text.to_uppercase().into()))
        }
        other => other.clone(),
    };
    delta.iter().map(|(path, content)| (path.clone(), content.as_ref().map(upper))).collect()
}
