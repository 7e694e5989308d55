//! Chains of writers: changes leave in any order, and what remains is the fold of the others.

use std::collections::BTreeMap;

use lockstep_types::{Configuration, Delta, Index, Undo};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, prop_assert_eq, proptest};
use proptest::sample::subsequence;

use crate::inputs::deltas;

/// A target with the changes that are in its configuration.
#[derive(Default)]
struct Target {
    tree: Configuration,
    undos: BTreeMap<Index, Undo>,
}

impl Target {
    fn write(&mut self, writer: Index, delta: &Delta) {
        self.undos.insert(writer, self.tree.before(delta));
        self.tree.patch(&delta.written_by(writer));
    }

    fn remove(&mut self, gone: Index) {
        let undo = self.undos.remove(&gone).expect("a change that is there");
        self.tree.patch(&self.tree.without(gone, &undo));
        for later in self.undos.range_mut(gone..).map(|(_, later)| later) {
            later.relink(gone, &undo);
        }
    }

    fn fold<'a>(changes: impl Iterator<Item = (Index, &'a Delta)>) -> Self {
        let mut target = Self::default();
        changes.for_each(|(writer, delta)| target.write(writer, delta));
        target
    }
}

fn numbered(changes: &[Delta]) -> impl Iterator<Item = (Index, &Delta)> {
    (1..).map(Index::new).zip(changes)
}

/// Changes, and some of their numbers in the order in which they leave.
fn histories() -> impl Strategy<Value = (Vec<Delta>, Vec<u64>)> {
    vec(deltas(), 1..8).prop_flat_map(|changes| {
        let numbers: Vec<u64> = (1..).take(changes.len()).collect();
        let most = numbers.len();
        let leaving = subsequence(numbers, 0..=most).prop_shuffle();
        (Just(changes), leaving)
    })
}

proptest! {
    /// After each removal the units and every undo that is left are those of a target
    /// where the change never was.
    #[test]
    fn chain_removal_is_the_fold_of_the_rest((changes, leaving) in histories()) {
        let mut target = Target::fold(numbered(&changes));
        for (count, gone) in leaving.iter().enumerate() {
            target.remove(Index::new(*gone));
            let left = &leaving[..=count];
            let rest = numbered(&changes).filter(|(writer, _)| !left.contains(&writer.get()));
            let expected = Target::fold(rest);
            prop_assert_eq!(&target.tree, &expected.tree);
            prop_assert_eq!(&target.undos, &expected.undos);
        }
    }

    /// A change that comes after removals builds on the mended chain.
    #[test]
    fn changes_after_a_removal_chain_on((changes, leaving) in histories(), later in deltas()) {
        let writer = Index::new(100);
        let mut target = Target::fold(numbered(&changes));
        leaving.iter().for_each(|gone| target.remove(Index::new(*gone)));
        target.write(writer, &later);
        let rest = numbered(&changes).filter(|(writer, _)| !leaving.contains(&writer.get()));
        let expected = Target::fold(rest.chain([(writer, &later)]));
        prop_assert_eq!(&target.tree, &expected.tree);
        prop_assert_eq!(&target.undos, &expected.undos);
    }

    /// With all changes gone, nothing is left: not a unit, not a tombstone.
    #[test]
    fn the_empty_fold_is_empty((changes, _) in histories(), from_the_end: bool) {
        let mut target = Target::fold(numbered(&changes));
        let mut numbers: Vec<_> = numbered(&changes).map(|(writer, _)| writer).collect();
        if from_the_end {
            numbers.reverse();
        }
        numbers.into_iter().for_each(|gone| target.remove(gone));
        prop_assert_eq!(target.tree, Configuration::new());
    }
}
