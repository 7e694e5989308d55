//! How targets are reached: those of the configuration file as it says, the others as their bindings do.
//!
//! ```text
//!   operators ── options ──► given ──► Binding ──► the store ──► every node ──► reach ──► Driver
//!   the file ─────────────► of_file ──┘
//! ```

mod credentials;
mod details;
mod given;
pub(crate) mod sets;
mod variables;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use lockstep_node::{Devices, Known, Models, Reached, Source, Unserved};
use lockstep_protocol::record::Binding;
use lockstep_southbound::gnmi::Gnmi;
use lockstep_types::{NodeName, Target};
use lockstep_yang::ModelSet;

use crate::config::{self, Config, TargetConfig};
use crate::secret::Key;
use details::Details;
use variables::Variables;

/// Everything that this node knows of how targets are reached.
#[derive(Debug)]
pub(crate) struct Reach {
    node: NodeName,
    config: Option<PathBuf>,
    folder: PathBuf,
    file: BTreeMap<Target, TargetConfig>,
    models: Models,
    key: Option<Arc<Key>>,
    /// What of its environment targets may name.
    variables: Variables,
}

impl Reach {
    pub(crate) fn new(config: &Config, models: Models) -> Self {
        Self {
            node: config.node.clone(),
            config: config.file.clone(),
            folder: config.folder.clone(),
            file: config.targets.clone(),
            models,
            key: config.secret_key.clone(),
            variables: Variables::new(config.target_variables.clone()),
        }
    }

    /// What a target of the configuration file is bound to, with these models.
    pub(crate) fn of_file(given: &TargetConfig, models: &ModelSet) -> Binding {
        let details = Details::of_file(&given.model, &given.driver.addresses, &given.tags);
        details.bound(given, models.digest().clone())
    }

    /// How a target is reached of which somebody else than the file says that it is there.
    fn reached(&self, target: &Target, details: &Details) -> Result<TargetConfig, String> {
        let mut options = details.options().clone();
        self.variables.check(&options)?;
        credentials::open(self.key.as_deref(), target, &mut options)?;
        // Which models it has, the binding says.
        let model = details.model();
        let models = BTreeSet::from([model.as_str()]);
        config::target(options, &self.folder, &models, &config::variable).map_err(|problem| {
            match problem {
                config::Problem::Unset { .. } => format!(
                    "{problem} on node {}: set it there and start the node again, or give another \
                     with `lockstep target set {target}`",
                    self.node
                ),
                problem => problem.to_string(),
            }
        })
    }
}

impl Devices for Reach {
    fn known(&self, target: &Target, binding: &Binding) -> Known {
        let Ok(details) = Details::read(&binding.details) else { return Known::default() };
        let source = details.source();
        let of_file = self.file.get(target).filter(|_| source == Source::File);
        let addresses = match of_file {
            // Each node's file says where the target is for that node.
            Some(given) => given.driver.addresses.clone(),
            None => details.addresses(),
        };
        let (model, tags) = (details.model(), details.tags());
        Known { address: addresses.join(","), model, tags, source }
    }

    fn is_same(&self, _: &Target, before: &Binding, now: &Binding) -> bool {
        let ways = [before, now].map(|binding| Details::read(&binding.details).map(|d| d.way()));
        before.details == now.details || matches!(ways, [Ok(before), Ok(now)] if before == now)
    }

    fn reach(
        &self,
        target: &Target,
        binding: &Binding,
        models: &ModelSet,
    ) -> Result<Reached, Unserved> {
        let details = Details::read(&binding.details).map_err(Unserved::failed)?;
        let given = match details.source() {
            Source::File => self
                .file
                .get(target)
                .cloned()
                .ok_or_else(|| Unserved::paused(format!(
                    "the configuration file of node {} does not name it; name it there and start the node \
                     again, or say what becomes of it: `lockstep target set`, `lockstep target remove`",
                    self.node
                )))?,
            Source::Api => self.reached(target, &details).map_err(Unserved::failed)?,
        };
        let driver = Gnmi::new(given.driver, models.clone());
        Ok(Reached { driver: Arc::new(driver), trials: given.trials })
    }
}

#[cfg(test)]
mod tests;
