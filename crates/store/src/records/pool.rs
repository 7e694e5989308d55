//! Paths and contents in memory once, however many records name them: devices of one kind have the same
//! paths, and a proposal, what it comes to and the trees it goes into have the same contents.

use std::collections::HashMap;

use lockstep_protocol::Op;
use lockstep_protocol::record::Proposal;
use lockstep_types::{Configuration as Tree, Content, Edit, Map, Patch, Path, Undo, Unit};

/// So many paths are remembered for a watch, which may go on for years.
const MOST: usize = 1 << 16;

/// The paths that were read so far, each with the content that was last read there.
#[derive(Debug, Default)]
pub(super) struct Pool(HashMap<Path, Option<Content>>);

impl Pool {
    /// The same path and content, as they are in memory already.
    fn share(&mut self, path: Path, content: &mut Option<Content>) -> Path {
        let Some((known, last)) = self.0.get_key_value(&path) else {
            self.0.insert(path.clone(), content.clone());
            return path;
        };
        let path = known.clone();
        if content == last {
            content.clone_from(last);
        } else if content.is_some() {
            self.0.insert(path.clone(), content.clone());
        }
        path
    }

    fn unit(&mut self, (path, mut unit): (Path, Unit)) -> (Path, Unit) {
        (self.share(path, &mut unit.content), unit)
    }

    fn content(&mut self, (path, mut content): (Path, Option<Content>)) -> (Path, Option<Content>) {
        (self.share(path, &mut content), content)
    }

    /// Puts in all units of a patch.
    pub(super) fn patch(&mut self, tree: &mut Tree, patch: Patch) {
        for (path, unit) in patch.into_iter().map(|unit| self.unit(unit)) {
            tree.assign(path, unit);
        }
    }

    /// The same patch.
    fn patched(&mut self, patch: Patch) -> Patch {
        patch.into_iter().map(|unit| self.unit(unit)).collect()
    }

    /// The same record. Only proposals and configurations have many paths.
    pub(super) fn record(&mut self, op: Op) -> Op {
        match op {
            Op::Proposal { index, target, proposal } => {
                Op::Proposal { index, target, proposal: self.proposal(proposal) }
            }
            Op::Configuration { target, header, committed, applied, cleared } => {
                let (committed, applied) = (self.patched(committed), self.patched(applied));
                Op::Configuration { target, header, committed, applied, cleared }
            }
            op => op,
        }
    }

    fn proposal(&mut self, proposal: Proposal) -> Proposal {
        let Proposal { edit: Edit { clear, set, add }, delta, undo: Undo { units } } = proposal;
        let set = set.into_iter().filter_map(|(path, content)| {
            let (path, content) = self.content((path, Some(content)));
            Some((path, content?))
        });
        let set: Map<_, _> = set.collect();
        let add: Map<_, _> =
            add.into_iter().map(|(path, keys)| (self.share(path, &mut None), keys)).collect();
        let delta = delta.into_iter().map(|content| self.content(content)).collect();
        let units = units.into_iter().map(|unit| self.unit(unit)).collect();
        Proposal { edit: Edit { clear, set, add }, delta, undo: Undo { units } }
    }

    /// Lets go of everything if that has become much.
    pub(super) fn settle(&mut self) {
        if self.0.len() > MOST {
            self.0 = HashMap::new();
        }
    }
}

#[cfg(test)]
mod tests;
