//! Finding nodes in a configuration: whether they are there, and all of a kind.

use lockstep_types::{Configuration, Content, Path, Unit};

use crate::schema::{Id, Kind, ROOT};
use crate::set::ModelSet;

/// The path of the first elements.
pub(crate) fn prefix(path: &Path, length: usize) -> Path {
    if length >= path.elements().len() {
        return path.clone();
    }
    path.elements().iter().take(length).cloned().collect()
}

/// The first unit at or below a path that makes something exist, as the order of a list does not.
pub(super) fn first<'a>(tree: &'a Configuration, path: &Path) -> Option<(&'a Path, &'a Content)> {
    tree.under(path).find_map(|(path, unit)| Some((path, live(unit)?)))
}

/// What a unit makes exist.
pub(crate) fn live(unit: &Unit) -> Option<&Content> {
    unit.content.as_ref().filter(|content| makes_exist(content))
}

/// Whether something is there because of it. An order says where entries are, not that there are any.
pub(crate) fn makes_exist(content: &Content) -> bool {
    !matches!(content, Content::Order(_))
}

/// Whether anything is set at or below a path.
pub(crate) fn exists(tree: &Configuration, path: &Path) -> bool {
    first(tree, path).is_some()
}

/// The entries that a path or pattern stands for, one by one.
fn each_entry(tree: &Configuration, pattern: &Path) -> impl Iterator<Item = Path> {
    let live = tree.under(pattern).filter(|(_, unit)| live(unit).is_some());
    heads(live.map(|(path, _)| path), pattern.elements().len())
}

/// The different first elements of paths that are in order.
fn heads<'a>(paths: impl Iterator<Item = &'a Path>, depth: usize) -> impl Iterator<Item = Path> {
    let mut last: Option<Path> = None;
    paths.filter_map(move |path| {
        if last.as_ref().is_some_and(|last| last.is_prefix_of(path)) {
            return None;
        }
        last = Some(prefix(path, depth));
        last.clone()
    })
}

impl ModelSet {
    /// The path of a child.
    pub(super) fn below(&self, at: &Path, child: Id) -> Path {
        self.schema().below(at, child)
    }

    /// The paths of the entries of a list that a path or pattern stands for, in their order.
    pub(super) fn entries(&self, tree: &Configuration, pattern: &Path) -> Vec<Path> {
        each_entry(tree, pattern).collect()
    }

    /// Whether there is any node of a kind, as [`ModelSet::instances`] finds them. Looks no further
    /// than to the first.
    pub(super) fn has_instance(&self, tree: &Configuration, to: Id) -> bool {
        let way = self.schema().lineage(to);
        if self.is_only_set(to) {
            let pattern = way.iter().fold(Path::root(), |path, id| self.below(&path, *id));
            return tree.under(&pattern).any(|(_, unit)| unit.content.is_some());
        }
        self.leads_down(tree, &Path::root(), &way)
    }

    fn leads_down(&self, tree: &Configuration, at: &Path, way: &[Id]) -> bool {
        let Some((id, rest)) = way.split_first() else { return true };
        let path = self.below(at, *id);
        match self.schema().node(*id).kind {
            Kind::List => each_entry(tree, &path).any(|entry| self.leads_down(tree, &entry, rest)),
            Kind::Container { presence: true } if !exists(tree, &path) => false,
            _ => self.leads_down(tree, &path, rest),
        }
    }

    /// Whether nodes of this kind are there only where they are set.
    fn is_only_set(&self, id: Id) -> bool {
        let node = self.schema().node(id);
        node.is_leaf() && !node.is_key() && !self.rules().part(id).implicit
    }

    /// The paths of all nodes of a kind that are below a node which is there, those that are there by
    /// default included. A leaf without default that is not set is left out.
    pub(super) fn instances(&self, tree: &Configuration, from: Id, at: &Path, to: Id) -> Vec<Path> {
        let lineage = self.schema().lineage(to);
        let above = if from == ROOT { 0 } else { self.rules().part(from).depth };
        let way = lineage.get(above..).unwrap_or_default();
        if self.is_only_set(to) {
            let pattern = way.iter().fold(at.clone(), |path, id| self.below(&path, *id));
            let live = tree.under(&pattern).filter(|(_, unit)| unit.content.is_some());
            return live.map(|(path, _)| path.clone()).collect();
        }
        let mut found = vec![at.clone()];
        for id in way {
            let next = found.iter().flat_map(|at| self.down(tree, at, *id));
            found = next.collect();
        }
        found
    }

    fn down(&self, tree: &Configuration, at: &Path, id: Id) -> Vec<Path> {
        let path = self.below(at, id);
        match self.schema().node(id).kind {
            Kind::List => self.entries(tree, &path),
            Kind::Container { presence: true } if !exists(tree, &path) => Vec::new(),
            _ => vec![path],
        }
    }
}

#[cfg(test)]
mod tests {
    //! How far is looked.
    #![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

    use lockstep_types::{Configuration, Path};
    use serde_json::{Value as Json, json};

    use super::heads;
    use crate::schema::ROOT;
    use crate::{Data, DataForm, ModelSet, Operation, Options};

    const MODULE: &str = "module a { namespace 'urn:a'; prefix a; container c { presence p; \
        leaf x { type string; } leaf y { type string; default d; } } list l { key k; \
        leaf k { type string; } leaf x { type string; } list m { key k; leaf k { type string; } \
        leaf y { type string; default d; } } container p { presence p; container q { \
        leaf x { type string; } } } } leaf-list n { type string; } }";

    fn with(set: &ModelSet, json: Json) -> Configuration {
        let data = Data { form: DataForm::Json, json };
        let edit = set.edit(&[Operation::Update(Path::root(), data)]).unwrap();
        let mut tree = Configuration::new();
        tree.apply_values(&edit.onto(&tree));
        tree
    }

    #[test]
    fn whether_there_is_one_is_whether_any_is_found() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.yang"), MODULE).unwrap();
        let path = folder.path().to_owned();
        let set = ModelSet::load(&Options { path, ..Options::default() }).unwrap();
        let mut there = 0;
        for json in [
            json!({}),
            json!({"c": {}}),
            json!({"c": {"x": "a"}, "n": ["a"]}),
            json!({"l": [{"k": "a"}, {"k": "b", "m": [{"k": "c"}]}]}),
            json!({"l": [{"k": "a"}, {"k": "b", "p": {}}, {"k": "c", "x": "a"}]}),
            json!({"l": [{"k": "a", "p": {"q": {"x": "a"}}}]}),
        ] {
            let tree = with(&set, json);
            for id in set.schema().ids() {
                let found = set.instances(&tree, ROOT, &Path::root(), id);
                assert_eq!(
                    set.has_instance(&tree, id),
                    !found.is_empty(),
                    "{}",
                    set.schema().path(id)
                );
                there += usize::from(!found.is_empty());
            }
        }
        assert!(there > 20, "{there}");
    }

    #[test]
    fn entries_are_told_once_and_only_as_far_as_asked() {
        let texts = ["/l[k=a]/x", "/l[k=a]/y", "/l[k=b]/x", "/l[k=c]/x/z", "/l[k=c]/y"];
        let paths: Vec<Path> = texts.iter().map(|text| text.parse().unwrap()).collect();
        let found: Vec<String> = heads(paths.iter(), 1).map(|path| path.to_string()).collect();
        assert_eq!(found, ["/l[k=a]", "/l[k=b]", "/l[k=c]"]);
        let mut looked = 0;
        let counted = paths.iter().inspect(|_| looked += 1);
        assert_eq!(heads(counted, 1).next(), Some("/l[k=a]".parse().unwrap()));
        assert_eq!(looked, 1);
    }
}
