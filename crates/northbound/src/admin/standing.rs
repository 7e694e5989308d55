//! How targets stand, and again whenever one stands otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use lockstep_gnmi::proto::lockstep::v1::{
    self, WatchConfigurationsRequest, WatchConfigurationsResponse, WatchTargetsRequest,
    WatchTargetsResponse,
};
use lockstep_types::{Path, Target};
use tokio::time::sleep;
use tonic::Status;

use super::changes::Changes;
use super::configuration::read_paths;
use super::{Service, show, target_names};
use crate::access::Right;
use crate::gnmi::{self, Outlet, Told, place};
use crate::guard::Call;
use crate::hub::{Interest, News};
use crate::refusal;
use crate::teller::Teller;
use crate::text;

/// How often it is looked at the most.
const PAUSE: Duration = Duration::from_millis(250);
/// How often it is looked at the least: connections come and go without a write.
const LOOK: Duration = Duration::from_secs(1);

impl Service {
    /// How targets stand that somebody may know of; of these, or of all.
    pub(super) fn standing(&self, call: &Call, only: &BTreeSet<Target>) -> Vec<v1::Target> {
        let view = self.node.view();
        let teller = Teller::any(&self.node, call, &view);
        let all = self.node.statuses().into_iter();
        let wanted = all.filter(|status| {
            (only.is_empty() || only.contains(&status.name)) && teller.sees(&status.name)
        });
        wanted.map(|status| show::target(&teller, status)).collect()
    }

    pub(super) fn targets_watched(
        &self,
        call: Call,
        asked: &WatchTargetsRequest,
    ) -> Result<Told<WatchTargetsResponse>, Status> {
        let only = target_names(&asked.name)?;
        for target in &only {
            call.target(Right::Read, &self.node, target)?;
        }
        let (service, caller) = (self.clone(), call.clone());
        gnmi::watch(&self.gnmi, call, move |outlet| service.tell_standing(caller, only, outlet))
    }

    async fn tell_standing(
        self,
        mut call: Call,
        only: BTreeSet<Target>,
        outlet: Outlet<WatchTargetsResponse>,
    ) -> Result<(), Status> {
        let mut views = self.node.views();
        let mut told: BTreeMap<String, v1::Target> = BTreeMap::new();
        let mut first = true;
        loop {
            let standing = self.standing(&call, &only);
            let names: BTreeSet<&String> = standing.iter().map(|target| &target.name).collect();
            let gone: Vec<String> =
                told.keys().filter(|name| !names.contains(name)).cloned().collect();
            let differs = |target: &&v1::Target| told.get(&target.name) != Some(*target);
            let targets: Vec<v1::Target> = standing.iter().filter(differs).cloned().collect();
            if first || !targets.is_empty() || !gone.is_empty() {
                outlet.send(WatchTargetsResponse { targets, gone }).await?;
            }
            first = false;
            told = standing.into_iter().map(|target| (target.name.clone(), target)).collect();
            sleep(PAUSE).await;
            tokio::select! {
                changed = views.changed() => {
                    changed.map_err(|_| refusal::stopping())?;
                }
                () = sleep(LOOK) => {}
            }
            // What may be seen may have changed since the last time.
            call = call.again()?;
        }
    }

    pub(super) fn configurations_watched(
        &self,
        call: Call,
        asked: &WatchConfigurationsRequest,
    ) -> Result<Told<WatchConfigurationsResponse>, Status> {
        let named = target_names(&asked.target)?;
        let paths = read_paths(&asked.path)?;
        place::few("this", "paths", paths.len())?;
        for target in &named {
            call.target(Right::Read, &self.node, target)?;
            let spec = place::target(&self.node, target)?;
            for path in &paths {
                place::readable(&call, &self.node, &spec, path)?;
            }
        }
        let (service, caller) = (self.clone(), call.clone());
        gnmi::watch(&self.gnmi, call, move |outlet| {
            service.tell_configurations(caller, named, paths, outlet)
        })
    }

    async fn tell_configurations(
        self,
        mut call: Call,
        targets: BTreeSet<Target>,
        paths: Vec<Path>,
        outlet: Outlet<WatchConfigurationsResponse>,
    ) -> Result<(), Status> {
        let after = self.fresh.revision(&call).await?;
        let interest = match targets.is_empty() {
            true => Interest::AllBut(BTreeSet::new()),
            false => Interest::These(targets.clone()),
        };
        let membership = self.gnmi.hub.join(interest, after).await;
        let mut membership = membership.ok_or_else(refusal::stopping)?;
        outlet.send(WatchConfigurationsResponse::default()).await?;
        while let Some(news) = membership.news.recv().await {
            call = call.again()?;
            for message in self.told(&call, &targets, &paths, &news) {
                outlet.send(message).await?;
            }
        }
        let Some(why) = membership.cut.why() else { return Err(refusal::stopping()) };
        let status = why.status();
        outlet.cut(status.clone());
        Err(status)
    }

    fn told(
        &self,
        call: &Call,
        targets: &BTreeSet<Target>,
        paths: &[Path],
        news: &News,
    ) -> Vec<WatchConfigurationsResponse> {
        let each = news.targets.iter();
        let each = each.filter(|(target, _)| targets.is_empty() || targets.contains(*target));
        let each = each.filter_map(|(target, (spec, delta))| {
            let veil = call.veil(&self.node, target);
            let places: Vec<Path> =
                paths.iter().filter_map(|path| spec.models.canonical_path(path).ok()).collect();
            let wanted = |path: &Path| paths.is_empty() || places.iter().any(|at| at.covers(path));
            let shown = Changes { models: Some(&spec.models), veil: &veil };
            let changes = delta.iter().filter(|(path, _)| wanted(path));
            let changes: Vec<_> = changes
                .filter_map(|(path, content)| shown.one(path, None, content.as_ref()))
                .collect();
            let told = v1::TargetChanges { target: target.to_string(), changes };
            (!told.changes.is_empty()).then_some(told)
        });
        let message = |changes| WatchConfigurationsResponse {
            changes: Some(changes),
            index: news.index.map_or(0, lockstep_types::Index::get),
            time: Some(text::time(news.timestamp)),
        };
        each.map(message).collect()
    }
}
