//! What a node has to know of a target to serve it, and whom it asks.

use std::fmt::Debug;
use std::sync::Arc;

use lockstep_protocol::record::{Binding, Trials};
use lockstep_southbound::Driver;
use lockstep_types::{Path, Target};
use lockstep_yang::ModelSet;

use crate::status::State;

/// A target and its models: what it takes to read and to judge what is asked of it.
#[derive(Clone, Debug)]
pub struct TargetSpec {
    /// Its name.
    pub name: Target,
    /// The name of its model set.
    pub model: String,
    /// Its model set.
    pub models: ModelSet,
    /// Where it may differ from what is wanted without anyone caring.
    pub ignore: Vec<Path>,
}

/// Reads what the store says of how a target is reached, in words that the core does not know.
pub trait Devices: Debug + Send + Sync + 'static {
    /// What there is to be shown of a target, whether or not it can be reached from here.
    fn known(&self, target: &Target, binding: &Binding) -> Known;

    /// Whether a target that was reached by one binding is reached by the other in the same way.
    fn is_same(&self, target: &Target, before: &Binding, now: &Binding) -> bool;

    /// How the target is spoken to from here. Called when it comes to be, or is bound anew; must not wait.
    ///
    /// # Errors
    /// It cannot be reached from here, and why.
    fn reach(
        &self,
        target: &Target,
        binding: &Binding,
        models: &ModelSet,
    ) -> Result<Reached, Unserved>;
}

/// What is shown of a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Where it is.
    pub address: String,
    /// The name of its model set.
    pub model: String,
    /// To find it by.
    pub tags: Vec<String>,
    /// Who says that there is such a target.
    pub source: Source,
}

/// Who says that there is such a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// A node's configuration file.
    #[default]
    File,
    /// Somebody who asked for it while nodes ran.
    Api,
}

impl Source {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Api => "api",
        }
    }
}

/// How a target is spoken to.
#[derive(Clone, Debug)]
pub struct Reached {
    /// Who connects to it.
    pub driver: Arc<dyn Driver>,
    /// When use is made of it that the device can take something on trial, if it can.
    pub trials: Trials,
}

/// Why a node does not connect to a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unserved {
    /// How the target stands if no other node connects to it either.
    pub state: State,
    /// Why, and what to do.
    pub reason: String,
}

impl Unserved {
    /// What is missing, and what to do about it.
    #[must_use]
    pub fn failed(reason: impl Into<String>) -> Self {
        Self { state: State::Failed, reason: reason.into() }
    }

    /// It is left alone, and why.
    #[must_use]
    pub fn paused(reason: impl Into<String>) -> Self {
        Self { state: State::Paused, reason: reason.into() }
    }
}
