//! What was heard of one device, and what a notice changes of that.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use lockstep_protocol::View;
use lockstep_southbound::{Notice, Noticed, Watch};
use lockstep_types::{Configuration, Connection, Content, Path, Unit};
use tokio::time::Instant;

use crate::aside::FEW;
use crate::target::TargetSpec;

/// So many differences of a device are kept; the others are counted.
pub(super) const KEPT: usize = 1000;

/// A difference counts once it has stood for so long: what a device tells of a change of ours may come after
/// the record of the next, and is no drift.
pub(super) const STANDS: Duration = Duration::from_secs(1);

/// Where a device is not as applied, as far as it told on a connection.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Heard {
    /// The connection.
    pub(super) connection: Connection,
    kept: BTreeMap<Path, Shows>,
    /// How many differences were not kept.
    pub(super) more: usize,
}

/// What a device shows at a path.
#[derive(Debug, PartialEq, Eq)]
struct Shows {
    /// What; none: nothing.
    content: Option<Content>,
    /// What was applied, if a change that was on its way explained the difference. Once something else is
    /// applied, that is what the device holds.
    before: Option<Unit>,
    /// When that was first heard.
    since: Instant,
}

impl Heard {
    /// What the device shows where it is not as applied.
    pub(super) fn shown<'a>(
        &'a self,
        applied: &'a Configuration,
    ) -> impl Iterator<Item = (&'a Path, &'a Option<Content>)> {
        let stands = |(path, shows): &(&Path, &Shows)| {
            shows.before.as_ref().is_none_or(|before| applied.unit(path) == *before)
        };
        self.kept.iter().filter(stands).map(|(path, shows)| (path, &shows.content))
    }

    /// Whether what is shown at a path has stood for long enough.
    pub(super) fn counts(&self, path: &Path, now: Instant) -> bool {
        self.kept.get(path).is_some_and(|shows| now >= shows.since + STANDS)
    }

    /// When the next difference has stood for long enough; none: each has.
    pub(super) fn next_counts(&self, now: Instant) -> Option<Instant> {
        self.kept.values().map(|shows| shows.since + STANDS).filter(|at| *at > now).min()
    }

    /// Whether there are differences, and none of them is kept.
    pub(super) fn is_to_be_heard_anew(&self) -> bool {
        self.kept.is_empty() && self.more > 0
    }

    /// Whether it is all as applied, as far as it told.
    pub(super) fn is_nothing(&self) -> bool {
        self.kept.is_empty() && self.more == 0
    }

    /// What the device is thought to hold.
    pub(super) fn holding(&self, applied: &Configuration) -> Configuration {
        let mut held = applied.clone();
        let shown = self.shown(applied);
        held.apply_values(&shown.map(|(path, shows)| (path.clone(), shows.clone())).collect());
        held
    }

    /// Keeps what is held at these paths, as far as there is room. What was shown before stands since then.
    fn keep(
        &mut self,
        held: &Configuration,
        paths: impl Iterator<Item = Path>,
        before: &Self,
        now: Instant,
    ) {
        for path in paths {
            if self.kept.len() < KEPT {
                let content = held.get(&path).cloned();
                let same = before.kept.get(&path).filter(|shows| shows.content == content);
                let since = same.map_or(now, |shows| shows.since);
                self.kept.insert(path, Shows { content, before: None, since });
            } else {
                self.more += 1;
            }
        }
    }

    /// Notes what a change that is on its way explains.
    fn explain(&mut self, spec: &TargetSpec, view: &View, applied: &Configuration) {
        let strange: BTreeSet<Path> = {
            let shown = self.kept.iter().map(|(path, shows)| (path, &shows.content));
            let strange = view.not_as_wanted(&spec.name, shown).into_iter();
            strange.map(|(path, _)| path.clone()).collect()
        };
        for (path, shows) in self.kept.iter_mut().filter(|(path, _)| !strange.contains(*path)) {
            shows.before = Some(applied.unit(path));
        }
    }
}

/// Whether it is little to look at what was told.
pub(super) fn is_little(applied: &Configuration, before: &Heard, notice: &Notice) -> bool {
    let told = match notice {
        Notice::All(held) => applied.len().max(held.len()),
        // What is cleared may be as much as there is.
        Notice::Changed(edit) if !edit.clear.is_empty() => applied.len(),
        Notice::Changed(edit) => edit.set.len() + edit.add.len(),
    };
    told + before.kept.len() <= FEW
}

/// Where the device differs now from what is applied. The cost follows what was told.
pub(super) fn heard(
    spec: &TargetSpec,
    view: &View,
    before: &Heard,
    noticed: Noticed,
    at: Instant,
) -> Heard {
    let Noticed { connection, notice } = noticed;
    let mut now = Heard { connection, ..Heard::default() };
    // Before it was brought in line once, what it holds is its own.
    if !view.header(&spec.name).met {
        return now;
    }
    let nothing = Heard::default();
    let before = if before.connection == connection { before } else { &nothing };
    let applied = view.applied(&spec.name);
    let (held, told): (Configuration, BTreeSet<Path>) = match notice {
        Notice::All(held) => {
            let differs = applied.diff(&held);
            (*held, differs.paths().cloned().collect())
        }
        Notice::Changed(edit) => {
            let mut held = before.holding(&applied);
            let delta = edit.onto(&held);
            held.apply_values(&delta);
            now.more = before.more;
            (held, delta.paths().chain(before.kept.keys()).cloned().collect())
        }
    };
    let watch = Watch { ignore: spec.ignore.clone() };
    let differs = |path: &Path| !watch.ignores(path) && spec.models.differs(&held, &applied, path);
    now.keep(&held, told.into_iter().filter(differs), before, at);
    now.explain(spec, view, &applied);
    now
}
