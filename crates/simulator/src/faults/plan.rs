//! All faults of a device.

use std::time::Duration;

use lockstep_types::Path;
use serde_json::Value as Json;

use super::{Acting, Asked, Does, Fault, Faults, Feature, On, Refusal};

/// The faults of a device, in their order. The default is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan(Vec<Fault>);

/// A change that a device makes by itself.
#[derive(Clone, Debug)]
pub(crate) struct Drift {
    pub(crate) paths: Vec<Path>,
    pub(crate) value: Option<Json>,
    pub(crate) every: Duration,
    pub(crate) times: Option<u32>,
}

impl Plan {
    /// Every fault, with what is left of those that end by themselves.
    pub fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.0.iter()
    }

    /// Whether the device does nothing wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts these after those that are there.
    pub(crate) fn add(&mut self, more: Self) {
        self.0.extend(more.0);
    }

    /// Whether it takes the paths of a request of this kind to say what acts on it.
    pub(crate) fn looks_at_paths(&self, asked: &Asked) -> bool {
        let narrow = |on: &On| on.deletes || !on.paths.is_empty();
        self.0.iter().any(|fault| narrow(&fault.on) && fault.may_act(asked))
    }

    /// What acts on a request; it counts as one of the times.
    pub(crate) fn act(&mut self, asked: &Asked) -> Acting {
        let mut acting = Acting::default();
        for fault in &mut self.0 {
            if !fault.acts(asked) || (fault.answers() && acting.is_answered()) {
                continue;
            }
            acting.add(fault, asked);
            fault.times = fault.times.map(|times| times.saturating_sub(1));
        }
        self.0.retain(|fault| fault.times != Some(0));
        acting
    }

    /// Takes out a drift that has come to its end.
    pub(crate) fn is_over(&mut self, drift: &Drift) {
        let same = |fault: &Fault| {
            let Does::Drift { value, every } = &fault.does else { return false };
            (value, every, &fault.on.paths) == (&drift.value, &drift.every, &drift.paths)
        };
        if let Some(place) = self.0.iter().position(same) {
            self.0.remove(place);
        }
    }

    /// What the device is to do by itself.
    pub(crate) fn drifts(&self) -> Vec<Drift> {
        let drift = |fault: &Fault| match &fault.does {
            Does::Drift { value, every } => Some(Drift {
                paths: fault.on.paths.clone(),
                value: value.clone(),
                every: *every,
                times: fault.times,
            }),
            _ => None,
        };
        self.0.iter().filter_map(drift).collect()
    }
}

impl Fault {
    fn acts(&self, asked: &Asked) -> bool {
        let touched = self.on.paths.is_empty() || asked.touched(&self.on.paths).is_some();
        self.may_act(asked) && touched && (!self.on.deletes || asked.deletes)
    }

    /// Whether it acts on such a request if that touches the right paths.
    fn may_act(&self, asked: &Asked) -> bool {
        let uses = match self.does {
            Does::Lack(feature) | Does::Ignore(feature) => {
                if !asked.uses.contains(&feature) {
                    return false;
                }
                true
            }
            Does::Drift { .. } => return false,
            _ => false,
        };
        match self.on.kinds.as_slice() {
            [] => uses || asked.kind == Some(crate::journal::Kind::Set),
            kinds => asked.kind.is_some_and(|kind| kinds.contains(&kind)),
        }
    }

    /// Whether it decides alone what becomes of a request.
    fn answers(&self) -> bool {
        let answers = matches!(
            self.does,
            Does::Refuse { .. } | Does::Hang(_) | Does::Drop { .. } | Does::Restart { .. }
        );
        answers || matches!(self.does, Does::Lack(_))
    }
}

impl From<Vec<Fault>> for Plan {
    fn from(faults: Vec<Fault>) -> Self {
        Self(faults)
    }
}

impl From<Fault> for Plan {
    fn from(fault: Fault) -> Self {
        Self(vec![fault])
    }
}

impl<const N: usize> From<[Fault; N]> for Plan {
    fn from(faults: [Fault; N]) -> Self {
        Self(faults.into())
    }
}

impl From<Faults> for Plan {
    fn from(faults: Faults) -> Self {
        Self(faults.refuse.into_iter().map(Fault::from).collect())
    }
}

impl From<Refusal> for Fault {
    fn from(Refusal { pattern, code, message }: Refusal) -> Self {
        Does::Refuse { code, message, after: false }.always().at(pattern)
    }
}

impl Feature {
    /// Whether a device can take no notice of it.
    pub(crate) fn can_be_ignored(self) -> bool {
        matches!(self, Self::Arbitration | Self::Commit)
    }
}
