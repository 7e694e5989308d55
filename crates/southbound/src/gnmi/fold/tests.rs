//! Which leaves are there anyway.

use std::path::Path as FilePath;

use lockstep_types::{Configuration, Content};
use lockstep_yang::{ModelSet, Options};

use super::Defaults;

fn models() -> ModelSet {
    let path = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    let (modules, features, origin) = (Vec::new(), Vec::new(), None);
    ModelSet::load(&Options { path, modules, features, origin }).unwrap()
}

fn units(units: &[(&str, Content)]) -> Configuration {
    units.iter().map(|(path, content)| (path.parse().unwrap(), content.clone())).collect()
}

fn number(number: u64) -> Content {
    Content::leaf(number)
}

#[test]
fn a_leaf_at_its_default_is_left_out_and_another_value_stays() {
    let (models, defaults) = (models(), Defaults::default());
    let seen = |weight| {
        units(&[
            ("/top/pair[one=a][two=1]", Content::Entry),
            ("/top/pair[one=a][two=1]/weight", number(9)),
            ("/top/pair[one=a][two=2]", Content::Entry),
            ("/top/pair[one=a][two=2]/weight", number(weight)),
        ])
    };
    let folded = units(&[
        ("/top/pair[one=a][two=1]", Content::Entry),
        ("/top/pair[one=a][two=1]/weight", number(9)),
        ("/top/pair[one=a][two=2]", Content::Entry),
    ]);
    assert_eq!(defaults.fold(&models, seen(10)), folded);
    assert_eq!(defaults.fold(&models, seen(11)), seen(11));
}

#[test]
fn a_default_on_a_condition_is_left_out_where_the_condition_holds() {
    let seen = |level| {
        units(&[("/top/text", Content::leaf("on")), ("/top/conditional/level", number(level))])
    };
    let (models, defaults) = (models(), Defaults::default());
    let text = units(&[("/top/text", Content::leaf("on"))]);
    assert_eq!(defaults.fold(&models, seen(3)), text);
    assert_eq!(defaults.fold(&models, seen(4)), seen(4));
}

#[test]
fn what_was_learned_from_one_answer_holds_for_the_next() {
    let (models, defaults) = (models(), Defaults::default());
    let other = units(&[("/top/count", number(1))]);
    assert_eq!(defaults.fold(&models, other.clone()), other);
    let entry = units(&[
        ("/top/pair[one=b][two=1]", Content::Entry),
        ("/top/pair[one=b][two=1]/weight", number(10)),
    ]);
    for _ in 0..2 {
        assert_eq!(defaults.fold(&models, entry.clone()).len(), 1);
    }
    assert_eq!(defaults.fold(&models, Configuration::new()), Configuration::new());
}
