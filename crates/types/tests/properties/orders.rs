//! The order of paths, and finding subtrees by it.

use lockstep_types::{Decimal64, Element, Path};
use proptest::collection::btree_set;
use proptest::prelude::{prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::sample::Index;

use crate::inputs::{configurations, decimals, few_paths, few_patterns};

/// Whether those that pass the test stand next to each other.
fn contiguous(paths: &[Path], test: impl Fn(&Path) -> bool) -> bool {
    let inside = paths.iter().skip_while(|path| !test(path)).skip_while(|path| test(path));
    inside.filter(|path| test(path)).count() == 0
}

/// The start of a path, without some of its keys.
fn loosened(path: &Path, length: usize, dropped: u8) -> Path {
    let loosen = |element: &Element| {
        let kept = element.keys().iter().enumerate().filter(|(at, _)| dropped & (1 << at) == 0);
        let bare = Element::new(element.name()).expect("a name");
        kept.fold(bare, |element, (_, (key, value))| element.with_key(key, value).expect("a key"))
    };
    path.elements().iter().take(length).map(loosen).collect()
}

proptest! {
    /// Everything that starts with a path follows it without a gap, and so do all entries of the
    /// list it may name.
    #[test]
    fn subtrees_have_no_gaps(paths in btree_set(few_paths(), 1..40)) {
        let paths: Vec<_> = paths.into_iter().collect();
        for (at, root) in paths.iter().enumerate() {
            prop_assert!(contiguous(&paths, |path| root.is_prefix_of(path)), "{:?}", root);
            prop_assert!(paths[..at].iter().all(|before| !root.is_prefix_of(before)));
            let Some((last, above)) = root.elements().split_last() else { continue };
            let in_list = |path: &Path| {
                path.elements().starts_with(above)
                    && path.elements().get(above.len()).is_some_and(|here| here.name() == last.name())
            };
            prop_assert!(contiguous(&paths, in_list), "{:?}", root);
            if let Some(list) = root.list() {
                prop_assert!(list < *root && in_list(&list));
            }
        }
    }

    /// A scan finds what looking at everything finds.
    #[test]
    fn under_finds_what_is_covered(
        tree in configurations(),
        root in prop_oneof![few_paths(), few_patterns()],
    ) {
        let found: Vec<_> = tree.under(&root).collect();
        let expected: Vec<_> = tree.units().filter(|(path, _)| root.covers(path)).collect();
        prop_assert_eq!(found, expected);
    }

    /// Also when a key was left out that sorts before those that were given.
    #[test]
    fn under_finds_what_a_looser_path_covers(
        tree in configurations(), pick: Index, length in 1..4_usize, dropped in 0..8_u8,
    ) {
        let paths: Vec<_> = tree.units().map(|(path, _)| path).collect();
        if !paths.is_empty() {
            let root = loosened(paths[pick.index(paths.len())], length, dropped);
            let found: Vec<_> = tree.under(&root).map(|(path, _)| path).collect();
            let expected: Vec<_> = paths.into_iter().filter(|path| root.covers(path)).collect();
            prop_assert!(!found.is_empty());
            prop_assert_eq!(found, expected);
        }
    }

    /// Decimals are ordered as numbers, and print and parse are inverse.
    #[test]
    fn decimals_are_exact(a in decimals(), b in decimals()) {
        let scale = |d: Decimal64| {
            i128::from(d.digits()) * 10_i128.pow(18 - u32::from(d.fraction_digits()))
        };
        prop_assert_eq!(a.cmp(&b), scale(a).cmp(&scale(b)));
        prop_assert_eq!(a == b, scale(a) == scale(b));
        prop_assert_eq!(a.to_string().parse(), Ok(a));
        prop_assert_eq!(a.scaled(a.fraction_digits()), Some(a.digits()));
    }
}
