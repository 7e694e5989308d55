//! Wildcards, against a matcher that simply tries everything.

use lockstep_types::{Element, Path};
use proptest::prelude::{prop_assert_eq, proptest};

use crate::inputs::{few_paths, few_patterns};

fn accepts(pattern: &Element, element: &Element) -> bool {
    let fits = |wanted: &str, found: &str| wanted == "*" || wanted == found;
    let key = |key: &str| element.keys().get(key);
    fits(pattern.name(), element.name())
        && pattern
            .keys()
            .iter()
            .all(|(name, wanted)| key(name).is_some_and(|found| fits(wanted, found)))
}

fn naive(pattern: &[Element], path: &[Element]) -> bool {
    match (pattern, path) {
        ([], _) => path.is_empty(),
        ([many, rest @ ..], _) if many.name() == "..." => {
            (0..=path.len()).any(|taken| naive(rest, &path[taken..]))
        }
        ([first, pattern @ ..], [element, path @ ..]) => {
            accepts(first, element) && naive(pattern, path)
        }
        (_, []) => false,
    }
}

proptest! {
    #[test]
    fn matches_agrees_with_trying_everything(path in few_paths(), pattern in few_patterns()) {
        prop_assert_eq!(path.matches(&pattern), naive(pattern.elements(), path.elements()));
    }

    /// A path is covered if it, or something above it, matches.
    #[test]
    fn what_matches_is_covered_with_all_below(path in few_paths(), pattern in few_patterns()) {
        let matches = |path: &Path| naive(pattern.elements(), path.elements());
        let expected = matches(&path) || path.ancestors().any(|above| matches(&above));
        prop_assert_eq!(pattern.covers(&path), expected);
    }

    /// Without wildcards, covering is element by element.
    #[test]
    fn a_plain_path_covers_element_by_element(root in few_paths(), path in few_paths()) {
        let pairs = || root.elements().iter().zip(path.elements());
        let expected = root.elements().len() <= path.elements().len()
            && pairs().all(|(ours, theirs)| ours.name() == theirs.name()
                && ours.keys().iter().all(|key| theirs.keys().iter().any(|other| other == key)));
        prop_assert_eq!(root.covers(&path), expected);
    }
}
