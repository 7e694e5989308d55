//! Every mutant, by what is broken.

mod deciding;

use super::Mutant;

/// Every mutant.
pub fn all() -> impl Iterator<Item = &'static Mutant> {
    [deciding::MUTANTS].into_iter().flatten()
}
