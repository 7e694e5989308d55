//! What may come to stand on a target without anything new being decided.

use lockstep_types::{Configuration as Tree, Index, Target};

use super::View;
use crate::effect;
use crate::record::Status;

impl View {
    /// The committed tree without the entries behind `index` that are not recorded.
    #[must_use]
    pub(crate) fn committed_up_to(&self, target: &Target, index: Index) -> Tree {
        let mut tree = self.committed(target);
        let mut behind: Vec<Index> = self.apply_queue(target).filter(|k| *k > index).collect();
        behind.reverse();
        for later in behind {
            tree = self.taken_out(target, later, &tree);
        }
        tree
    }

    /// Every tree that may be the committed one without a decision on it as a whole: as it is, and as a
    /// refusal, a cancel, a deadline, the decision on what is prepared or the end of a window may leave
    /// it. One in which no change stands is left out:
    /// whatever comes next is validated as a whole there.
    ///
    /// Whoever binds the target to other models has to find all of these valid.
    #[must_use]
    pub fn may_stand(&self, target: &Target) -> Vec<Tree> {
        let holder = self.header(target).holder.filter(|holder| {
            self.transaction(*holder).is_some_and(|holder| holder.status == Status::Committed)
        });
        let window = self.window_on(target).filter(|t| t.open_until().is_some());
        let window = window.map(|t| t.index);
        let mut open: Vec<Index> = self.apply_queue(target).chain(holder).chain(window).collect();
        open.sort_unstable();
        open.dedup();
        let mut tree = self.committed(target);
        let mut trees = Vec::new();
        let mut standing: Vec<Index> = self.live(target).collect();
        while let Some(last) = open.pop() {
            let below = self.taken_out(target, last, &tree);
            trees.push((!standing.is_empty(), std::mem::replace(&mut tree, below)));
            standing.retain(|index| *index < last);
        }
        trees.push((!standing.is_empty(), tree));
        trees.extend(self.prepared(target).map(|tree| (true, tree)));
        let stands = trees.into_iter().filter(|(stands, tree)| *stands || !tree.is_empty());
        stands.map(|(_, tree)| tree).collect()
    }

    /// The committed tree with the transaction that is prepared on it.
    fn prepared(&self, target: &Target) -> Option<Tree> {
        let holder = self.header(target).holder?;
        let transaction = self.transaction(holder).filter(|_| self.is_prepared(holder, target))?;
        let committed = self.committed(target);
        Some(committed.patched(&effect::with(self, transaction, target, &committed)))
    }

    fn taken_out(&self, target: &Target, index: Index, tree: &Tree) -> Tree {
        let Some(transaction) = self.transaction(index) else { return tree.clone() };
        tree.patched(&effect::without(self, transaction, target, tree))
    }
}
