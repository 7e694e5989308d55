//! What a change touches, and which rules that puts in question.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_types::{Configuration, Content, Path};

use super::census::Census;
use super::find::{exists, prefix};
use super::gather::Gather;
use crate::rules::{Extent, Nature, Read};
use crate::schema::{Id, Kind, ROOT};
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
        let there = |id: &Id| !self.set.instances(self.result, ROOT, &Path::root(), *id).is_empty();
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
        if self.is_stale_order(id, path) {
            return None;
        }
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

    /// Whether a list has an order and no entries. Such an order makes what it is in exist, or not,
    /// in ways that nothing else has.
    fn is_stale_order(&self, id: Id, path: &Path) -> bool {
        let user_ordered = self.set.schema().node(id).user_ordered;
        let list = path.list().unwrap_or_else(|| path.clone());
        let ordered = user_ordered && matches!(self.result.get(&list), Some(Content::Order(_)));
        ordered && !exists(self.result, &list)
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

    fn follow(&mut self, id: Id, path: &Path) {
        let set = self.set;
        let (node, part) = (set.schema().node(id), set.rules().part(id));
        if !part.rules.is_empty() || part.instance {
            self.questions.own.insert(path.clone());
        }
        let Some(parent) = path.parent() else { return };
        if part.mandatory || !node.cases.is_empty() {
            self.questions.inside.insert(parent.clone());
        }
        if part.min > 0 || part.max.is_some() {
            self.questions.lists.entry((parent.clone(), id)).or_default();
        }
        for list in &part.unique_in {
            let entry = prefix(path, set.rules().part(*list).depth);
            let above = entry.parent().unwrap_or_default();
            self.questions.lists.entry((above, *list)).or_default().insert(entry);
        }
        self.follow_choice(id, &parent);
        for (rule, read) in &part.readers {
            self.follow_reader(*rule, *read, id, path);
        }
    }

    /// Which case is chosen decides on the defaults of all, and on what has to be there.
    fn follow_choice(&mut self, id: Id, parent: &Path) {
        let set = self.set;
        let Some((choice, _)) = set.schema().node(id).cases.first() else { return };
        for member in set.schema().members(*choice) {
            if set.rules().part(member).min > 0 {
                self.questions.lists.entry((parent.clone(), member)).or_default();
            }
            if set.rules().part(member).implicit {
                self.touch_existence(member, &set.below(parent, member));
            }
        }
    }

    fn follow_reader(&mut self, rule: usize, read: usize, id: Id, path: &Path) {
        let set = self.set;
        let rule = &set.rules().rules[rule];
        let Some(read) = rule.reads.as_ref().and_then(|reads| reads.get(read)) else { return };
        let from = read.place.base;
        let base = prefix(path, set.rules().part(from).depth);
        if rule.nature == Nature::When {
            return self.follow_when(rule.at, from, &base);
        }
        // A leafref cannot be broken by what is added.
        let alone = rule.nature == Nature::Leafref { alone: true };
        let gone = match read.extent {
            Extent::Target if alone => match self.gone(id, path) {
                Gone::Nothing => return,
                Gone::Value(text) => Some(text),
                Gone::Perhaps => None,
            },
            _ => None,
        };
        for instance in self.census.instances(from, &base, rule.at) {
            let holds = || match &gone {
                Some(gone) => self.holds(rule.at, &instance, gone),
                None => true,
            };
            if self.leads(read, &instance, path) && holds() {
                self.questions.own.insert(instance);
            }
        }
    }

    /// A condition may have changed: its node comes or goes, with what it is in, and nodes that are
    /// not there may be missing now.
    fn follow_when(&mut self, at: Id, from: Id, base: &Path) {
        let set = self.set;
        let above = set.schema().node(at).parent;
        // A condition may be evaluated at its own node.
        let (from, base) = match from == at {
            true => (above, base.parent().unwrap_or_default()),
            false => (from, base.clone()),
        };
        for parent in set.instances(self.result, from, &base, above) {
            self.questions.inside.insert(parent.clone());
            let part = set.rules().part(at);
            if part.min > 0 {
                self.questions.lists.entry((parent.clone(), at)).or_default();
            }
            for instance in set.instances(self.result, above, &parent, at) {
                self.touch_existence(at, &instance);
                let units: Vec<Path> =
                    self.result.under(&instance).map(|(path, _)| path.clone()).collect();
                for path in units {
                    if let Some(id) = set.schema().find(&path) {
                        self.touch(id, &path);
                    }
                }
            }
        }
    }

    /// Whether a rule of this instance may read there, by the keys it asks for.
    fn leads(&self, read: &Read, instance: &Path, path: &Path) -> bool {
        let depth = self.set.rules().part(read.place.base).depth;
        let elements = path.elements().get(depth..).unwrap_or_default();
        read.place.steps.iter().zip(elements).all(|(step, element)| {
            let keys = self.set.keys_wanted(self.result, step, instance);
            keys.iter().all(|(key, value)| element.key(key).is_none_or(|found| found == value))
        })
    }

    /// The value that a leafref may have referred to and that is no longer there.
    fn gone(&self, id: Id, path: &Path) -> Gone {
        let node = self.set.schema().node(id);
        if node.is_key() {
            let entry = path.parent().filter(|entry| exists(self.base, entry));
            let text = entry.and_then(|entry| Some(entry.last()?.key(&node.name)?.to_owned()));
            return text.map_or(Gone::Nothing, Gone::Value);
        }
        match self.base.get(path) {
            Some(Content::Leaf(value)) => Gone::Value(self.set.text(id, value)),
            None if !self.set.rules().part(id).implicit => Gone::Nothing,
            _ => Gone::Perhaps,
        }
    }

    /// Whether a leaf may have this value.
    fn holds(&self, id: Id, path: &Path, text: &str) -> bool {
        let values = self.set.texts(self.result, id, path);
        values.is_none_or(|values| values.iter().any(|value| value == text))
    }

    /// An instance-identifier may name anything, so each is looked at that names what is not set.
    fn question_instances(&mut self) {
        for id in &self.set.rules().instances {
            for path in self.set.instances(self.result, ROOT, &Path::root(), *id) {
                let named = self.set.named(self.result, &path);
                if named.is_none_or(|named| named.iter().any(|path| !exists(self.result, path))) {
                    self.questions.own.insert(path);
                }
            }
        }
    }
}

enum Gone {
    Nothing,
    Value(String),
    Perhaps,
}
