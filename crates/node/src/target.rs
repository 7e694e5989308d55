//! What a node has to know of a target to serve it.

use std::sync::Arc;

use lockstep_southbound::Driver;
use lockstep_types::{Path, Target};
use lockstep_yang::ModelSet;

/// What is done with a device that has a configuration of its own when it is first met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Initial {
    /// What it has becomes what is wanted. Nothing is ever written at the first connection.
    #[default]
    Adopt,
    /// It is made to match what is wanted.
    Replace,
}

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
    /// Where it may differ from what is wanted without anyone caring.
    pub ignore: Vec<Path>,
    /// To find it by.
    pub tags: Vec<String>,
}
