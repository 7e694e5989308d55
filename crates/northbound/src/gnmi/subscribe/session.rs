//! One subscriber, from its first message to its end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lockstep_gnmi::proto::gnmi::subscribe_request::Request as Message;
use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi::{SubscribeRequest, SubscribeResponse};
use lockstep_node::{LookError, TargetSpec};
use lockstep_protocol::View;
use lockstep_types::{Delta, Target, Timestamp};
use tokio::time::{Instant, sleep_until};
use tonic::{Status, Streaming};

use super::list::{self, List};
use super::outlet::Outlet;
use super::pass::{self, Leaves};
use super::relay::{self, Heard, What};
use super::sample::Sample;
use super::sources::{Relayed, Sources};
use super::tell::{Tale, Teller};
use super::wanted;
use crate::gnmi::Service;
use crate::guard::Call;
use crate::hub::{Bound, Interest, Membership, News};
use crate::refusal;

/// One subscriber.
pub(super) struct Session {
    service: Service,
    list: List,
    teller: Teller,
}

impl Session {
    pub(super) fn new(
        service: Service,
        call: Call,
        list: List,
        outlet: Outlet<SubscribeResponse>,
    ) -> Self {
        let teller = Teller::new(&service, call, &list, outlet);
        Self { service, list, teller }
    }

    pub(super) async fn serve(
        mut self,
        requests: Streaming<SubscribeRequest>,
    ) -> Result<(), Status> {
        match self.list.mode {
            Mode::Once => self.once().await,
            Mode::Poll => self.poll(requests).await,
            Mode::Stream => self.stream(requests).await,
        }
    }

    async fn once(&mut self) -> Result<(), Status> {
        let now = self.service.node.now();
        if self.list.extras.at.is_some_and(|at| at > now) {
            return Err(Status::invalid_argument("history: that snapshot_time is yet to come"));
        }
        let view = self.service.fresh.view(self.teller.call()).await?;
        if !self.list.updates_only {
            let found = self.service.pass(&self.list, &view).await?;
            self.tell_all(found).await?;
        }
        self.teller.synced().await
    }

    /// A pass at once and with every Poll. `updates_only` leaves out what the pass before had.
    async fn poll(&mut self, mut requests: Streaming<SubscribeRequest>) -> Result<(), Status> {
        let mut before: BTreeMap<Target, Leaves> = BTreeMap::new();
        let mut first = true;
        loop {
            let view = self.service.fresh.view(self.teller.call()).await?;
            self.renew(wanted::all(&self.service.node)).await?;
            let mut found = self.service.pass(&self.list, &view).await?;
            for (spec, leaves) in &mut found {
                let known = self.list.updates_only.then(|| leaves.clone());
                let before = before.insert(spec.name.clone(), known.unwrap_or_default());
                if self.list.updates_only {
                    let before = before.unwrap_or_default();
                    leaves.retain(|path, content| !first && before.get(path) != Some(content));
                }
            }
            self.tell_all(found).await?;
            self.teller.synced().await?;
            first = false;
            match super::next(&mut requests).await? {
                None => return Ok(()),
                Some(message) => match message.request {
                    Some(Message::Poll(_)) => {}
                    other => return Err(list::misplaced(other.as_ref(), Mode::Poll)),
                },
            }
        }
    }

    async fn tell_all(&mut self, found: Vec<(Arc<TargetSpec>, Leaves)>) -> Result<(), Status> {
        let now = nanoseconds(self.service.node.now().get());
        for (spec, leaves) in found {
            let updates = leaves.into_iter().collect();
            self.teller.tell(&spec, Tale { updates, deletes: Vec::new() }, now).await?;
        }
        Ok(())
    }

    async fn stream(&mut self, mut requests: Streaming<SubscribeRequest>) -> Result<(), Status> {
        let mut sources = self.begin().await?;
        // A client may close its half and go on listening.
        let mut talks = true;
        loop {
            let due = sources.samples.iter().map(|(_, sample)| sample.due()).min();
            tokio::select! {
                biased;
                message = super::next(&mut requests), if talks => match message? {
                    None => talks = false,
                    Some(message) => {
                        return Err(list::misplaced(message.request.as_ref(), Mode::Stream));
                    }
                },
                news = sources.news.recv() => match news {
                    Some(news) => self.changed(&mut sources, &news).await?,
                    None => return Err(self.teller.no_more()),
                },
                Some(heard) = sources.heard.recv() => self.hear(&mut sources.relays, heard).await?,
                () = at(due) => self.sample(&mut sources.samples).await?,
            }
        }
    }

    /// All that stands, and that this was all; the sources go on from there.
    async fn begin(&mut self) -> Result<Sources, Status> {
        let joined = self.join().await?;
        self.teller.heed(joined.cut);
        let mut sources = Sources::new(&self.service, &self.list, joined.news, &joined.view);
        if !self.list.updates_only {
            self.tell_standing(&joined.view, &self.list.targets()).await?;
        }
        while sources.relays.values().any(|one| !one.memory.synced) {
            match sources.heard.recv().await {
                Some(heard) => self.hear(&mut sources.relays, heard).await?,
                None => break,
            }
        }
        self.teller.synced().await?;
        Ok(sources)
    }

    /// Joins those who are told of changes, with all that is wanted by then.
    async fn join(&mut self) -> Result<Membership, Status> {
        loop {
            let revision = self.service.fresh.revision(self.teller.call()).await?;
            let interest = self.list.interest(&self.service.node);
            let joined = self.service.hub.join(interest.clone(), revision).await;
            let joined = joined.ok_or_else(refusal::stopping)?;
            // What came meanwhile it is told of; what was not wanted until now it is not.
            self.renew(wanted::all(&self.service.node)).await?;
            match interest {
                Interest::AllBut(others) if !others.is_disjoint(&self.list.targets()) => {}
                _ => return Ok(joined),
            }
        }
    }

    /// Looks anew at what is wanted of some targets, if all there are were meant. Gives those that came.
    async fn renew(&mut self, targets: BTreeSet<Target>) -> Result<BTreeSet<Target>, Status> {
        if !self.list.is_open() {
            return Ok(BTreeSet::new());
        }
        let gone = self.list.targets();
        let call = self.teller.caller()?;
        self.list.renew(&self.service, &call, targets.union(&gone).cloned().collect()).await
    }

    /// The configuration that stands, with the time since when it does.
    async fn tell_standing(
        &mut self,
        view: &Arc<View>,
        of: &BTreeSet<Target>,
    ) -> Result<(), Status> {
        let mut all = pass::by_target(self.list.subscriptions.iter());
        all.retain(|target, _| of.contains(target));
        for (target, spots) in all {
            let Some(spec) = self.service.node.target(&target) else { continue };
            let (view, models) = (Arc::clone(view), Arc::clone(&spec));
            let since = standing_since(&view, &target).unwrap_or_else(|| self.service.node.now());
            let since = nanoseconds(since.get());
            let work = move || pass::configured(&models, &view.visible(&models.name), &spots);
            let updates = self.service.workers.run(work).await?.into_iter().collect();
            self.teller.tell(&spec, Tale { updates, deletes: Vec::new() }, since).await?;
        }
        Ok(())
    }

    /// A transaction, for those who want to know at once: one notification for each target.
    async fn changed(&mut self, sources: &mut Sources, news: &News) -> Result<(), Status> {
        if let Some(bound) = &news.bound {
            return self.rebound(sources, bound).await;
        }
        let on_change = &sources.on_change;
        let mut concerned = false;
        for (target, (spec, delta)) in &news.targets {
            let Some(spots) = on_change.get(target) else { continue };
            concerned = true;
            let wanted = spots.iter().flat_map(|spot| spot.filter.change(&spec.models, delta));
            let wanted: Delta = wanted.collect();
            let deletes = wanted.removals().into_iter().cloned().collect();
            let updates = wanted.sets().map(|(path, one)| (path.clone(), one.clone())).collect();
            let timestamp = nanoseconds(news.timestamp.get());
            self.teller.tell(spec, Tale { updates, deletes }, timestamp).await?;
        }
        if concerned && self.list.extras.configuration_only {
            self.teller.commit_done(news.index, &news.commit).await?;
        }
        Ok(())
    }

    /// Targets came, went, or have other models: what is wanted of them is told from now on, or no more.
    async fn rebound(&mut self, sources: &mut Sources, bound: &Bound) -> Result<(), Status> {
        let came = self.renew(bound.targets.clone()).await?;
        let now = nanoseconds(self.service.node.now().get());
        for (spec, tale) in sources.renew(&self.service, &self.list) {
            self.teller.tell(&spec, tale, now).await?;
        }
        if self.list.updates_only {
            return Ok(());
        }
        self.tell_standing(&bound.view, &came).await
    }

    /// What is due, for those who want to know from time to time.
    async fn sample(&mut self, samples: &mut [(usize, Sample)]) -> Result<(), Status> {
        let (now, view) = (Instant::now(), self.service.node.view());
        for (_, sample) in samples.iter_mut().filter(|(_, sample)| sample.due() <= now) {
            let (work, node) = (sample.take(now, &view), self.service.node.clone());
            let tales = self.service.workers.run(move || work.run(&node)).await?;
            let timestamp = nanoseconds(self.service.node.now().get());
            for (spec, tale) in tales {
                self.teller.tell(&spec, tale, timestamp).await?;
            }
        }
        Ok(())
    }

    /// What a device says of its state.
    async fn hear(
        &mut self,
        relays: &mut BTreeMap<usize, Relayed>,
        heard: Heard,
    ) -> Result<(), Status> {
        let Some(one) = relays.get_mut(&heard.number) else { return Ok(()) };
        let Relayed { relay, named, memory, .. } = one;
        match heard.what {
            What::Synced => {
                let now = nanoseconds(self.service.node.now().get());
                self.teller.tell(&relay.spec, memory.synced(), now).await?;
            }
            What::Again => memory.again(),
            What::News { updates, .. } if self.list.updates_only && !memory.synced => {
                drop(memory.tale(updates, &[]));
            }
            What::News { timestamp, updates, deletes } => {
                let tale = memory.tale(updates, &deletes);
                self.teller.tell(&relay.spec, tale, timestamp).await?;
            }
            What::Gone(error) if *named && !memory.synced => {
                return Err(relay::refused(&relay.spec, &error));
            }
            What::Gone(error) => {
                self.log(&relay.spec, &error);
                let now = nanoseconds(self.service.node.now().get());
                self.teller.tell(&relay.spec, memory.forget(), now).await?;
            }
        }
        Ok(())
    }

    fn log(&self, spec: &TargetSpec, error: &LookError) {
        tracing::debug!(target = %spec.name, %error, "a subscriber is told no state");
    }
}

/// No later than whatever changes next.
fn standing_since(view: &View, target: &Target) -> Option<Timestamp> {
    let last = view.transaction(view.header(target).committed.index)?;
    Some(last.visible_since(target).unwrap_or(last.submitted))
}

fn nanoseconds(time: u64) -> i64 {
    i64::try_from(time).unwrap_or(i64::MAX)
}

/// Comes at a time; never, if there is none.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}
