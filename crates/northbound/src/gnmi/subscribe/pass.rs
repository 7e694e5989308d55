//! All that stands, once: of configuration from a view, of state from the devices.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::try_join_all;
use lockstep_node::{Look, Seen, TargetSpec};
use lockstep_protocol::View;
use lockstep_types::{Configuration, Content, Path, Target};
use lockstep_yang::Form;
use tonic::Status;

use super::list::List;
use super::wanted::Spot;
use crate::gnmi::{Service, get, place};
use crate::{refusal, text};

/// Leaves by their paths.
pub(super) type Leaves = BTreeMap<Path, Content>;

/// What is wanted of one target by several subscriptions.
pub(super) type Spots = Vec<Spot>;

/// The subscriptions by target.
pub(super) fn by_target<'a>(
    subscriptions: impl Iterator<Item = &'a super::list::Subscription>,
) -> BTreeMap<Target, Spots> {
    let mut all: BTreeMap<Target, Spots> = BTreeMap::new();
    for (target, spot) in subscriptions.flat_map(|one| &one.spots) {
        all.entry(target.clone()).or_default().push(spot.clone());
    }
    all
}

/// What a view has of configuration where these look.
pub(super) fn configured(
    spec: &TargetSpec,
    tree: &Configuration,
    spots: &Spots,
) -> Result<Leaves, Status> {
    let mut leaves = Leaves::new();
    for spot in spots {
        let found = spec.models.leaves(tree, &spot.filter.path);
        let found = found.map_err(|error| refusal::get_path(&error))?;
        leaves.extend(found.into_iter().filter(|(path, _)| spot.filter.wants(&spec.models, path)));
    }
    Ok(leaves)
}

impl Service {
    /// All that stands, target by target; devices are asked at the same time.
    pub(super) async fn pass(
        &self,
        list: &List,
        view: &Arc<View>,
    ) -> Result<Vec<(Arc<TargetSpec>, Leaves)>, Status> {
        let all = by_target(list.subscriptions.iter()).into_iter();
        // One of all of them may have gone by now.
        let each =
            all.filter(|(target, _)| list.names(target) || self.node.target(target).is_some());
        let each = each.map(|(target, spots)| self.pass_one(list, view, target, spots));
        try_join_all(each).await
    }

    async fn pass_one(
        &self,
        list: &List,
        view: &Arc<View>,
        target: Target,
        spots: Spots,
    ) -> Result<(Arc<TargetSpec>, Leaves), Status> {
        let spec = place::target(&self.node, &target)?;
        let mut reports = Vec::new();
        for spot in spots.iter().filter(|spot| spot.state) {
            let ietf = list.encoding.form() == Form::Ietf;
            let look = Look { path: spot.filter.path.clone(), seen: Seen::State, ietf };
            let heard = self.node.look(&target, look).await;
            reports.extend(heard.map_err(|error| get::unasked(&target, &error))?);
        }
        let (view, at) = (Arc::clone(view), list.extras.at);
        let work = move || {
            let tree = match at {
                None => view.visible(&spec.name),
                Some(time) => view.visible_at(&spec.name, time).ok_or_else(|| {
                    let since = text::time(view.known_since());
                    Status::out_of_range(format!("history is kept from {since} on"))
                })?,
            };
            let mut leaves = configured(&spec, &tree, &spots)?;
            for (path, json) in &reports {
                let state = spec.models.state_leaves(path, json).into_iter();
                leaves.extend(state.filter(|(path, _)| {
                    spots.iter().any(|spot| spot.filter.wants(&spec.models, path))
                }));
            }
            Ok((spec, leaves))
        };
        self.workers.run(work).await
    }
}
