//! Defaults folded: what a device shows, in the terms of what is wanted of it.
//!
//! A device may report leaves that nobody set, with the default of the models, and may leave out leaves
//! that somebody did set, to just that. Neither is a difference: what is in force is the same.

use lockstep_types::{Configuration, Content, Delta, Path};

use crate::change::find;
use crate::schema::{Id, Kind, ROOT};
use crate::set::ModelSet;

impl ModelSet {
    /// What a device shows, without the defaults that are in force anyway where `wanted` does not
    /// mention them, and with those that `wanted` does mention where the device does not. Beyond
    /// finding the difference of the two, the cost follows that. Where there is none, it is one with `wanted`: to
    /// compare the two again costs nothing.
    pub fn fold(&self, seen: &Configuration, wanted: &Configuration) -> Configuration {
        let differs = wanted.diff(seen).into_iter();
        let own: Delta = differs.filter(|(path, _)| self.differs(seen, wanted, path)).collect();
        let mut folded = wanted.clone();
        folded.apply_values(&own);
        folded
    }

    /// Whether a device that shows `seen` is at this path not as wanted: by more than a default that is
    /// in force anyway.
    pub fn differs(&self, seen: &Configuration, wanted: &Configuration, path: &Path) -> bool {
        match (seen.get(path), wanted.get(path)) {
            (Some(shown), None) => !self.is_in_force(wanted, path, shown),
            (None, Some(wants)) => !self.is_in_force(seen, path, wants),
            (shown, wants) => shown != wants,
        }
    }

    /// Whether this is what a leaf or leaf-list that is not set has by default.
    fn is_in_force(&self, tree: &Configuration, path: &Path, content: &Content) -> bool {
        let Some(id) = self.schema().find(path) else { return false };
        if !self.rules().part(id).implicit || !self.schema().node(id).is_leaf() {
            return false;
        }
        let default = self.rules().part(id).default.as_ref().filter(|_| self.is_free(id));
        if let (Some(default), Content::Leaf(value)) = (default, content) {
            return self.text(id, value) == *default && self.is_held(tree, id, path);
        }
        let Ok(at) = self.locate(path) else { return false };
        self.defaults(tree, &at).iter().any(|(at, default)| at == path && default == content)
    }

    /// Whether nothing but what it is in decides on a default: no condition, no choice, from the next
    /// entry or presence container down.
    fn is_free(&self, id: Id) -> bool {
        let anchors = |id: &Id| {
            let kind = self.schema().node(*id).kind;
            matches!(kind, Kind::Root | Kind::List | Kind::Container { presence: true })
        };
        let up = std::iter::successors(Some(id), |id| Some(self.schema().node(*id).parent));
        up.take_while(|id| !anchors(id)).all(|id| {
            let node = self.schema().node(id);
            !node.when && node.cases.is_empty()
        })
    }

    /// Whether the entry or presence container is there that a leaf is in.
    fn is_held(&self, tree: &Configuration, id: Id, path: &Path) -> bool {
        let lineage = self.schema().lineage(id);
        let anchors = |id: &Id| {
            let kind = self.schema().node(*id).kind;
            matches!(kind, Kind::List | Kind::Container { presence: true })
        };
        match lineage.iter().rposition(anchors) {
            Some(depth) => find::exists(tree, &find::prefix(path, depth + 1)),
            None => id != ROOT,
        }
    }
}
