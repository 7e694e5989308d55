//! Where a device is not as it should be, as its master sees it: for whoever asks another node.

use lockstep_types::{Content, Path, Term};
use serde::{Deserialize, Serialize};

/// Where a device is not as it should be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Drifted {
    /// In which term of its master. In another it was brought in line since.
    pub term: Term,
    /// The first such places, in the order of paths.
    pub first: Vec<Difference>,
    /// How many more there are.
    pub more: usize,
    /// It was changed back as often as it may be, and is not any more.
    pub given_up: bool,
}

/// A place where a device is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Difference {
    /// Where.
    pub path: Path,
    /// What the device shows; none: nothing.
    pub shows: Option<Content>,
    /// What is wanted there; none: nothing.
    pub wanted: Option<Content>,
}
