//! Which variables of a node's environment a target may name that somebody added through the API.
//!
//! What a variable comes to is sent to the device, and whoever adds a target says where that is. So it is for the
//! configuration file of each node to say which they are.

use lockstep_northbound::Glob;
use serde_json::{Map, Value};

use crate::config;

/// Those that begin with this are there for targets, and for nothing else.
const OURS: &str = "LOCKSTEP_TARGET_*";

/// The variables that may be named.
#[derive(Debug)]
pub(super) struct Variables(Vec<Glob>);

impl Variables {
    /// These, and those that are for targets by their names.
    pub(super) fn new(mut named: Vec<Glob>) -> Self {
        named.push(Glob::new(OURS));
        Self(named)
    }

    /// Refuses options that name another.
    pub(super) fn check(&self, options: &Map<String, Value>) -> Result<(), String> {
        options.iter().try_for_each(|(key, value)| self.check_one(key, value))
    }

    fn check_one(&self, key: &str, value: &Value) -> Result<(), String> {
        match value {
            Value::String(text) => match config::reference(text) {
                Some(name) if !self.0.iter().any(|glob| glob.matches(name)) => Err(format!(
                    "{key}: ${name} is none of the variables that a target may name: those that begin with \
                     LOCKSTEP_TARGET_, and the `target-variables` of a node's configuration file"
                )),
                _ => Ok(()),
            },
            Value::Array(all) => all.iter().try_for_each(|one| self.check_one(key, one)),
            Value::Object(all) => self.check(all),
            _ => Ok(()),
        }
    }
}
