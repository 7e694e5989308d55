//! Model sets, as operators see them.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_gnmi::proto::lockstep::v1::{Model, Module};
use lockstep_types::{ModelDigest, Target};
use lockstep_yang::ModelSet;
use tonic::Status;

use super::Service;
use crate::access::Right;
use crate::directory::{Unloaded, reload};
use crate::guard::Call;
use crate::outcome;

impl Service {
    /// Every model set of this node, with how many targets are bound to it that the caller may know of, and why some
    /// could not be loaded.
    pub(super) fn models(&self, call: &Call, errors: &BTreeMap<String, String>) -> Vec<Model> {
        let view = self.node.view();
        let mut bound: BTreeMap<ModelDigest, u64> = BTreeMap::new();
        let is_seen = |target: &&Target| !call.extent(Right::Read, &self.node, target).is_nowhere();
        for binding in view.targets().filter(is_seen).filter_map(|target| view.binding(target)) {
            *bound.entry(binding.models.clone()).or_default() += 1;
        }
        let shown = |name: &str, set: &ModelSet| {
            let module = |module: &lockstep_yang::Module| Module {
                name: module.name.clone(),
                revision: module.revision.clone(),
            };
            Model {
                name: name.to_owned(),
                digest: set.digest().to_string(),
                modules: set.modules().iter().map(module).collect(),
                targets: bound.get(set.digest()).copied().unwrap_or_default(),
                error: errors.get(name).cloned().unwrap_or_default(),
            }
        };
        let named = self.node.models().names();
        let with_name: BTreeSet<_> = named.values().map(|set| set.digest().clone()).collect();
        let missing = errors.iter().filter(|(name, _)| !named.contains_key(*name));
        let missing = missing.map(|(name, error)| Model {
            name: name.clone(),
            error: error.clone(),
            ..Model::default()
        });
        let mut models: Vec<Model> = missing.collect();
        models.extend(named.iter().map(|(name, set)| shown(name, set)));
        models.sort_by(|a, b| a.name.cmp(&b.name));
        let all = self.node.models().all();
        let nameless = all.iter().filter(|set| !with_name.contains(set.digest()));
        models.extend(nameless.map(|set| shown("", set)));
        models
    }

    /// Has the node take up the model sets that its file names now.
    pub(super) async fn reloaded(&self, call: &Call) -> Result<Vec<Model>, Status> {
        match reload(&self.node, &*self.directory).await {
            Ok(errors) => Ok(self.models(call, &errors)),
            Err(Unloaded::File(why)) => Err(Status::failed_precondition(why)),
            Err(Unloaded::Busy(busy)) => Err(outcome::busy(&self.node, call, busy)),
        }
    }
}
