//! Both trees are one while the device has all that was decided, and never when it has not.

use lockstep_types::{Content, Index, Patch, Path, Unit};
use proptest::prelude::*;

use super::{Configuration, Header, Tree};

fn patch(units: &[(&str, Unit)]) -> Patch {
    units.iter().map(|(path, unit)| (path.parse().unwrap(), unit.clone())).collect()
}

fn written(by: u64) -> Unit {
    Unit::present(Content::leaf(by), Index::new(by))
}

#[test]
fn a_device_that_has_followed_takes_no_memory_of_its_own() {
    let mut configuration = Configuration::default();
    let (first, second) = (patch(&[("/a", written(1))]), patch(&[("/b", written(2))]));
    configuration.patch(&first, &Patch::new());
    configuration.patch(&second, &first);
    assert!(!configuration.committed.is_one_with(&configuration.applied), "/b is outstanding");
    configuration.patch(&Patch::new(), &second);
    assert!(configuration.committed.is_one_with(&configuration.applied));
}

#[test]
fn the_same_value_by_another_writer_is_not_the_same() {
    let mut configuration = Configuration::default();
    let (one, other) =
        (Unit::present(Content::leaf(1), Index::new(1)), Unit::absent(Index::new(2)));
    configuration.patch(&patch(&[("/a", one.clone())]), &patch(&[("/a", one)]));
    configuration.patch(&patch(&[("/b", other)]), &Patch::new());
    assert_eq!(
        configuration.applied.unit(&"/b".parse().unwrap()),
        Unit::NEVER,
        "a tombstone counts"
    );
}

fn unit() -> impl Strategy<Value = (Path, Unit)> {
    let units = prop_oneof![
        (1..4_u64).prop_map(written),
        (1..4_u64).prop_map(|by| Unit::absent(Index::new(by))),
        Just(Unit::NEVER)
    ];
    (prop_oneof![Just("/a"), Just("/b"), Just("/c")], units)
        .prop_map(|(path, unit)| (path.parse().unwrap(), unit))
}

fn units() -> impl Strategy<Value = Patch> {
    proptest::collection::vec(unit(), 0..3).prop_map(|units| units.into_iter().collect())
}

proptest! {
    #[test]
    fn the_trees_are_what_was_put_into_each(writes in proptest::collection::vec((units(), units()), 1..12)) {
        let mut configuration = Configuration::default();
        let (mut committed, mut applied) = (Tree::new(), Tree::new());
        for (decided, accepted) in &writes {
            configuration.patch(decided, accepted);
            committed.patch(decided);
            applied.patch(accepted);
            prop_assert_eq!(&configuration.committed, &committed);
            prop_assert_eq!(&configuration.applied, &applied);
            prop_assert_eq!(configuration.committed.is_one_with(&configuration.applied), committed == applied);
            let read = Configuration::new(Header::default(), committed.clone(), applied.clone());
            prop_assert_eq!(&read, &configuration);
        }
    }
}
