//! From what is touched to the rules that this puts in question.

use lockstep_types::{Content, Path};

use super::Scope;
use crate::change::find::{exists, prefix};
use crate::rules::{Extent, Nature, Read};
use crate::schema::{Id, ROOT};

impl Scope<'_> {
    pub(super) fn follow(&mut self, id: Id, path: &Path) {
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
    pub(super) fn question_instances(&mut self) {
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
