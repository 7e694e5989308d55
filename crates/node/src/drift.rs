//! Devices that are changed behind our back: what each shows where it is not as applied.
//!
//! Only that is kept of a device, not what it holds: with the applied values it is the same, and as
//! small as the drift. Whether a difference is one is asked when somebody looks, for what is applied may
//! have changed since; and it counts only once it has stood for a moment, for a device tells of our own
//! changes late.

mod heard;
mod report;
mod tries;

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use futures_util::stream::SelectAll;
use futures_util::{Stream, StreamExt};
use lockstep_protocol::record::{Difference, Drift as Policy, Drifted};
use lockstep_protocol::{Event, View};
use lockstep_southbound::{Noticed, Watch};
use lockstep_types::{Configuration, Connection, Content, Path, SessionId, Target};
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;

use crate::aside::aside;
use crate::links::Links;
use crate::target::TargetSpec;
use crate::targets::Targets;
use heard::Heard;
pub(crate) use report::report;
use tries::Tries;

/// So many differences of a device are shown; the others are counted.
const SHOWN: usize = 100;

/// Where devices are not as applied, as far as they were heard of.
#[derive(Debug)]
pub(crate) struct Drift {
    session: SessionId,
    heard: Mutex<BTreeMap<Target, Arc<Heard>>>,
    tries: Mutex<BTreeMap<Target, Tries>>,
    /// Devices that are to be listened to from now on.
    new: Mutex<BTreeSet<Target>>,
    are_new: Notify,
    /// Devices of which there may be something to tell the other nodes.
    news: Mutex<BTreeSet<Target>>,
    is_news: Notify,
}

impl Drift {
    /// As this session hears of it.
    pub(crate) fn new(session: SessionId) -> Self {
        Self {
            session,
            heard: Mutex::default(),
            tries: Mutex::default(),
            new: Mutex::default(),
            are_new: Notify::new(),
            news: Mutex::default(),
            is_news: Notify::new(),
        }
    }

    /// There is a new link to a device, or it is to be listened to otherwise. What was heard is of the past.
    pub(crate) fn listen_to(&self, target: &Target) {
        self.forget(target);
        self.new.lock().unwrap_or_else(PoisonError::into_inner).insert(target.clone());
        self.are_new.notify_one();
    }

    /// Nobody is interested in a device any more.
    pub(crate) fn forget(&self, target: &Target) {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).remove(target);
        self.forgive(target);
    }

    /// There may be something to tell the other nodes about a device.
    pub(crate) fn report(&self, target: &Target) {
        self.news.lock().unwrap_or_else(PoisonError::into_inner).insert(target.clone());
        self.is_news.notify_one();
    }

    /// Whether what was told, or heard, may be otherwise after a write about a device.
    pub(crate) fn concerns(&self, view: &View, target: &Target) -> bool {
        self.is_ours(view, target)
            && view.drifted(target).is_some_and(|told| !told.first.is_empty())
    }

    async fn to_report(&self) -> BTreeSet<Target> {
        self.is_news.notified().await;
        std::mem::take(&mut *self.news.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits for devices to be listened to.
    async fn to_listen_to(&self) -> BTreeSet<Target> {
        self.are_new.notified().await;
        std::mem::take(&mut *self.new.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Where a device is not as it should be: what it shows, and what is wanted. As its master sees it; without
    /// its models this node can see nothing itself.
    pub(crate) fn of(
        &self,
        view: &View,
        target: &Target,
        spec: Option<&TargetSpec>,
        now: Instant,
    ) -> Drifted {
        let told = view.drifted(target).filter(|_| !self.is_ours(view, target));
        let seen = || spec.map(|spec| self.seen(view, spec, now)).unwrap_or_default();
        told.cloned().unwrap_or_else(seen)
    }

    /// Whether this node is the master.
    fn is_ours(&self, view: &View, target: &Target) -> bool {
        view.mastership(target).is_some_and(|m| m.session.as_ref() == Some(&self.session))
    }

    /// The same, as this node sees it.
    fn seen(&self, view: &View, spec: &TargetSpec, now: Instant) -> Drifted {
        let target = &spec.name;
        let heard = self.heard(target);
        if heard.is_nothing() || !self.is_of_now(view, target, &heard) {
            return Drifted::default();
        }
        let applied = view.applied(target);
        let mut differ = view.not_as_wanted(target, heard.shown(&applied));
        // What comes with a change by default may be heard of before the change is recorded.
        let (held, coming) = (heard.holding(&applied), coming(view, target, &applied));
        differ.retain(|(path, _)| {
            heard.counts(path, now)
                && spec.models.differs(&held, &applied, path)
                && spec.models.differs(&held, &coming, path)
        });
        let difference = |&(path, shows): &(&Path, &Option<Content>)| Difference {
            path: path.clone(),
            shows: shows.clone(),
            wanted: applied.get(path).cloned(),
        };
        let first: Vec<_> = differ.iter().take(SHOWN).map(difference).collect();
        let more = differ.len() - first.len() + heard.more;
        let given_up = self.tries(|tries| tries.get(target).is_some_and(Tries::is_given_up));
        let term = view.mastership(target).map(|m| m.term).unwrap_or_default();
        Drifted { term, first, more, given_up }
    }

    /// What is to be written for the other nodes, if they know something else.
    pub(crate) fn news(&self, view: &View, spec: &TargetSpec, now: Instant) -> Option<Drifted> {
        let target = &spec.name;
        let seen = self.is_ours(view, target).then(|| self.seen(view, spec, now))?;
        let differs = match view.drifted(target) {
            Some(known) => *known != seen,
            None => !seen.first.is_empty() || seen.given_up,
        };
        differs.then_some(seen)
    }

    /// A device is changed back as often as before again: somebody looked after it.
    pub(crate) fn forgive(&self, target: &Target) {
        self.tries(|tries| tries.remove(target));
    }

    /// What a device showed turned out to be a form of its own of what it was sent: nobody has changed it.
    pub(crate) fn excuse(&self, target: &Target) {
        self.tries(|tries| tries.get_mut(target).map(Tries::excuse));
    }

    /// What the core is to be told about what was heard of a device.
    fn event(&self, view: &View, spec: &TargetSpec, now: Instant) -> Option<Event> {
        let target = &spec.name;
        let differs = !self.of(view, target, Some(spec), now).first.is_empty();
        let tell = match view.binding(target)?.drift {
            Policy::Adopt => differs,
            Policy::Enforce => {
                self.tries(|tries| tries.entry(target.clone()).or_default().count(differs, now))
            }
            // Nothing is done about it; but it is not handed over to a node that would change it back.
            Policy::Report if differs => true,
            Policy::Report => return Some(Event::InLine(target.clone())),
        };
        tell.then(|| Event::Drifted(target.clone()))
    }

    fn tries<T>(&self, of: impl FnOnce(&mut BTreeMap<Target, Tries>) -> T) -> T {
        of(&mut self.tries.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the device was not brought in line since: that is done on each new connection of its
    /// master.
    fn is_of_now(&self, view: &View, target: &Target, heard: &Heard) -> bool {
        let mastership = view.mastership(target);
        let ours = mastership.filter(|master| master.session.as_ref() == Some(&self.session));
        ours.is_none_or(|master| master.connection == heard.connection)
    }

    fn heard(&self, target: &Target) -> Arc<Heard> {
        let all = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(target).cloned().unwrap_or_default()
    }

    fn set(&self, target: Target, heard: Heard) {
        let mut all = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(target, Arc::new(heard));
    }
}

/// Listens to devices until nobody takes events any more.
pub(crate) async fn listen(
    drift: Arc<Drift>,
    links: Weak<Links>,
    targets: Arc<Targets>,
    views: watch::Receiver<Arc<View>>,
    events: mpsc::Sender<Event>,
) {
    let ears = Arc::new(Ears { drift, links, targets, views });
    let drift = &ears.drift;
    let mut notices = SelectAll::new();
    // Devices with a difference that does not count yet, by when it does.
    let mut pending = BTreeSet::<(Instant, Target)>::new();
    let tell = async |target: &Target, spec: &TargetSpec, now: Instant| {
        let view = Arc::clone(&ears.views.borrow());
        if let Some(event) = drift.event(&view, spec, now) {
            // A core that has ended is told nothing.
            let _ = events.send(event).await;
        }
        drift.report(target);
        drift.heard(target).next_counts(now)
    };
    loop {
        let heard = tokio::select! {
            biased;
            () = events.closed() => return,
            new = drift.to_listen_to() => {
                notices.extend(new.iter().filter_map(|target| ears.listen_to(target)));
                continue;
            }
            () = until(pending.first()) => {
                if let Some((_, target)) = pending.pop_first()
                    && let Some(spec) = ears.targets.spec(&target)
                    && let Some(next) = tell(&target, &spec, Instant::now()).await
                {
                    pending.insert((next, target));
                }
                continue;
            }
            Some(heard) = notices.next(), if !notices.is_empty() => heard,
        };
        let Some(Understood { spec, connection, heard, at }) = heard else { continue };
        let target = spec.name.clone();
        if heard.is_to_be_heard_anew() {
            // What was watched before ends with this.
            notices.extend(ears.listen_to(&target));
        }
        drift.set(target.clone(), heard);
        if !ears.is_of_now(&target, connection) {
            // The link ended meanwhile, and with it what was heard is forgotten: perhaps just before.
            drift.forget(&target);
            continue;
        }
        if let Some(next) = tell(&target, &spec, at).await {
            pending.insert((next, target));
        }
    }
}

/// What it takes to understand what devices tell.
struct Ears {
    drift: Arc<Drift>,
    links: Weak<Links>,
    targets: Arc<Targets>,
    views: watch::Receiver<Arc<View>>,
}

/// What a device told, in the terms of what is wanted of it.
struct Understood {
    spec: Arc<TargetSpec>,
    connection: Connection,
    heard: Heard,
    at: Instant,
}

/// What one device tells; none: nothing came of it.
type Notices = Pin<Box<dyn Stream<Item = Option<Understood>> + Send>>;

impl Ears {
    /// Begins to watch a device: all of it is told first. What it tells is looked at one by one, and side by side with what
    /// others do.
    fn listen_to(self: &Arc<Self>, target: &Target) -> Option<Notices> {
        let ignore = self.targets.spec(target)?.ignore.clone();
        let told = self.links.upgrade()?.get(target)?.watch(Watch { ignore });
        let (ears, target) = (Arc::clone(self), target.clone());
        let understood = ReceiverStream::new(told).then(move |noticed| {
            let (ears, target) = (Arc::clone(&ears), target.clone());
            async move { ears.understand(&target, noticed).await }
        });
        Some(Box::pin(understood))
    }

    async fn understand(&self, target: &Target, noticed: Noticed) -> Option<Understood> {
        let connection = noticed.connection;
        let of_now = self.is_of_now(target, connection);
        let spec = self.targets.spec(target).filter(|_| of_now)?;
        let (view, before) = (Arc::clone(&self.views.borrow()), self.drift.heard(target));
        // As long as the configuration, where the device told of all of it.
        let little = heard::is_little(&view.applied(target), &before, &noticed.notice);
        let (there, at) = (Arc::clone(&spec), Instant::now());
        let heard = aside(little, move || heard::heard(&there, &view, &before, noticed, at)).await;
        Some(Understood { spec, connection, heard: heard.ok()?, at })
    }

    fn is_of_now(&self, target: &Target, connection: Connection) -> bool {
        self.links.upgrade().is_some_and(|links| links.is_of_now(target, connection))
    }
}

/// Waits for the first of those that are pending.
async fn until(first: Option<&(Instant, Target)>) {
    match first {
        Some((at, _)) => tokio::time::sleep_until(*at).await,
        None => std::future::pending().await,
    }
}

/// What is applied once the device has what is being sent to it.
fn coming(view: &View, target: &Target, applied: &Configuration) -> Configuration {
    let mut coming = applied.clone();
    let head = view.apply_head(target).and_then(|index| view.proposal(index, target));
    if let Some(proposal) = head {
        coming.apply_values(&proposal.delta);
    }
    coming
}

#[cfg(test)]
mod tests;
