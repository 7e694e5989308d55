//! Loading the model sets that a configuration file names.

use std::collections::BTreeMap;

use lockstep_northbound::Loaded;
use lockstep_yang::{ModelSet, Options};

/// Loads every one of them. One that cannot be loaded takes no other down.
pub(crate) fn load(named: &BTreeMap<String, Options>) -> Loaded {
    named.iter().map(|(name, options)| (name.clone(), one(name, options))).collect()
}

fn one(name: &str, options: &Options) -> Result<ModelSet, String> {
    match ModelSet::load(options) {
        Ok(set) => {
            let (modules, digest) = (set.modules().len(), set.digest());
            tracing::info!(model = name, modules, %digest, "loaded");
            Ok(set)
        }
        Err(error) => {
            let why = format!("model set {name}: {}", crate::output::chain(&error));
            tracing::error!("{why}");
            Err(why)
        }
    }
}
