//! What is kept up with every change is what a rebuild would give.

use lockstep_types::{Configuration, Content, Path, Unit};
use proptest::collection::{btree_map, vec};
use proptest::prelude::{Just, Strategy, prop_assert_eq, proptest};

use crate::inputs::{configurations, contents, few_paths, units};

type Pairs = Vec<(Path, Content)>;

/// The same pairs twice, in two orders.
fn shuffled() -> impl Strategy<Value = (Pairs, Pairs)> {
    let pairs = btree_map(few_paths(), contents(), 0..12);
    pairs.prop_flat_map(|pairs| {
        let pairs: Vec<_> = pairs.into_iter().collect();
        (Just(pairs.clone()), Just(pairs).prop_shuffle())
    })
}

proptest! {
    #[test]
    fn digest_and_length_are_those_of_a_rebuild(
        tree in configurations(), changes in vec((few_paths(), units()), 0..24),
    ) {
        let mut changed = tree;
        for (path, unit) in changes {
            changed.assign(path, unit);
        }
        let live = changed.iter().map(|(path, content)| (path.clone(), content.clone()));
        let rebuilt: Configuration = live.collect();
        prop_assert_eq!(changed.digest(), rebuilt.digest());
        prop_assert_eq!(changed.len(), rebuilt.len());
        prop_assert_eq!(changed.len(), changed.iter().count());
        prop_assert_eq!(changed.is_empty(), changed.iter().next().is_none());
        prop_assert_eq!(changed.same_values(&rebuilt), true);
    }

    #[test]
    fn the_order_of_arrival_does_not_matter((sorted, shuffled) in shuffled()) {
        let (sorted, shuffled) =
            (Configuration::from_iter(sorted), Configuration::from_iter(shuffled));
        prop_assert_eq!(sorted.digest(), shuffled.digest());
        prop_assert_eq!(sorted, shuffled);
    }

    /// Different values have different digests (by chance, once in 2^64 tries).
    #[test]
    fn another_value_is_another_digest(a in configurations(), b in configurations()) {
        prop_assert_eq!(a.digest() == b.digest(), a.iter().eq(b.iter()));
        prop_assert_eq!(a.same_values(&b), a.iter().eq(b.iter()));
    }

    /// A unit that was never written leaves no trace.
    #[test]
    fn never_is_not_kept(tree in configurations(), path in few_paths()) {
        let mut changed = tree.clone();
        changed.assign(path.clone(), Unit::NEVER);
        prop_assert_eq!(changed.units().count(), tree.units().filter(|(p, _)| **p != path).count());
        changed.assign(path.clone(), tree.unit(&path));
        prop_assert_eq!(changed, tree);
    }
}
