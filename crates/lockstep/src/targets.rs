//! How targets are reached: those of the configuration file as it says, the others as their bindings do.

mod details;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use lockstep_node::{Devices, Known, Reached, Source, Unserved};
use lockstep_protocol::record::Binding;
use lockstep_southbound::gnmi::Gnmi;
use lockstep_types::Target;
use lockstep_yang::ModelSet;

use crate::config::{self, Config, TargetConfig};
use details::Details;

/// Everything that this node knows of how targets are reached.
#[derive(Debug)]
pub(crate) struct Targets {
    folder: PathBuf,
    file: BTreeMap<Target, TargetConfig>,
}

impl Targets {
    pub(crate) fn new(config: &Config) -> Self {
        Self { folder: config.folder.clone(), file: config.targets.clone() }
    }

    /// What a target of the configuration file is bound to, with these models.
    pub(crate) fn of_file(given: &TargetConfig, models: &ModelSet) -> Binding {
        let details = Details::of_file(&given.model, &given.driver.addresses, &given.tags);
        bound(given, models, &details)
    }

    /// How a target is reached of which somebody else than the file says that it is there.
    fn given(&self, details: &Details) -> Result<TargetConfig, String> {
        // Names stand for what each node says, so that of the models says nothing here.
        let model = details.model();
        let models = BTreeSet::from([model.as_str()]);
        let options = details.options().clone();
        config::target(options.into(), &self.folder, &models, &config::variable)
            .map_err(|problem| problem.to_string())
    }
}

fn bound(given: &TargetConfig, models: &ModelSet, details: &Details) -> Binding {
    Binding {
        models: models.digest().clone(),
        initial: given.initial,
        drift: given.drift,
        ignore: given.ignore.clone(),
        details: details.to_string(),
    }
}

impl Devices for Targets {
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
        // What is kept of a target of the file is there to be shown.
        let of_file = |binding: &Binding| {
            Details::read(&binding.details).is_ok_and(|details| details.source() == Source::File)
        };
        before.details == now.details || (of_file(before) && of_file(now))
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
                .ok_or_else(|| Unserved::paused("the configuration file no longer names it"))?,
            Source::Api => self.given(&details).map_err(Unserved::failed)?,
        };
        let driver = Gnmi::new(given.driver, models.clone());
        Ok(Reached { driver: Arc::new(driver), trials: given.trials })
    }
}
