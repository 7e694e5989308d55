//! Paths in memory once, however many records name them: devices of one kind have the same paths, and
//! so have the parts of a proposal.

use std::collections::HashSet;

use lockstep_protocol::record::Proposal;
use lockstep_types::{Configuration as Tree, Edit, Map, Patch, Path, Undo};

/// The paths that were read so far.
#[derive(Debug, Default)]
pub(super) struct Pool(HashSet<Path>);

impl Pool {
    fn path(&mut self, path: Path) -> Path {
        if let Some(known) = self.0.get(&path) {
            return known.clone();
        }
        self.0.insert(path.clone());
        path
    }

    fn paths<V, T: FromIterator<(Path, V)>>(
        &mut self,
        entries: impl IntoIterator<Item = (Path, V)>,
    ) -> T {
        entries.into_iter().map(|(path, value)| (self.path(path), value)).collect()
    }

    /// Puts in all units of a patch.
    pub(super) fn patch(&mut self, tree: &mut Tree, patch: Patch) {
        for (path, unit) in patch {
            tree.assign(self.path(path), unit);
        }
    }

    /// The same proposal.
    pub(super) fn proposal(&mut self, proposal: Proposal) -> Proposal {
        let Proposal { edit: Edit { clear, set, add }, delta, undo: Undo { units } } = proposal;
        let (set, add): (Map<_, _>, Map<_, _>) = (self.paths(set), self.paths(add));
        let (delta, units) = (self.paths(delta), self.paths(units));
        Proposal { edit: Edit { clear, set, add }, delta, undo: Undo { units } }
    }
}
