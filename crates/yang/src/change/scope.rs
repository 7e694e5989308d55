//! What a change touches, and which rules that puts in question.

mod follow;

use std::collections::{BTreeMap, BTreeSet};

use lockstep_types::{Configuration, Content, Path};

use super::census::Census;
use super::find::{exists, prefix};
use super::gather::Gather;
use crate::schema::{Id, Kind};
use crate::set::ModelSet;

/// The rules in question.
#[derive(Debug, Default)]
pub(super) struct Questions {
    /// Nodes whose conditions, `must` statements and references are.
    pub(super) own: BTreeSet<Path>,
    /// Nodes in which something may be missing, or be of two cases.
    pub(super) inside: BTreeSet<Path>,
    /// Lists and leaf-lists of which there may be too few or too many, by the node they are in; and
    /// the entries whose unique values may have changed.
    pub(super) lists: BTreeMap<(Path, Id), BTreeSet<Path>>,
}

/// A change, as far as its effects are followed.
pub(super) struct Scope<'a> {
    set: &'a ModelSet,
    base: &'a Configuration,
    result: &'a Configuration,
    touched: BTreeSet<(Id, Path)>,
    /// Nodes that come or go.
    moved: BTreeSet<Path>,
    open: Vec<(Id, Path)>,
    questions: Questions,
    census: Census<'a>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(
        set: &'a ModelSet,
        base: &'a Configuration,
        result: &'a Configuration,
    ) -> Self {
        let questions = Questions::default();
        let (touched, moved) = (BTreeSet::new(), BTreeSet::new());
        let census = Census::new(set, result);
        Self { set, base, result, touched, moved, open: Vec::new(), questions, census }
    }

    /// Follows the effects of a change to their end. None: they are not bounded.
    pub(super) fn touch_all(&mut self, changed: &[(&Path, &Option<Content>)]) -> Option<()> {
        let there = |id: &Id| self.set.has_instance(self.result, *id);
        if self.set.rules().unbounded.iter().any(there) {
            return None;
        }
        for (path, _) in changed {
            self.start(path)?;
        }
        while let Some((id, path)) = self.open.pop() {
            self.follow(id, &path);
        }
        self.question_instances();
        Some(())
    }

    /// The nodes that the effects of the change have reached.
    pub(super) fn nodes(self) -> BTreeSet<Path> {
        let touched = self.touched.into_iter().map(|(_, path)| path);
        touched.chain(self.questions.inside).collect()
    }

    /// What the rules in question read, and whether that is in one module alone.
    pub(super) fn gather(
        self,
        changed: &[(&Path, &Option<Content>)],
    ) -> Option<(Configuration, bool, Questions)> {
        let mut gather = Gather::new(self.set, self.result);
        changed.iter().for_each(|(path, _)| gather.include(path));
        gather.all(&self.questions);
        let (part, alone) = gather.finish()?;
        Some((part, alone, self.questions))
    }

    fn start(&mut self, path: &Path) -> Option<()> {
        let id = self.set.schema().find(path)?;
        self.touch(id, path);
        let is_order = path.last().is_none_or(|last| last.keys().is_empty());
        if is_order && self.set.schema().node(id).kind == Kind::List {
            return Some(());
        }
        let lineage = self.set.schema().lineage(id);
        // What is there in both has all above it there in both.
        for (depth, id) in lineage.iter().enumerate().rev() {
            let node = prefix(path, depth + 1);
            if exists(self.base, &node) == exists(self.result, &node) {
                break;
            }
            self.touch_existence(*id, &node);
        }
        Some(())
    }

    fn touch(&mut self, id: Id, path: &Path) {
        if self.touched.insert((id, path.clone())) {
            self.open.push((id, path.clone()));
        }
    }

    /// A node comes or goes, and with it what is in it by default.
    fn touch_existence(&mut self, id: Id, path: &Path) {
        let set = self.set;
        if !set.rules().part(id).stirs {
            return;
        }
        self.touch(id, path);
        let node = set.schema().node(id);
        if node.is_leaf() || !self.moved.insert(path.clone()) {
            return;
        }
        if set.rules().part(id).asks_inside {
            self.questions.inside.insert(path.clone());
        }
        for child in node.children.iter().filter(|child| set.schema().node(**child).config) {
            let part = set.rules().part(*child);
            if part.min > 0 {
                self.questions.lists.entry((path.clone(), *child)).or_default();
            }
            if part.stirs && (part.implicit || set.schema().node(*child).is_key()) {
                self.touch_existence(*child, &set.below(path, *child));
            }
        }
    }
}
