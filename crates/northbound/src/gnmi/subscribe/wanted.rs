//! What a subscription wants of targets, be they named or all there are, and will be.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lockstep_gnmi::path as paths;
use lockstep_gnmi::proto::gnmi::Path;
use lockstep_node::{Handle, TargetSpec};
use lockstep_types::Target;
use tonic::{Code, Status};

use super::extras::Extras;
use super::list::List;
use crate::access::Right;
use crate::gnmi::filter::Filter;
use crate::gnmi::{Service, place};
use crate::guard::Call;
use crate::hub::Interest;
use crate::refusal;

/// A subscription on one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) filter: Filter,
    /// Whether the device has something to say there.
    pub(super) state: bool,
}

/// A subscription before it is known on which targets.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) prefix: Option<Path>,
    pub(super) wire: Path,
    pub(super) modules: BTreeSet<String>,
    pub(super) extras: Extras,
}

impl Wanted {
    /// What that is on a target.
    pub(super) fn spot(
        &self,
        node: &Handle,
        call: &Call,
        spec: &TargetSpec,
    ) -> Result<Spot, Status> {
        let (prefix, wire) = (self.prefix.as_ref(), &self.wire);
        let origin = paths::origin(prefix, wire).map_err(|error| refusal::path(&error))?;
        let path = paths::read(prefix, wire).map_err(|error| refusal::path(&error))?;
        let path = place::in_origin(spec, origin.as_deref(), path)?;
        let found = spec.models.check(&path).map_err(|error| refusal::get_path(&error))?;
        let path = spec.models.canonical_path(&path).map_err(|error| refusal::get_path(&error))?;
        place::modules(spec, &self.modules)?;
        place::readable(call, node, spec, &path)?;
        let Extras { depth, configuration_only, at } = self.extras;
        let filter = Filter { path, depth, modules: self.modules.clone() };
        // Nobody remembers the state of a device.
        let state = found.state_below && !configuration_only && at.is_none();
        Ok(Spot { filter, state })
    }

    /// Where the models have the path, which has to be somewhere.
    pub(super) fn everywhere(
        &self,
        node: &Handle,
        call: &Call,
    ) -> Result<BTreeMap<Target, Spot>, Status> {
        let mut spots = BTreeMap::new();
        let mut refused = Status::not_found("there is no target");
        for spec in node.targets() {
            if call.extent(Right::Read, node, &spec.name).is_nowhere() {
                continue;
            }
            match self.spot(node, call, &spec) {
                Ok(spot) => drop(spots.insert(spec.name.clone(), spot)),
                Err(status)
                    if matches!(status.code(), Code::InvalidArgument | Code::PermissionDenied) =>
                {
                    refused = status;
                }
                Err(status) => return Err(status),
            }
        }
        if spots.is_empty() { Err(refused) } else { Ok(spots) }
    }

    /// What that is on a target by now; none: nothing.
    fn now(&self, node: &Handle, call: &Call, target: &Target) -> Option<Spot> {
        let spec = node.target(target)?;
        let seen = !call.extent(Right::Read, node, target).is_nowhere();
        seen.then(|| self.spot(node, call, &spec).ok()).flatten()
    }
}

impl List {
    /// Looks anew at what is wanted of some targets: they may have come, gone, or have other models. Gives
    /// those of which nothing was wanted before. A target that was named is wanted whatever became of it.
    pub(super) async fn renew(
        &mut self,
        service: &Service,
        call: &Call,
        targets: BTreeSet<Target>,
    ) -> Result<BTreeSet<Target>, Status> {
        let wanted: Vec<_> = self.subscriptions.iter().map(|one| Arc::clone(&one.wanted)).collect();
        let (node, call) = (service.node.clone(), call.clone());
        let work = move || {
            let on = |wanted: &Arc<Wanted>| {
                let each = targets.iter().map(|one| (one.clone(), wanted.now(&node, &call, one)));
                each.collect::<Vec<_>>()
            };
            Ok(wanted.iter().map(on).collect::<Vec<_>>())
        };
        let found = service.workers.run(work).await?;
        let before = self.targets();
        for (subscription, found) in self.subscriptions.iter_mut().zip(found) {
            for (target, spot) in found {
                let known = subscription.spots.contains_key(&target);
                match spot {
                    Some(spot) if known || !subscription.named => {
                        subscription.spots.insert(target, spot);
                    }
                    None if !subscription.named => drop(subscription.spots.remove(&target)),
                    _ => {}
                }
            }
        }
        Ok(self.targets().difference(&before).cloned().collect())
    }

    /// Whether it stands for targets that are yet to come.
    pub(super) fn is_open(&self) -> bool {
        self.subscriptions.iter().any(|one| !one.named)
    }

    /// What it is to be told of.
    pub(super) fn interest(&self, node: &Handle) -> Interest {
        let wanted = self.targets();
        if !self.is_open() {
            return Interest::These(wanted);
        }
        let others = node.targets().into_iter().map(|spec| spec.name.clone());
        Interest::AllBut(others.filter(|name| !wanted.contains(name)).collect())
    }
}

/// Every target by name.
pub(super) fn all(node: &Handle) -> BTreeSet<Target> {
    node.targets().into_iter().map(|spec| spec.name.clone()).collect()
}
