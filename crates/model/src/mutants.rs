//! The core broken on purpose, in known ways, to see that the invariants notice.
//!
//! ```text
//!   table ──► patch ──► a copy of the sources, built ──► hunt ──► docs/mutants.md
//!   what to break       workspace                        until the named invariant breaks
//! ```
//!
//! There are no switches for this in the core: a mutant is a piece of its text and what stands there
//! instead. A piece that is no longer found, or found twice, fails the run, so the table cannot fall
//! behind the code. So does a mutant that its invariant does not notice: then either the model has
//! become too weak to reach it, or the code that was broken is not needed.

mod check;
mod hunt;
mod page;
mod patch;
mod runner;
mod table;
mod workspace;

pub use check::check;
pub use hunt::{Hunt, hunt};
pub use page::{listed, page};
pub use patch::{Misfit, patched};
pub use runner::{Caught, Fate, Run, Runner};
pub use table::all;
pub use workspace::Workspace;

/// One way to break the core.
#[derive(Clone, Copy, Debug)]
pub struct Mutant {
    /// Its name.
    pub name: &'static str,
    /// What is broken, as a reader of the table is told.
    pub breaks: &'static str,
    /// The rule of the protocol, or the flaw of a seed, that it stands for.
    pub stands_for: &'static str,
    /// The file, below `crates/`.
    pub file: &'static str,
    /// The text that is replaced. Any white space stands for any other.
    pub find: &'static str,
    /// What stands there instead.
    pub replace: &'static str,
    /// The scenario in which it shows.
    pub scenario: &'static str,
    /// The invariant that notices.
    pub invariant: &'static str,
}
