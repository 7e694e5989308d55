//! What was heard of one device, and what a notice changes of that.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_protocol::View;
use lockstep_southbound::{Notice, Noticed, Watch};
use lockstep_types::{Configuration, Connection, Content, Path, Unit};

use crate::target::TargetSpec;

/// So many differences of a device are kept; the others are counted.
pub(super) const KEPT: usize = 1000;

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

    /// Keeps what is held at these paths, as far as there is room.
    fn keep(&mut self, held: &Configuration, paths: impl Iterator<Item = Path>) {
        for path in paths {
            if self.kept.len() < KEPT {
                let content = held.get(&path).cloned();
                self.kept.insert(path, Shows { content, before: None });
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

/// Where the device differs now from what is applied. The cost follows what was told.
pub(super) fn heard(spec: &TargetSpec, view: &View, before: &Heard, noticed: Noticed) -> Heard {
    let Noticed { connection, notice } = noticed;
    let mut now = Heard { connection, ..Heard::default() };
    // Before it was brought in line once, what it holds is its own.
    if !view.header(&spec.name).met {
        return now;
    }
    let applied = view.applied(&spec.name);
    let (held, told): (Configuration, BTreeSet<Path>) = match notice {
        Notice::All(held) => {
            let differs = applied.diff(&held);
            (*held, differs.paths().cloned().collect())
        }
        Notice::Changed(edit) => {
            let nothing = Heard::default();
            let before = if before.connection == connection { before } else { &nothing };
            let mut held = before.holding(&applied);
            let delta = edit.onto(&held);
            held.apply_values(&delta);
            now.more = before.more;
            (held, delta.paths().chain(before.kept.keys()).cloned().collect())
        }
    };
    let watch = Watch { ignore: spec.ignore.clone() };
    let differs = |path: &Path| !watch.ignores(path) && spec.models.differs(&held, &applied, path);
    now.keep(&held, told.into_iter().filter(differs));
    now.explain(spec, view, &applied);
    now
}
