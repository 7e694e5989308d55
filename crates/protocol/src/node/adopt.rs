//! A device that has what nobody asked of it: when it is first met, or was changed behind our back.
//!
//! What it has is recorded, or the device is changed back; which of them, its binding says, or an operator.
//! Nothing is recorded of a device that may have something of ours under way, for then nobody can tell
//! whose it is. When a device is first met nothing of ours ever was.

use std::collections::BTreeSet;
use std::sync::Arc;

use lockstep_types::{Configuration as Tree, Delta, Edit, Path, Target, Term, Timestamp};

use super::Node;
use super::link::{Outcome, Work};
use crate::command::Command;
use crate::event::Wake;
use crate::record::{Binding, Drift, ITSELF, Initial, Kind, Mode, Proposal};
use crate::request::{Body, Request, Until};
use crate::step::Adopted;

/// How many records an adoption writes besides the proposals it is put below: the head of the log, the
/// entry with its id and proposal, the configuration.
const RECORDS: usize = 6;

/// Where what is recorded of a device comes to lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Below everything; there is more.
    Below,
    /// Below everything, and that is all.
    LastBelow,
    /// On top of everything.
    OnTop,
}

/// The queued entries that what lies at a path makes a difference to: the first that touches it, all that add
/// to what is there, and whatever was asked without an edit: a Restore.
fn touching(queue: &[&Proposal], path: &Path) -> impl Iterator<Item = usize> {
    let first = queue.iter().position(|p| p.delta.get(path).is_some() || p.edit.clears(path));
    let restores = |p: &Proposal| p.edit == Edit::default();
    let adds = queue.iter().enumerate();
    let adds = adds.filter(move |(_, p)| p.edit.add.contains_key(path) || restores(p));
    first.into_iter().chain(adds.map(|(at, _)| at))
}

/// What is to be recorded of a device.
pub(super) struct Adoption {
    pub(super) target: Target,
    pub(super) request: Arc<Request>,
    pub(super) adopted: Adopted,
}

impl Node {
    /// A device was changed behind our back.
    pub(super) fn drifted(&mut self, target: Target) -> Wake {
        if let Some(mut link) = self.desk.links.get_mut(&target) {
            link.drifted = link.up;
        }
        Wake::Target(target)
    }

    /// Whoever changed a device has changed it back. Where something is to be done about it, that sees for itself.
    pub(super) fn in_line(&mut self, target: Target) -> Wake {
        let left_so = self.view.binding(&target).is_some_and(|b| b.drift == Drift::Report);
        if let Some(mut link) = self.desk.links.get_mut(&target).filter(|_| left_so) {
            link.drifted = false;
        }
        Wake::Target(target)
    }

    /// Whether a device is to be read though it is synchronised, and nothing is to be sent.
    pub(super) fn is_to_be_looked_at(&self, target: &Target) -> bool {
        if self.view.on_trial(target).is_some() {
            // What it shows is not what it holds, and it could not be changed.
            return false;
        }
        let drifted = self.desk.link(target).is_some_and(|link| link.drifted);
        let settled = || self.view.is_settled(target);
        match self.view.binding(target).map(|binding| binding.drift) {
            _ if self.view.header(target).adopting => settled(),
            Some(Drift::Adopt) => drifted && settled(),
            Some(Drift::Enforce) => drifted,
            Some(Drift::Report) | None => false,
        }
    }

    /// What a device has is known: adopted, or changed back.
    pub(super) fn looked(
        &mut self,
        target: &Target,
        term: Term,
        seen: Tree,
        out: &mut Vec<Command>,
    ) {
        let policy = self.view.binding(target).map(|binding| binding.drift);
        let adopts = self.view.header(target).adopting || policy == Some(Drift::Adopt);
        if (adopts && !self.view.is_settled(target)) || self.view.undo_head(target).is_some() {
            // Something came up meanwhile: it is looked at again when that is done.
            self.drifted(target.clone());
            return;
        }
        if self.is_to_be_adopted(target, &seen) {
            self.seen(target, seen);
        } else if policy == Some(Drift::Enforce) {
            self.push(target, term, seen, out);
        } else {
            let marks = self.marks(target, &Delta::default(), &seen);
            self.taken(target, Outcome::Synced { over: None, head: None, marks });
        }
    }

    /// What a device has is to be recorded, with the next append.
    pub(super) fn seen(&mut self, target: &Target, seen: Tree) {
        self.desk.seen.insert(target.clone());
        self.taken(target, Outcome::Seen(seen));
    }

    /// Has it recorded; or nothing is left of it to be.
    pub(super) fn adopt(&mut self, target: &Target, seen: &Tree, out: &mut Vec<Command>) {
        let free = self.desk.is_free(&Wake::Append, self.view.revision());
        let paused = self.view.header(target).paused;
        let adopts = |node: &Self| !paused && node.is_to_be_adopted(target, seen);
        if self.view.undo_head(target).is_none() && adopts(self) {
            if free {
                self.wake_append(out);
            }
            return;
        }
        self.desk.seen.remove(target);
        self.set_work(target, Work::Idle);
        self.wake_target(target, out);
    }

    /// Whether something is to be recorded of a device that has `seen`. Of one that is first met that may be all it
    /// has, which is not put together before it is written.
    pub(super) fn is_to_be_adopted(&self, target: &Target, seen: &Tree) -> bool {
        let Some(binding) = self.view.binding(target) else { return false };
        if self.view.header(target).met {
            self.differs(target, binding, seen).is_some()
        } else {
            self.has_its_own(target, binding, seen)
        }
    }

    /// What is to be recorded next of a device that has `seen`, and as what. None: nothing.
    fn adoption(&self, target: &Target, seen: &Tree) -> Option<(Place, Delta)> {
        let binding = self.view.binding(target)?;
        if self.view.header(target).met {
            Some((Place::OnTop, self.differs(target, binding, seen)?))
        } else {
            self.has_its_own(target, binding, seen).then(|| self.below(target, seen))
        }
    }

    /// Whether a device that is first met has something to be recorded.
    fn has_its_own(&self, target: &Target, binding: &Binding, seen: &Tree) -> bool {
        let own = binding.initial == Initial::Adopt && !seen.is_empty();
        // What was begun is ended, whatever became of the device meanwhile.
        let begun = !self.view.applied(target).is_empty();
        own || begun
    }

    /// Where a device that was met is not as applied, if that is to be recorded.
    fn differs(&self, target: &Target, binding: &Binding, seen: &Tree) -> Option<Delta> {
        // A device that is being brought in line was away: what differs is not what somebody wanted.
        let drifted = binding.drift == Drift::Adopt || self.view.header(target).adopting;
        let stayed = self.view.is_synchronised(target);
        if !(drifted && stayed && self.view.is_settled(target)) {
            return None;
        }
        let shown = self.view.applied(target).diff(seen);
        let unwanted = self.view.not_as_wanted(target, shown.iter()).into_iter();
        let ignored = |path| binding.ignore.iter().any(|pattern| pattern.covers(path));
        let unwanted = unwanted.filter(|(path, _)| !ignored(path));
        let delta: Delta = unwanted.map(|(path, own)| (path.clone(), own.clone())).collect();
        (!delta.is_empty()).then_some(delta)
    }

    /// What a device has that is first met, as much of it as one write can put below what waits: each unit
    /// changes what the first that touches it would give back.
    fn below(&self, target: &Target, seen: &Tree) -> (Place, Delta) {
        let applied = self.view.applied(target);
        let left = seen.iter().filter(|(path, _)| applied.get(path).is_none());
        let queue = self.view.apply_queue(target);
        let queue: Vec<_> = queue.filter_map(|index| self.view.proposal(index, target)).collect();
        let room = self.room();
        if queue.len() <= room {
            let all = left.map(|(path, own)| (path.clone(), Some(own.clone())));
            return (Place::LastBelow, all.collect());
        }
        let (mut touched, mut delta) = (BTreeSet::new(), Delta::default());
        let mut place = Place::LastBelow;
        for (path, own) in left {
            let more: BTreeSet<usize> = touching(&queue, path).collect();
            let full = touched.union(&more).count() > room;
            if full && !delta.is_empty() {
                place = Place::Below;
                continue;
            }
            touched.extend(more);
            delta.insert(path.clone(), Some(own.clone()));
        }
        (place, delta)
    }

    /// How many queued entries one write can decide anew.
    fn room(&self) -> usize {
        self.settings.records_per_write.saturating_sub(RECORDS).max(1)
    }

    /// Drops what was seen of devices on connections that are gone.
    pub(super) fn forget_seen(&mut self) {
        let links = &self.desk.links;
        let is_seen = |target: &Target| {
            let link = links.get(target);
            link.is_some_and(|link| matches!(link.work, Work::Answered(Outcome::Seen(_))))
        };
        self.desk.seen.retain(is_seen);
    }

    /// What is to be recorded of devices now, as entries: no more than fit a write, for all of a network may be met at
    /// once. Each is put together when it is asked for.
    pub(super) fn adoptions(&self) -> impl Iterator<Item = Adoption> {
        let seen = self.desk.seen.iter().enumerate();
        let entries = seen.filter_map(|(number, target)| self.adoption_entry(number, target));
        entries.take(self.settings.records_per_write)
    }

    fn adoption_entry(&self, number: usize, target: &Target) -> Option<Adoption> {
        let mastership = self.view.mastership(target).filter(|_| self.is_master(target))?;
        let link =
            self.desk.link(target).filter(|link| link.connection == mastership.connection)?;
        let Work::Answered(Outcome::Seen(seen)) = &link.work else { return None };
        let paused = self.view.header(target).paused;
        let free = self.view.undo_head(target).is_none() && link.up && !paused;
        let (place, delta) = free.then(|| self.adoption(target, seen)).flatten()?;
        let room = self.room().min(self.view.apply_queue(target).count());
        let request = Arc::new(Request {
            id: self.unused_id("adopt", &format!("{}.{number}", self.view.head().index))?,
            body: Body {
                kind: Kind::Adopt { first: place != Place::OnTop },
                mode: Mode::Atomic,
                edits: [(target.clone(), Edit::default())].into(),
                only: [].into(),
                window: None,
                binding: None,
            },
            until: Until::Outcome,
            deadline: Timestamp::new(u64::MAX),
            answer_by: None,
            author: self.author_of_adoption(target, place),
            comment: String::new(),
        });
        let (found, all) = (self.found(target, mastership.term), place != Place::Below);
        let adopted = Adopted { found, delta, all, anew: room };
        Some(Adoption { target: target.clone(), request, adopted })
    }
    /// Whoever ordered it. What a device has when it is first met, or where its binding has what it shows adopted, nobody
    /// orders.
    fn author_of_adoption(&self, target: &Target, place: Place) -> String {
        let header = self.view.header(target);
        let ordered = header.adopting && place == Place::OnTop;
        if ordered { header.adopting_for.clone() } else { ITSELF.into() }
    }
}
