//! Devices that are changed behind our back: what each shows where it is not as applied.
//!
//! Only that is kept of a device, not what it holds: with the applied values it is the same, and as
//! small as the drift. Whether a difference is one is asked when somebody looks, for what is applied may
//! have changed since.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt;
use futures_util::stream::SelectAll;
use lockstep_protocol::View;
use lockstep_southbound::{Link, Notice, Noticed, Watch};
use lockstep_types::{Configuration, Content, Path, Target};
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio_stream::wrappers::ReceiverStream;

use crate::target::TargetSpec;

/// What a device shows at some paths; none: nothing.
type Shown = BTreeMap<Path, Option<Content>>;

/// Where devices are not as applied, as far as they were heard of.
#[derive(Debug, Default)]
pub(crate) struct Drift(Mutex<BTreeMap<Target, Arc<Shown>>>);

impl Drift {
    /// Where a device is not as it should be, in the order of paths: what it shows, and what is wanted.
    pub(crate) fn of(&self, view: &View, target: &Target) -> Vec<Difference> {
        let (shown, applied) = (self.shown(target), view.applied(target));
        let differ = shown.iter().filter(|(path, shows)| !view.is_as_wanted(target, path, shows));
        let difference = |(path, shows): (&Path, &Option<Content>)| Difference {
            path: path.clone(),
            shows: shows.clone(),
            wanted: applied.get(path).cloned(),
        };
        differ.map(difference).collect()
    }

    fn shown(&self, target: &Target) -> Arc<Shown> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(target).cloned().unwrap_or_default()
    }

    fn set(&self, target: Target, shown: Shown) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.is_empty() {
            all.remove(&target);
        } else {
            all.insert(target, Arc::new(shown));
        }
    }
}

/// A place where a device is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where.
    pub path: Path,
    /// What the device shows; none: nothing.
    pub shows: Option<Content>,
    /// What is wanted there; none: nothing.
    pub wanted: Option<Content>,
}

/// Listens to all devices until their links are gone.
pub(crate) async fn listen(
    drift: Arc<Drift>,
    mut notices: SelectAll<Notices>,
    targets: Arc<BTreeMap<Target, TargetSpec>>,
    views: watch::Receiver<Arc<View>>,
) {
    while let Some((target, noticed)) = notices.next().await {
        let Some(spec) = targets.get(&target).cloned() else { continue };
        let (view, before) = (Arc::clone(&views.borrow()), drift.shown(&target));
        // As long as the configuration, where the device told of all of it.
        let heard = spawn_blocking(move || heard(&spec, &view, &before, noticed.notice)).await;
        if let Ok(shown) = heard {
            drift.set(target, shown);
        }
    }
}

/// What one device tells.
pub(crate) type Notices =
    std::pin::Pin<Box<dyn futures_util::Stream<Item = (Target, Noticed)> + Send>>;

/// Begins to watch every device.
pub(crate) fn notices(
    links: &BTreeMap<Target, Link>,
    targets: &BTreeMap<Target, TargetSpec>,
) -> SelectAll<Notices> {
    let watched = targets.iter().filter_map(|(target, spec)| {
        let told = links.get(target)?.watch(Watch { ignore: spec.ignore.clone() });
        let target = target.clone();
        let named = ReceiverStream::new(told).map(move |noticed| (target.clone(), noticed));
        Some(Box::pin(named) as Notices)
    });
    watched.collect()
}

/// Where the device differs now from what is applied. The cost follows what was told.
fn heard(spec: &TargetSpec, view: &View, before: &Shown, notice: Notice) -> Shown {
    let watch = Watch { ignore: spec.ignore.clone() };
    let applied = view.applied(&spec.name);
    let (held, told): (Configuration, Vec<Path>) = match notice {
        Notice::All(held) => {
            let differs = applied.diff(&held);
            (held, differs.paths().cloned().collect())
        }
        Notice::Changed(edit) => {
            let mut held = holding(&applied, before);
            let delta = edit.onto(&held);
            held.apply_values(&delta);
            (held, delta.paths().chain(before.keys()).cloned().collect())
        }
    };
    let differs = |path: &Path| !watch.ignores(path) && spec.models.differs(&held, &applied, path);
    let told = told.into_iter().filter(differs);
    told.map(|path| (path.clone(), held.get(&path).cloned())).collect()
}

/// What the device is thought to hold.
fn holding(applied: &Configuration, shown: &Shown) -> Configuration {
    let mut held = applied.clone();
    held.apply_values(&shown.iter().map(|(path, shows)| (path.clone(), shows.clone())).collect());
    held
}
