//! What a node has to know of a target to serve it.

use std::sync::Arc;

use lockstep_protocol::record::{Binding, Drift, Initial, Trials};
use lockstep_southbound::Driver;
use lockstep_types::{Path, Target};
use lockstep_yang::ModelSet;

/// A target and how it is reached.
#[derive(Clone, Debug)]
pub struct TargetSpec {
    /// Its name.
    pub name: Target,
    /// Where it is, to be shown.
    pub address: String,
    /// The name of its model set.
    pub model: String,
    /// Its model set.
    pub models: ModelSet,
    /// How it is spoken to.
    pub driver: Arc<dyn Driver>,
    /// What is done when it is first met.
    pub initial: Initial,
    /// What is done when it was changed behind our back.
    pub drift: Drift,
    /// When use is made of it that the device can take something on trial, if it can.
    pub trials: Trials,
    /// Where it may differ from what is wanted without anyone caring.
    pub ignore: Vec<Path>,
    /// To find it by.
    pub tags: Vec<String>,
}

impl TargetSpec {
    /// What the store says of it.
    pub(crate) fn binding(&self) -> Binding {
        Binding {
            models: self.models.digest().clone(),
            initial: self.initial,
            drift: self.drift,
            ignore: self.ignore.clone(),
            details: String::new(),
        }
    }
}
