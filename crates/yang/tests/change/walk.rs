//! From one valid configuration to the next, each change judged both ways.

use std::collections::BTreeMap;

use lockstep_types::{Configuration, Delta};
use lockstep_yang::{Form, ModelSet, Options, Violation};

use crate::Random;
use crate::data::Change;
use crate::models::Models;

const GAVE_UP: &str = "depends on a node with a when condition, which has not been evaluated";

/// What was tried.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) models: usize,
    /// Models that libyang refuses, as circular ones are.
    pub(crate) refused: usize,
    pub(crate) valid: usize,
    pub(crate) invalid: usize,
    /// Changes to which libyang's answer is not whole.
    pub(crate) gave_up: usize,
    /// Violations by their first words.
    pub(crate) kinds: BTreeMap<String, usize>,
}

impl Tally {
    fn count(&mut self, violations: &[Violation]) {
        match violations.is_empty() {
            true => self.valid += 1,
            false => self.invalid += 1,
        }
        for violation in violations {
            let words: Vec<&str> = violation.message.split(' ').take(2).collect();
            *self.kinds.entry(words.join(" ")).or_default() += 1;
        }
    }
}

pub(crate) fn result(tree: &Configuration, delta: &Delta) -> Configuration {
    let mut result = tree.clone();
    result.apply_values(delta);
    result
}

/// Judges one change both ways, and gives the result if it is valid.
pub(crate) fn judge(
    set: &ModelSet,
    tree: &Configuration,
    delta: &Delta,
    tally: &mut Tally,
    hint: &dyn Fn() -> String,
) -> Option<Configuration> {
    let result = result(tree, delta);
    let whole = set.validate(&result);
    let quick = set.validate_change(tree, delta);
    // libyang gave up, with rules unread: what it found by then depends on its way through the data.
    if whole.iter().any(|violation| violation.message.contains(GAVE_UP)) {
        assert_ne!(quick, [], "{whole:?}\n{delta:#?}\non {tree:#?}\n{}", hint());
        tally.gave_up += 1;
        return None;
    }
    assert_eq!(
        quick,
        whole,
        "left: the change, right: the whole\n{delta:#?}\non {tree:#?}\n{}",
        hint()
    );
    tally.count(&whole);
    whole.is_empty().then_some(result)
}

pub(crate) fn models(seed: u64, changes: usize, tally: &mut Tally) {
    let mut random = Random::new(seed);
    let models = Models::new(&mut random);
    let texts = models.text();
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in &texts {
        std::fs::write(folder.path().join(format!("{name}.yang")), text).unwrap();
    }
    tally.models += 1;
    let options = Options { path: folder.path().to_owned(), ..Options::default() };
    let set = match ModelSet::load(&options) {
        Ok(set) => set,
        Err(error) => {
            tally.refused += 1;
            if std::env::var("LOCKSTEP_SEED").is_ok() {
                println!("refused: {error}");
            }
            return;
        }
    };
    if std::env::var("LOCKSTEP_SEED").is_ok() {
        println!("{}\n{}", texts[0].1, texts[1].1);
    }
    let mut tree = Configuration::new();
    // Something has to be there at the start, in some models.
    for _ in 0..20 {
        if set.validate(&tree).is_empty() {
            break;
        }
        tree = result(&Configuration::new(), &Change::random(&mut random, &models, &tree));
    }
    if !set.validate(&tree).is_empty() {
        return;
    }
    let hint = || format!("seed {seed}\n{}\n{}", texts[0].1, texts[1].1);
    for _ in 0..changes {
        let delta = Change::random(&mut random, &models, &tree);
        if let Some(next) = judge(&set, &tree, &delta, tally, &hint) {
            tree = next;
        }
    }
    defaults(&set, &tree, &hint);
}

/// What is shown of a part is what the whole with its defaults has there.
fn defaults(set: &ModelSet, tree: &Configuration, hint: &dyn Fn() -> String) {
    let whole = set.with_defaults(tree);
    for path in tree.iter().flat_map(|(path, _)| path.ancestors()) {
        let shown = |tree| set.get(tree, &path, Form::Ietf).unwrap();
        assert_eq!(shown(tree), shown(&whole), "{path} of {tree:#?}\n{}", hint());
    }
}
