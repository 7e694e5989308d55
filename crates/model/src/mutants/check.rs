//! Whether the table fits the sources, without building anything.

use std::collections::BTreeSet;
use std::io;

use super::{Mutant, Workspace, all, patched};
use crate::invariants;
use crate::scenario::find;

/// What is wrong with the table, one line each; empty if nothing is.
///
/// # Errors
/// A source file cannot be read.
pub fn check(workspace: &Workspace) -> io::Result<Vec<String>> {
    let mut names = BTreeSet::new();
    let mut wrong = Vec::new();
    for mutant in all() {
        if !names.insert(mutant.name) {
            wrong.push(format!("{}: there are two of this name", mutant.name));
        }
        let text = workspace
            .read(mutant.file)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", mutant.file)))?;
        wrong.extend(misfits(mutant, &text).map(|what| format!("{}: {what}", mutant.name)));
    }
    Ok(wrong)
}

fn misfits(mutant: &Mutant, text: &str) -> impl Iterator<Item = String> {
    let known = invariants::ALL.iter().any(|invariant| invariant.name == mutant.invariant);
    let (file, scenario, invariant) = (mutant.file, mutant.scenario, mutant.invariant);
    let patched = patched(text, mutant.find, mutant.replace).err();
    [
        patched.map(|misfit| format!("out of date: {misfit} in {file}")),
        find(scenario).is_none().then(|| format!("there is no scenario {scenario}")),
        (!known).then(|| format!("there is no invariant {invariant}")),
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_the_sources() {
        let workspace = Workspace::find().expect("tests run inside the sources");
        let wrong = check(&workspace).expect("the sources can be read");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
