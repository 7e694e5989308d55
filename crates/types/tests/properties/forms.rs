//! Serialised forms: what is written is read as the same, and a serialised form is never
//! ambiguous, because different things are read as different things.

use std::collections::BTreeMap;
use std::fmt::Debug;

use lockstep_types::{Configuration, Content, Delta, Edit, Index, Patch, Undo, Unit};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, proptest};
use proptest::test_runner::TestCaseError;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::inputs::{contents, nasty_path};

fn round_trip<T>(value: &T) -> Result<(), TestCaseError>
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let json = serde_json::to_string(value).expect("a serialised form");
    let read = serde_json::from_str::<T>(&json);
    prop_assert!(read.is_ok(), "{:?}: {}", read, json);
    prop_assert_eq!(&read.expect("checked"), value);
    Ok(())
}

fn units() -> impl Strategy<Value = Unit> {
    let writer = any::<u64>().prop_map(Index::new);
    (option::of(contents()), writer).prop_map(|(content, writer)| Unit { content, writer })
}

fn maps<T: Debug>(
    values: impl Strategy<Value = T>,
) -> impl Strategy<Value = Vec<(lockstep_types::Path, T)>> {
    btree_map(nasty_path(), values, 0..4).prop_map(|map: BTreeMap<_, _>| map.into_iter().collect())
}

proptest! {
    #[test]
    fn contents_round_trip(content in contents()) {
        round_trip::<Content>(&content)?;
    }

    #[test]
    fn changes_round_trip(units in maps(units()), changes in maps(option::of(contents()))) {
        round_trip(&Patch::from_iter(units.clone()))?;
        round_trip(&Configuration::from_iter(units.clone()))?;
        round_trip(&Undo { units: units.into_iter().collect() })?;
        round_trip(&Delta::from_iter(changes))?;
    }

    #[test]
    fn edits_round_trip(clear in vec(nasty_path(), 0..3), set in maps(contents())) {
        round_trip(&Edit { clear, set: set.into_iter().collect(), ..Edit::default() })?;
    }
}
