//! What is read off a view: queues, their heads, and what readers are served.

use lockstep_types::{Configuration as Tree, Content, Index, Path, Target};

use super::{Queue, View};
use crate::effect;
use crate::record::{Header, Kind, PartStatus, Status, Transaction};

/// What is said of a target that nothing was ever decided about.
static NEW: Header = Header::NEW;

impl View {
    fn queue(&self, target: &Target) -> Option<&Queue> {
        self.queues.get(target)
    }

    /// Entries that are committed and not recorded here, in order.
    pub fn apply_queue(&self, target: &Target) -> impl Iterator<Item = Index> {
        self.queue(target).into_iter().flat_map(Queue::apply)
    }

    /// Changes whose values count as committed here, the latest first.
    pub fn live(&self, target: &Target) -> impl Iterator<Item = Index> {
        let since = self.header(target).since;
        let live = self.queue(target).into_iter().flat_map(|queue| queue.live().rev());
        live.take_while(move |index| *index > since)
    }

    /// Whether a change's values count as committed on a target: never those of an earlier one by the same
    /// name.
    #[must_use]
    pub fn is_live(&self, change: &Transaction, target: &Target) -> bool {
        change.is_live(target) && change.index > self.header(target).since
    }

    /// Those of them up to an entry.
    pub(super) fn live_up_to(&self, target: &Target, index: Index) -> impl Iterator<Item = Index> {
        let since = self.header(target).since;
        let live = self.queue(target).into_iter().flat_map(move |queue| queue.live_up_to(index));
        live.take_while(move |index| *index > since)
    }

    /// The header of a target's configuration.
    #[must_use]
    pub fn header(&self, target: &Target) -> &Header {
        self.configuration(target).map_or(&NEW, |configuration| &configuration.header)
    }

    /// The committed tree of a target.
    #[must_use]
    pub fn committed(&self, target: &Target) -> Tree {
        self.configuration(target).map(|c| c.committed.clone()).unwrap_or_default()
    }

    /// The applied tree of a target.
    #[must_use]
    pub fn applied(&self, target: &Target) -> Tree {
        self.configuration(target).map(|c| c.applied.clone()).unwrap_or_default()
    }

    /// The first entry that is not decided.
    #[must_use]
    pub fn commit_head(&self, target: &Target) -> Option<Index> {
        self.queue(target)?.commit().next()
    }

    /// The first entry that is committed and not recorded.
    #[must_use]
    pub fn apply_head(&self, target: &Target) -> Option<Index> {
        self.queue(target)?.apply().next()
    }

    /// The entry that is being reverted and not undone here.
    #[must_use]
    pub fn undo_head(&self, target: &Target) -> Option<Index> {
        self.queue(target)?.undo().next()
    }

    /// Whether the commit queue is held: by an open atomic transaction, or by rule 9.
    #[must_use]
    pub fn is_held(&self, target: &Target) -> bool {
        self.configuration(target)
            .is_some_and(|c| c.header.holder.is_some() || c.header.recheck.is_some())
    }

    /// Whether nothing is under way, waits or may yet be taken back by itself.
    #[must_use]
    pub fn is_settled(&self, target: &Target) -> bool {
        let heads = [self.commit_head(target), self.apply_head(target), self.undo_head(target)];
        let none = heads.iter().all(Option::is_none);
        none && !self.is_held(target) && self.window_on(target).is_none()
    }

    /// Whether a part of what a device had when it was first met is recorded, and the rest is not.
    #[must_use]
    pub fn is_half_adopted(&self, target: &Target) -> bool {
        !self.header(target).met && !self.applied(target).is_empty()
    }

    /// Whether the committed tree is known to be valid by the target's models, outside a recheck: some
    /// change stands, so it was found valid with that change, and with whatever was decided since. What
    /// nothing stands in may lack what the models demand.
    #[must_use]
    pub fn is_valid(&self, target: &Target) -> bool {
        let header = self.header(target);
        let latest = self.transaction(header.committed.revision);
        // Nobody asked the models about what a device was found to have.
        let adopted = latest.is_some_and(|latest| matches!(latest.kind, Kind::Adopt { .. }));
        header.recheck.is_none() && header.committed.revision != Index::ZERO && !adopted
    }

    /// Whether the device was brought in line in the current term of a live master.
    #[must_use]
    pub fn is_synchronised(&self, target: &Target) -> bool {
        self.master(target).is_some_and(|master| self.header(target).synced == master.term)
    }

    /// Those of these units, as a device shows them, that were changed behind our back: they are not as
    /// applied, nor in the device's own form of that, nor what is being sent or undone right now.
    pub fn not_as_wanted<'a>(
        &self,
        target: &Target,
        shown: impl IntoIterator<Item = (&'a Path, &'a Option<Content>)>,
    ) -> Vec<(&'a Path, &'a Option<Content>)> {
        let (applied, marks) = (self.applied(target), self.marks(target));
        let sent = self.apply_head(target).or_else(|| self.on_trial(target));
        let sent = sent.and_then(|index| self.transaction(index));
        let sent = sent.map(|head| effect::applied(self, head, target));
        let undone = self.undo_head(target).and_then(|index| self.transaction(index));
        let undone = undone.map(|head| effect::undone(self, head, target));
        let is_as_wanted = |path: &Path, shows: &Option<Content>| {
            let wanted = applied.get(path);
            let mut under_way = [&sent, &undone].into_iter().flatten();
            let mark = marks.and_then(|marks| marks.get(path));
            shows.as_ref() == wanted
                || mark.is_some_and(|mark| mark.wanted.as_ref() == wanted && mark.seen == *shows)
                || under_way.any(|delta| delta.get(path) == Some(shows))
        };
        shown.into_iter().filter(|(path, shows)| !is_as_wanted(path, shows)).collect()
    }

    /// Whether a transaction that is being reverted may have reached the device (rule 3): it is
    /// recorded there, or it was the head, which is sent before it is recorded.
    #[must_use]
    pub fn may_have_been_sent(&self, transaction: &Transaction, target: &Target) -> bool {
        !effect::has_nothing_to_send(self, transaction, target)
            && (transaction.part(target) == PartStatus::Applied
                || self.apply_head(target).is_none())
    }

    /// What readers are served: the committed values without an atomic transaction still open.
    #[must_use]
    pub fn visible(&self, target: &Target) -> Tree {
        let Some(configuration) = self.configuration(target) else {
            return Tree::new();
        };
        let committed = &configuration.committed;
        configuration
            .header
            .holder
            .and_then(|holder| self.transaction(holder))
            .filter(|holder| matches!(holder.status, Status::Committed | Status::Confirming))
            .map_or_else(
                || committed.clone(),
                |holder| committed.patched(&effect::without(self, holder, target, committed)),
            )
    }
}
