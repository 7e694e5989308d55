//! Targets that come, are bound anew and go while the node runs. Whatever is to be done about one is read
//! off its binding, so that it does not matter which node was asked, or when this one was started.

use std::collections::BTreeSet;
use std::sync::Arc;

use lockstep_protocol::record::Key;
use lockstep_protocol::{Changes, Event, Op, View};
use lockstep_types::{ModelDigest, Target, Term};

use crate::feed::Touched;
use crate::handle::NewModels;
use crate::runtime::Runtime;
use crate::targets::Entry;

/// The targets whose bindings a revision wrote.
pub(crate) fn bound(changes: &Changes) -> Vec<Target> {
    let target = |op: &Op| match op {
        Op::Binding { target, .. } | Op::Forget(Key::Binding(target)) => Some(target.clone()),
        _ => None,
    };
    changes.ops.iter().filter_map(target).collect()
}

/// The targets of which a revision wrote what is wanted, or what they make of it.
pub(crate) fn written(changes: &Changes) -> Vec<Target> {
    let target = |op: &Op| match op {
        Op::Configuration { target, .. } | Op::Marks { target, .. } => Some(target.clone()),
        _ => None,
    };
    changes.ops.iter().filter_map(target).collect()
}

/// The targets whose devices turn out to hold a value in a form of their own that was not known of before.
pub(crate) fn rewritten<'c>(view: &View, changes: &'c Changes) -> impl Iterator<Item = &'c Target> {
    changes.ops.iter().filter_map(|op| match op {
        Op::Marks { target, marks } => {
            let known = view.marks(target);
            let is_new = |(path, mark)| known.and_then(|known| known.get(path)) != Some(mark);
            marks.iter().any(is_new).then_some(target)
        }
        _ => None,
    })
}

/// The targets that an operator has looked after with a revision, whichever node was asked: they are to be brought in
/// line, or what they hold is to be recorded.
pub(crate) fn looked_after(changes: &Changes) -> impl Iterator<Item = &Target> {
    changes.ops.iter().filter_map(|op| match op {
        Op::Configuration { target, header, .. } => {
            let anew = header.synced == Term::ZERO && header.resync_refused.is_none();
            (anew || header.adopting).then_some(target)
        }
        _ => None,
    })
}

impl Runtime {
    /// Takes up every target that the store has when the node starts.
    pub(crate) fn begin_targets(&mut self) {
        let targets: Vec<Target> = self.core.view().targets().cloned().collect();
        for target in targets {
            // Nothing was connected yet that could be gone.
            let _none = self.bound_anew(&target);
        }
    }

    /// Serves a target as its binding says now. Gives back what the core has to be told, if that ended a
    /// connection.
    pub(crate) fn bound_anew(&mut self, target: &Target) -> Option<Event> {
        let shared = &self.shared;
        let Some(binding) = self.core.view().binding(target) else {
            shared.targets.remove(target);
            shared.visits.end(target);
            let gone = self.unlink(target);
            self.shared.drift.forget(target);
            return gone;
        };
        let before = shared.targets.get(target);
        let same = |before: &Entry| {
            let same_models = before.binding.models == binding.models;
            let same_way = || self.maker.devices.is_same(target, &before.binding, binding);
            before.unserved.is_none() && same_models && same_way()
        };
        if let Some(before) = before.filter(|before| same(before)) {
            let entry = self.maker.again(target, &before, binding);
            shared.targets.put(target.clone(), entry);
            if before.binding.ignore != binding.ignore {
                shared.drift.listen_to(target);
            }
            return None;
        }
        let entry = self.maker.make(target, binding);
        if let Some(unserved) = &entry.unserved {
            tracing::warn!(%target, reason = unserved.reason, "not connected to from here");
        }
        shared.targets.put(target.clone(), entry);
        shared.visits.end(target);
        let gone = self.unlink(target);
        if self.core.desk().reaches(target) {
            self.connect(target);
        }
        gone
    }

    /// Keeps up a connection to a device from now on, if it is served here.
    pub(crate) fn connect(&self, target: &Target) {
        let entry = self.shared.targets.get(target).filter(|_| self.links.get(target).is_none());
        if let Some(driver) = entry.and_then(|entry| entry.driver.clone()) {
            let last = self.core.view().mastership(target).map(|m| m.connection);
            self.links.begin(target, driver, last.unwrap_or_default());
            self.shared.drift.listen_to(target);
        }
    }

    /// The device is another node's to see to.
    pub(crate) fn disconnect(&self, target: &Target) {
        self.links.end(target);
        self.shared.drift.forget(target);
    }

    /// Ends the link to a target; the core hears nothing of that from the link itself.
    fn unlink(&self, target: &Target) -> Option<Event> {
        self.links.end(target);
        let link = self.core.desk().link(target).filter(|link| link.up)?;
        let connection = link.connection;
        Some(Event::Disconnected { target: target.clone(), connection })
    }

    /// There are other models. What waited for some of them goes on.
    pub(crate) fn have_models(&mut self, new: NewModels) {
        let NewModels { named, done } = new;
        let used = self.used_models();
        self.maker.models.replace(named, &used);
        let all = self.shared.targets.all();
        let unserved = all.iter().filter(|(_, entry)| entry.unserved.is_some());
        let unserved: BTreeSet<Target> = unserved.map(|(target, _)| target.clone()).collect();
        for target in &unserved {
            if let Some(gone) = self.bound_anew(target) {
                self.take_in(gone);
            }
        }
        // Whoever reads from a target may do so from now on, or with other models.
        let view = Arc::new(self.core.view().clone());
        self.shared.feed.tell(Touched::bound(unserved), view);
        self.validation.again();
        // Whoever asked may have gone.
        let _gone = done.send(());
    }

    /// The models that a target is bound to, or is to be.
    fn used_models(&self) -> BTreeSet<ModelDigest> {
        let view = self.core.view();
        let bound = view.targets().filter_map(|target| view.binding(target));
        let asked = view.open().filter_map(|transaction| transaction.binding.as_deref());
        bound.chain(asked).map(|binding| binding.models.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use lockstep_protocol::record::{Failure, Header};
    use lockstep_types::{Patch, Revision};

    use super::*;

    fn is_looked_after(header: Header) -> bool {
        let (target, patch) = (Target::new("leaf1").unwrap(), Patch::default);
        let (committed, applied) = (patch(), patch());
        let op = Op::Configuration { target, header, committed, applied, cleared: false };
        looked_after(&Changes { revision: Revision::ZERO.next(), ops: vec![op] }).count() == 1
    }

    #[test]
    fn an_order_is_seen_by_every_node_that_watches() {
        let synced = Term::new(3);
        assert!(!is_looked_after(Header { synced, ..Header::default() }));
        assert!(is_looked_after(Header { synced: Term::ZERO, ..Header::default() }));
        assert!(is_looked_after(Header { synced, adopting: true, ..Header::default() }));
        let refused = Some(Failure { code: "ABORTED".into(), message: "not now".into() });
        let refuses = Header { synced: Term::ZERO, resync_refused: refused, ..Header::default() };
        assert!(!is_looked_after(refuses), "that is the device's own doing");
    }
}
