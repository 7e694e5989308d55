//! Every target as this node serves it: made from its binding, and made anew when that changes.

use std::sync::{Arc, PoisonError, RwLock};

use lockstep_protocol::record::{Binding, Trials};
use lockstep_southbound::Driver;
use lockstep_types::{NodeName, Target};
use lockstep_yang::ModelSet;
use rpds::RedBlackTreeMapSync as Map;

use crate::models::Models;
use crate::target::{Devices, Known, Reached, TargetSpec, Unserved};

/// A target as this node serves it.
#[derive(Debug)]
pub(crate) struct Entry {
    /// What it was made from.
    pub(crate) binding: Binding,
    /// What is shown of it.
    pub(crate) known: Known,
    /// With its models; none if this node does not have them.
    pub(crate) spec: Option<Arc<TargetSpec>>,
    /// Why this node does not connect to it; none: it does.
    pub(crate) unserved: Option<Unserved>,
    /// Who connects to it; none: not from here.
    pub(crate) driver: Option<Arc<dyn Driver>>,
    /// When use is made of trials.
    pub(crate) trials: Trials,
}

/// Every target, by name. What is taken out stays as it was.
#[derive(Debug, Default)]
pub(crate) struct Targets(RwLock<Map<Target, Arc<Entry>>>);

impl Targets {
    pub(crate) fn get(&self, target: &Target) -> Option<Arc<Entry>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(target).cloned()
    }

    /// The target with its models.
    pub(crate) fn spec(&self, target: &Target) -> Option<Arc<TargetSpec>> {
        self.get(target)?.spec.clone()
    }

    /// All of them, as they are now. Costs nothing.
    pub(crate) fn all(&self) -> Map<Target, Arc<Entry>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn put(&self, target: Target, entry: Entry) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.insert_mut(target, Arc::new(entry));
    }

    pub(crate) fn remove(&self, target: &Target) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove_mut(target);
    }
}

/// Makes targets from their bindings.
#[derive(Debug)]
pub(crate) struct Maker {
    pub(crate) node: NodeName,
    pub(crate) models: Models,
    pub(crate) devices: Arc<dyn Devices>,
}

impl Maker {
    /// The target of this binding.
    pub(crate) fn make(&self, target: &Target, binding: &Binding) -> Entry {
        let known = self.devices.known(target, binding);
        let models = self.models.get(&binding.models);
        let reached = match &models {
            Some(models) => self.devices.reach(target, binding, models),
            None => Err(self.without_models(&known, binding)),
        };
        let (driver, trials, unserved) = match reached {
            Ok(Reached { driver, trials }) => (Some(driver), trials, None),
            Err(unserved) => (None, Trials::default(), Some(unserved)),
        };
        let spec = models.map(|models| spec(target, &known, models, binding));
        Entry { binding: binding.clone(), known, spec, unserved, driver, trials }
    }

    /// The same target, reached as before, as its binding is now.
    pub(crate) fn again(&self, target: &Target, before: &Entry, binding: &Binding) -> Entry {
        let known = self.devices.known(target, binding);
        let models = before.spec.as_ref().map(|spec| spec.models.clone());
        let spec = models.map(|models| spec(target, &known, models, binding));
        let (unserved, trials) = (before.unserved.clone(), before.trials);
        let driver = before.driver.clone();
        Entry { binding: binding.clone(), known, spec, unserved, driver, trials }
    }

    fn without_models(&self, known: &Known, binding: &Binding) -> Unserved {
        let (node, wanted) = (&self.node, &binding.models);
        let name = match known.model.as_str() {
            "" => "a model set".to_owned(),
            name => format!("model set {name}"),
        };
        let here = self.models.named(&known.model).map(|set| {
            format!(
                "; what that name stands for here has other files, with digest {}",
                set.digest()
            )
        });
        Unserved::failed(format!(
            "node {node} does not have its models: {name} with digest {wanted}{}; put those files \
             there, name them under `models` in its configuration file, then `lockstep model reload`",
            here.unwrap_or_default()
        ))
    }
}

fn spec(target: &Target, known: &Known, models: ModelSet, binding: &Binding) -> Arc<TargetSpec> {
    let (name, model, ignore) = (target.clone(), known.model.clone(), binding.ignore.clone());
    Arc::new(TargetSpec { name, model, models, ignore })
}
