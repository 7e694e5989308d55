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
use crate::record::{Drift, Initial, Kind, Mode, Proposal};
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
        if self.adoption(target, &seen).is_some() {
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
        let adopts = self.adoption(target, seen).is_some() && !paused;
        if self.view.undo_head(target).is_none() && adopts {
            if free {
                self.wake_append(out);
            }
            return;
        }
        self.desk.seen.remove(target);
        self.set_work(target, Work::Idle);
        self.wake_target(target, out);
    }

    /// What is to be recorded next of a device that has `seen`, and as what. None: nothing.
    pub(super) fn adoption(&self, target: &Target, seen: &Tree) -> Option<(Place, Delta)> {
        let header = self.view.header(target);
        let binding = self.view.binding(target)?;
        if !header.met {
            let own = binding.initial == Initial::Adopt && !seen.is_empty();
            // What was begun is ended, whatever became of the device meanwhile.
            let begun = !self.view.applied(target).is_empty();
            return (own || begun).then(|| self.below(target, seen));
        }
        // A device that is being brought in line was away: what differs is not what somebody wanted.
        let drifted = binding.drift == Drift::Adopt || header.adopting;
        let stayed = self.view.is_synchronised(target);
        let asked = drifted && stayed && self.view.is_settled(target);
        let differs = || {
            let applied = self.view.applied(target);
            let shown: Delta = applied.diff(seen);
            let unwanted = self.view.not_as_wanted(target, shown.iter()).into_iter();
            let ignored = |path| binding.ignore.iter().any(|pattern| pattern.covers(path));
            unwanted
                .filter(|(path, _)| !ignored(path))
                .map(|(path, own)| (path.clone(), own.clone()))
                .collect()
        };
        let delta: Delta = asked.then(differs)?;
        (!delta.is_empty()).then_some((Place::OnTop, delta))
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
    /// once.
    pub(super) fn adoptions(&self) -> Vec<Adoption> {
        let seen = self.desk.seen.iter().enumerate();
        let entries = seen.filter_map(|(number, target)| self.adoption_entry(number, target));
        entries.take(self.settings.records_per_write).collect()
    }

    fn adoption_entry(&self, number: usize, target: &Target) -> Option<Adoption> {
        let mastership = self.view.mastership(target).filter(|_| self.is_master(target))?;
        let link =
            self.desk.link(target).filter(|link| link.connection == mastership.connection)?;
        let Work::Answered(Outcome::Seen(seen)) = &link.work else { return None };
        let paused = self.view.header(target).paused;
        let free = self.view.undo_head(target).is_none() && link.up && !paused;
        let (place, delta) = self.adoption(target, seen).filter(|_| free)?;
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
            author: String::new(),
            comment: String::new(),
        });
        let (found, all) = (self.found(target, mastership.term), place != Place::Below);
        let adopted = Adopted { found, delta, all, anew: room };
        Some(Adoption { target: target.clone(), request, adopted })
    }
}
