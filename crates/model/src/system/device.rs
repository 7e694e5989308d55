//! A device: what it holds, and whom it listens to.

use lockstep_protocol::record::Failure;
use lockstep_protocol::{Answer, Ask};
use lockstep_types::{Configuration as Tree, Content, Delta, Path, Term, Unit, Value};

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
}

impl Default for Device {
    fn default() -> Self {
        Self { on: true, values: Tree::new(), election: Term::ZERO, insists: None, tampered: false }
    }
}

impl Device {
    /// Takes a request whole, or refuses it whole.
    pub fn take(&mut self, term: Term, ask: &Ask, reaction: Reaction, rewrites: bool) -> Answer {
        if let Ask::Read = ask {
            return Answer::Values(self.values.clone());
        }
        if term < self.election {
            return Answer::Fenced;
        }
        self.election = term;
        let reaction = if self.turns_down(ask) { Reaction::Refuse } else { reaction };
        match (reaction, ask) {
            (Reaction::Refuse, _) => Answer::Refused(Failure {
                code: "InvalidArgument".into(),
                message: "will not".into(),
            }),
            (Reaction::Busy, _) => Answer::Busy,
            (Reaction::Accept, Ask::Set(delta)) => {
                self.values.apply_values(&if rewrites { rewritten(delta) } else { delta.clone() });
                Answer::Accepted
            }
            (Reaction::Accept, _) => Answer::Accepted,
        }
    }

    fn turns_down(&self, ask: &Ask) -> bool {
        let (Ask::Set(delta), Some(path)) = (ask, &self.insists) else { return false };
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

    /// Stops, and forgets.
    pub fn stop(&mut self) {
        *self = Self { on: false, ..Self::default() };
    }
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
