//! What a STREAM goes on: news of configuration, samples, and what devices say of their state.

use std::collections::BTreeMap;
use std::sync::Arc;

use lockstep_node::{Pace, TargetSpec};
use lockstep_protocol::View;
use lockstep_types::Target;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::list::{List, Subscription};
use super::pass::{self, Spots};
use super::relay::{self, Heard, Memory, Relay};
use super::sample::Sample;
use super::tell::Tale;
use crate::gnmi::Service;
use crate::hub::Incoming;

/// As many messages of devices wait for the subscriber; beyond, the devices wait.
const STATE: usize = 16;

/// What a STREAM goes on.
pub(super) struct Sources {
    pub(super) news: Incoming,
    /// What is told when configuration changes, by target.
    pub(super) on_change: BTreeMap<Target, Spots>,
    /// Each with the number of its subscription.
    pub(super) samples: Vec<(usize, Sample)>,
    pub(super) heard: mpsc::Receiver<Heard>,
    pub(super) relays: BTreeMap<usize, Relayed>,
    /// The number of the next relay.
    next: usize,
    tell: mpsc::Sender<Heard>,
    /// Ends them with the subscriber.
    tasks: JoinSet<()>,
}

/// A device that is passed through.
pub(super) struct Relayed {
    subscription: usize,
    pub(super) relay: Relay,
    pub(super) named: bool,
    pub(super) memory: Memory,
    task: AbortHandle,
}

impl Sources {
    pub(super) fn new(service: &Service, list: &List, news: Incoming, view: &Arc<View>) -> Self {
        let (tell, heard) = mpsc::channel(STATE);
        let numbered = list.subscriptions.iter().enumerate();
        let samples = numbered.filter_map(|(at, one)| Some((at, Sample::new(one, view)?)));
        let mut sources = Self {
            news,
            on_change: on_change(list),
            samples: samples.collect(),
            heard,
            relays: BTreeMap::new(),
            next: 0,
            tell,
            tasks: JoinSet::new(),
        };
        sources.begin(service, list);
        sources
    }

    /// Goes on with what is wanted by now. Gives what is to be told of devices that are passed through no
    /// more.
    pub(super) fn renew(&mut self, service: &Service, list: &List) -> Vec<(Arc<TargetSpec>, Tale)> {
        self.on_change = on_change(list);
        for (at, sample) in &mut self.samples {
            if let Some(subscription) = list.subscriptions.get(*at) {
                sample.renew(subscription);
            }
        }
        let mut told = Vec::new();
        self.relays.retain(|_, one| {
            let stays = one.is_wanted(service, list);
            if !stays {
                one.task.abort();
                told.push((Arc::clone(&one.relay.spec), one.memory.forget()));
            }
            stays
        });
        while self.tasks.try_join_next().is_some() {}
        self.begin(service, list);
        told
    }

    /// Has every device passed through that is wanted, and is not yet.
    fn begin(&mut self, service: &Service, list: &List) {
        for (at, subscription) in list.subscriptions.iter().enumerate() {
            for (target, spot) in subscription.spots.iter().filter(|(_, spot)| spot.state) {
                let mut relays = self.relays.values();
                if relays.any(|one| one.subscription == at && one.relay.spec.name == *target) {
                    continue;
                }
                let Some(spec) = service.node.target(target) else { continue };
                let relay = Relay {
                    number: self.next,
                    spec,
                    spot: spot.clone(),
                    pace: subscription.pace,
                    heartbeat: subscription.heartbeat,
                    encoding: list.encoding,
                };
                self.next += 1;
                let run = relay::run(service.clone(), relay.clone(), self.tell.clone());
                let task = self.tasks.spawn(run);
                let (named, memory) = (subscription.named, Memory::default());
                let one = Relayed { subscription: at, relay, named, memory, task };
                self.relays.insert(one.relay.number, one);
            }
        }
    }
}

impl Relayed {
    /// Whether it is what its subscription wants by now.
    fn is_wanted(&self, service: &Service, list: &List) -> bool {
        let Relay { spec, spot, .. } = &self.relay;
        let subscription = list.subscriptions.get(self.subscription);
        let wanted = subscription.and_then(|one| one.spots.get(&spec.name));
        let models = service.node.target(&spec.name).map(|now| now.models.digest().clone());
        // One that was named may come back, and is waited for.
        let same = models.map_or(self.named, |models| models == *spec.models.digest());
        wanted == Some(spot) && same
    }
}

fn on_change(list: &List) -> BTreeMap<Target, Spots> {
    let at_once = |one: &&Subscription| !matches!(one.pace, Pace::Sample { .. });
    pass::by_target(list.subscriptions.iter().filter(at_once))
}
