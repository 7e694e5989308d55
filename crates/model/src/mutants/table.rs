//! Every mutant, by where it comes from.

mod adoption;
mod draft;
mod lifecycle;
mod operated;
mod others;
mod restore;
mod retention;
mod rules;
mod seeds;
mod share;
mod together;
mod trials;
mod wide;
mod windows;

use super::Mutant;

/// Every mutant.
pub fn all() -> impl Iterator<Item = &'static Mutant> {
    [
        draft::MUTANTS,
        seeds::MUTANTS,
        rules::MUTANTS,
        others::MUTANTS,
        operated::MUTANTS,
        adoption::MUTANTS,
        lifecycle::MUTANTS,
        restore::MUTANTS,
        together::MUTANTS,
        trials::MUTANTS,
        wide::MUTANTS,
        windows::MUTANTS,
        share::MUTANTS,
        retention::MUTANTS,
    ]
    .into_iter()
    .flatten()
}
