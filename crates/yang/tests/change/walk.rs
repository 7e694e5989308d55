//! From one valid configuration to the next, each change judged both ways.

use std::collections::BTreeMap;

use lockstep_types::{Configuration, Delta};
use lockstep_yang::{ModelSet, Options, Violation};

use crate::Random;
use crate::data::Change;
use crate::defaults;
use crate::edges;
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

/// Changes to data of random models.
pub(crate) fn random(seed: u64, changes: usize, tally: &mut Tally) {
    let mut random = Random::new(seed);
    let models = Models::new(&mut random);
    walk(&models, &mut random, (changes, 5), tally, &format!("seed {seed}"));
}

/// Changes to data of models made for one kind of rule. Every so many changes begin anew.
pub(crate) fn edge(name: &str, text: &str, (changes, round): (usize, u64), tally: &mut Tally) {
    let models = edges::models(text);
    let before = tally.clone();
    for run in 0..changes.div_ceil(RUN) {
        let mut random = Random::new(1_000_000 * round + run as u64);
        let removals = if run % 2 == 0 { 2 } else { 5 };
        walk(&models, &mut random, (RUN, removals), tally, name);
    }
    assert_eq!(tally.refused, before.refused, "{name}: libyang takes it");
    assert!(tally.valid > before.valid + changes / 10, "{name}: {tally:?}");
    assert!(tally.invalid > before.invalid + changes / 100, "{name}: {tally:?}");
}

/// So many changes in a row, from nothing.
const RUN: usize = 50;

fn walk(
    models: &Models,
    random: &mut Random,
    (changes, removals): (usize, usize),
    tally: &mut Tally,
    name: &str,
) {
    let texts = models.text();
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in &texts {
        std::fs::write(folder.path().join(format!("{name}.yang")), text).unwrap();
    }
    tally.models += 1;
    // A fault in libyang ends the process; then this tells what was given to it.
    if std::env::var("LOCKSTEP_SEED").is_ok() {
        println!("{name}\n{}\n{}", texts[0].1, texts[1].1);
    }
    let options = Options { path: folder.path().to_owned(), ..Options::default() };
    let set = match ModelSet::load(&options) {
        Ok(set) => set,
        Err(error) => {
            tally.refused += 1;
            println!("{name} refused: {error}");
            return;
        }
    };
    let mut tree = Configuration::new();
    // Something has to be there at the start, in some models.
    for _ in 0..20 {
        if set.validate(&tree).is_empty() {
            break;
        }
        tree = result(&Configuration::new(), &Change::random(random, models, &tree, removals));
    }
    if !set.validate(&tree).is_empty() {
        return;
    }
    let hint = || format!("{name}\n{}\n{}", texts[0].1, texts[1].1);
    let context = defaults::context(folder.path(), &["r", "s"]);
    for number in 0..changes {
        let delta = Change::random(random, models, &tree, removals);
        if let Some(next) = judge(&set, &tree, &delta, tally, &hint) {
            defaults::told(&set, &tree, &next, &hint);
            tree = next;
        }
        if number % 10 == 9 {
            defaults::judge(&set, &context, &tree, &hint);
        }
    }
}
