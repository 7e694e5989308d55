//! Changes to configurations.

use std::collections::BTreeSet;

use lockstep_types::{Configuration, Edit, Index, Path, Unit};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::{Strategy, prop_assert, prop_assert_eq, prop_oneof, proptest};

use crate::inputs::{configurations, deltas, few_contents, few_paths, few_patterns};

fn edits() -> impl Strategy<Value = Edit> {
    let clear = vec(prop_oneof![few_paths(), few_patterns()], 0..3);
    (clear, btree_map(few_paths(), few_contents(), 0..4)).prop_map(|(clear, set)| Edit {
        clear,
        set: set.into_iter().collect(),
        ..Edit::default()
    })
}

proptest! {
    /// The difference turns one into the other, touches nothing else, and is empty only then.
    #[test]
    fn diff_then_apply_is_the_wanted(have in configurations(), wanted in configurations()) {
        let delta = have.diff(&wanted);
        prop_assert!(delta.iter().all(|(path, to)| have.get(path) != to.as_ref()));
        prop_assert_eq!(delta.is_empty(), have.same_values(&wanted));
        let mut device = have;
        device.apply_values(&delta);
        prop_assert!(device.same_values(&wanted));
        prop_assert_eq!(device.digest(), wanted.digest());
    }

    /// Taking a change out right after it went in brings back every unit, tombstones and writers
    /// included; a device gets there by the contents alone.
    #[test]
    fn undo_after_apply_is_what_was(before in configurations(), delta in deltas()) {
        let writer = Index::new(9);
        let undo = before.before(&delta);
        let after = before.patched(&delta.written_by(writer));
        let back = after.patched(&after.without(writer, &undo));
        prop_assert_eq!(&back, &before);
        let mut device = after;
        device.apply_values(&undo.delta());
        prop_assert!(device.same_values(&before));
    }

    /// The tombstones that are listed by writer are those that stand, whatever was put in and taken out.
    #[test]
    fn absences_are_the_tombstones(
        before in configurations(), delta in deltas(), up_to in 0..12_u64,
    ) {
        let (writer, up_to) = (Index::new(9), Index::new(up_to));
        let after = before.patched(&delta.written_by(writer));
        let back = after.patched(&after.without(writer, &before.before(&delta)));
        for tree in [&before, &after, &back] {
            let tombstones = tree.units().filter(|(_, unit)| unit.content.is_none());
            let mut expected: Vec<_> = tombstones
                .filter(|(_, unit)| unit.writer <= up_to)
                .map(|(path, unit)| (unit.writer, path))
                .collect();
            expected.sort();
            let expected: Vec<_> = expected.into_iter().map(|(_, path)| path).collect();
            prop_assert_eq!(tree.absences(up_to).collect::<Vec<_>>(), expected);
        }
    }

    /// A change does what its delta says, in the name of its writer, and nothing else.
    #[test]
    fn with_sets_what_the_delta_says(before in configurations(), delta in deltas()) {
        let writer = Index::new(9);
        let after = before.patched(&delta.written_by(writer));
        for (path, content) in &delta {
            prop_assert_eq!(after.unit(path), Unit { content: content.clone(), writer });
        }
        let rest = |tree: &Configuration| {
            let rest = tree.units().filter(|(path, _)| delta.get(path).is_none());
            rest.map(|(path, unit)| (path.clone(), unit.clone())).collect::<Vec<_>>()
        };
        prop_assert_eq!(rest(&after), rest(&before));
    }

    /// One composed delta does what two do; composing is associative.
    #[test]
    fn compose_is_one_after_the_other(
        tree in configurations(), a in deltas(), b in deltas(), c in deltas(),
    ) {
        let (mut one, mut two) = (tree.clone(), tree);
        one.apply_values(&a.compose(&b));
        two.apply_values(&a);
        two.apply_values(&b);
        prop_assert_eq!(one, two);
        prop_assert_eq!(a.compose(&b).compose(&c), a.compose(&b.compose(&c)));
    }

    /// An edit clears what stands under its paths and then sets; nothing else is touched.
    #[test]
    fn an_edit_resolves_to_an_explicit_delta(
        edit in edits(), standing in btree_set(few_paths(), 0..24),
    ) {
        let delta = edit.resolve(&Configuration::new(), standing.iter().chain(&standing));
        let cleared = |path: &Path| edit.clear.iter().any(|clear| clear.covers(path));
        let expected: BTreeSet<_> = standing.iter().filter(|path| cleared(path)).chain(edit.set.keys()).collect();
        prop_assert_eq!(delta.paths().collect::<BTreeSet<_>>(), expected);
        for (path, content) in &delta {
            prop_assert_eq!(content.as_ref(), edit.set.get(path));
            prop_assert!(edit.touches(path));
        }
        prop_assert!(standing.iter().all(|path| edit.touches(path) == delta.get(path).is_some()));
    }

    /// Deleting the subtrees that are listed removes every absent unit, and no listed one lies in
    /// another.
    #[test]
    fn removals_are_enough_and_no_more(delta in deltas()) {
        let removals = delta.removals();
        let absent: Vec<_> = delta.iter().filter(|(_, to)| to.is_none()).map(|(path, _)| path).collect();
        let within = |root: &Path, path: &Path| root.is_prefix_of(path)
            || (0..=path.elements().len()).any(|length| {
                let above = Path::new(path.elements()[..length].iter().cloned());
                above.list().as_ref() == Some(root)
            });
        for path in &absent {
            prop_assert!(removals.iter().any(|root| within(root, path)), "{:?}", path);
        }
        for (path, root) in removals.iter().flat_map(|a| removals.iter().map(move |b| (a, b))) {
            prop_assert!(path == root || !within(root, path), "{:?} in {:?}", path, root);
            prop_assert!(absent.contains(path));
        }
    }

    /// Relinking an undo to a change that it does not rest on leaves it alone.
    #[test]
    fn relinking_is_for_what_is_gone(tree in configurations(), delta in deltas()) {
        let mut undo = tree.before(&delta);
        let same = undo.clone();
        let gone = same.clone();
        prop_assert!(!undo.relink(Index::new(9), &gone));
        prop_assert_eq!(undo, same);
    }
}
