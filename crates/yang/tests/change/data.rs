//! Random changes to data of random models, some as clients make them and some that no client makes.

use std::collections::BTreeMap;

use lockstep_types::{Configuration, Content, Delta, Element, Keys, Path, Value};

use crate::Random;
use crate::models::{Kind, Models, Type};

fn element(models: &Models, id: usize) -> Element {
    let node = &models.nodes[id];
    let same = models.children(node.parent).filter(|other| models.nodes[*other].name == node.name);
    let name = match same.count() {
        1 => node.name.clone(),
        _ => format!("{}:{}", node.module, node.name),
    };
    Element::new(name).unwrap()
}

fn scalar(random: &mut Random, models: &Models, of: &Type, tree: &Configuration) -> Value {
    match of {
        Type::Small if random.chance(5) => Value::Uint(10 + random.below(3) as u64),
        Type::Small => Value::Uint(random.below(4) as u64),
        Type::Letter => Value::string(*random.pick(&["a", "b", "c"])),
        Type::Truth => Value::Bool(random.chance(60)),
        Type::Ref { union: true, .. } if random.chance(30) => Value::string("none"),
        Type::Ref { of, .. } => scalar(random, models, of, tree),
        Type::Instance => {
            let paths: Vec<&Path> = tree.iter().map(|(path, _)| path).collect();
            let known = if paths.is_empty() { None } else { Some((*random.pick(&paths)).clone()) };
            Value::InstanceIdentifier(
                known.map_or_else(Path::root, |path| qualified(models, &path)),
            )
        }
    }
}

/// A path as instance-identifiers have it: with the module where it changes.
fn qualified(models: &Models, path: &Path) -> Path {
    let mut parent = None;
    let mut elements = Vec::new();
    for ours in path.elements() {
        let named = |id: &usize| element(models, *id).name() == ours.name();
        let id = models.children(parent).find(named).unwrap();
        let node = &models.nodes[id];
        let above = parent.map_or("", |parent: usize| models.nodes[parent].module);
        let name = match above == node.module {
            true => node.name.clone(),
            false => format!("{}:{}", node.module, node.name),
        };
        let mut theirs = Element::new(name).unwrap();
        for (key, value) in ours.keys() {
            theirs = theirs.with_key(key, value).unwrap();
        }
        elements.push(theirs);
        parent = Some(id);
    }
    Path::new(elements)
}

fn text(value: &Value) -> String {
    value.to_string()
}

/// A change in the making.
pub(crate) struct Change<'a> {
    models: &'a Models,
    tree: &'a Configuration,
    result: Configuration,
    delta: BTreeMap<Path, Option<Content>>,
    /// How many steps of twenty take something away.
    removals: usize,
}

impl<'a> Change<'a> {
    pub(crate) fn random(
        random: &mut Random,
        models: &'a Models,
        tree: &'a Configuration,
        removals: usize,
    ) -> Delta {
        let (result, delta) = (tree.clone(), BTreeMap::new());
        let mut change = Self { models, tree, result, delta, removals };
        for _ in 0..1 + random.below(4) {
            change.step(random);
        }
        change.delta.into_iter().collect()
    }

    fn write(&mut self, path: Path, content: Option<Content>) {
        self.result.apply_values(&[(path.clone(), content.clone())].into_iter().collect());
        self.delta.insert(path, content);
    }

    fn step(&mut self, random: &mut Random) {
        let units: Vec<Path> = self.result.iter().map(|(path, _)| path.clone()).collect();
        match random.below(20) {
            step if step < self.removals && !units.is_empty() => {
                let path = random.pick(&units).clone();
                let cut = path.elements().len() - random.below(path.elements().len().min(3));
                self.remove(&path.elements().iter().take(cut).cloned().collect());
            }
            // As no client does.
            step if (step == 5 || step < 4 && self.removals < 4) && !units.is_empty() => {
                let path = random.pick(&units).clone();
                self.write(path, None);
            }
            6 if !units.is_empty() => self.shuffle(random, &units),
            _ => {
                let id = random.below(self.models.nodes.len());
                let rivals = !random.chance(12);
                self.set(random, id, &Path::root(), rivals);
            }
        }
    }

    fn remove(&mut self, at: &Path) {
        let gone: Vec<Path> = self.result.under(at).map(|(path, _)| path.clone()).collect();
        gone.into_iter().for_each(|path| self.write(path, None));
        self.leave_order(at);
    }

    fn leave_order(&mut self, entry: &Path) {
        let Some(list) = entry.list() else { return };
        let Some(Content::Order(order)) = self.result.get(&list).cloned() else { return };
        let keys = entry.last().unwrap().keys();
        let left: Vec<Keys> = order.iter().filter(|other| *other != keys).cloned().collect();
        self.write(list, (!left.is_empty()).then_some(Content::Order(left.into())));
    }

    fn shuffle(&mut self, random: &mut Random, units: &[Path]) {
        let orders = units.iter().filter_map(|path| match self.result.get(path) {
            Some(Content::Order(order)) => Some((path.clone(), order.to_vec())),
            _ => None,
        });
        let orders: Vec<_> = orders.collect();
        if !orders.is_empty() {
            let (path, mut order) = random.pick(&orders).clone();
            let (a, b) = (random.below(order.len()), random.below(order.len()));
            order.swap(a, b);
            self.write(path, Some(Content::Order(order.into())));
        }
    }

    /// Sets a node, all above it, and some of what is in it.
    fn set(&mut self, random: &mut Random, id: usize, _: &Path, rivals: bool) {
        let mut at = Path::root();
        for id in self.models.lineage(id) {
            at = self.enter(random, id, &at, rivals);
        }
        if !self.models.is_leaf(id) {
            self.fill(random, id, &at, rivals, 2);
        }
    }

    fn fill(&mut self, random: &mut Random, id: usize, at: &Path, rivals: bool, depth: usize) {
        let children: Vec<usize> = self.models.children(Some(id)).collect();
        for child in children {
            if random.chance(50) {
                let path = self.enter(random, child, at, rivals);
                if !self.models.is_leaf(child) && depth > 0 {
                    self.fill(random, child, &path, rivals, depth - 1);
                }
            }
        }
    }

    fn enter(&mut self, random: &mut Random, id: usize, at: &Path, rivals: bool) -> Path {
        let node = &self.models.nodes[id];
        if let (Some((choice, case)), true) = (node.case, rivals) {
            let others: Vec<usize> = self.models.children(node.parent).collect();
            for other in others {
                let theirs = self.models.nodes[other].case;
                if theirs.is_some_and(|(c, k)| c == choice && k != case) {
                    self.remove(&at.child(element(self.models, other)));
                }
            }
        }
        let bare = element(self.models, id);
        match node.kind {
            Kind::Container { presence } => {
                let path = at.child(bare);
                if presence {
                    self.write(path.clone(), Some(Content::Presence));
                }
                path
            }
            Kind::List { user, .. } => self.entry(random, id, at, bare, user),
            Kind::Leaf => {
                let path = at.child(bare);
                if !node.key {
                    let value = scalar(random, self.models, &node.of, self.tree);
                    self.write(path.clone(), Some(Content::Leaf(value)));
                }
                path
            }
            Kind::LeafList { user } => {
                let path = at.child(bare);
                let count = 1 + random.below(3);
                let mut values: Vec<Value> = Vec::new();
                for _ in 0..count {
                    let value = scalar(random, self.models, &node.of, self.tree);
                    if !values.contains(&value) || random.chance(4) {
                        values.push(value);
                    }
                }
                if !user {
                    values.sort();
                }
                self.write(path.clone(), Some(Content::LeafList(values.into())));
                path
            }
        }
    }

    fn entry(
        &mut self,
        random: &mut Random,
        id: usize,
        at: &Path,
        bare: Element,
        user: bool,
    ) -> Path {
        let list = at.child(bare.clone());
        let keys = self.models.children(Some(id)).filter(|child| self.models.nodes[*child].key);
        let keys: Vec<usize> = keys.collect();
        let mut element = bare;
        for key in keys {
            let node = &self.models.nodes[key];
            let value = text(&scalar(random, self.models, &node.of, self.tree));
            element = element.with_key(&node.name, value).unwrap();
        }
        let path = at.child(element.clone());
        if user {
            let mut order = match self.result.get(&list) {
                Some(Content::Order(order)) => order.to_vec(),
                _ => Vec::new(),
            };
            if !order.contains(element.keys()) {
                order.push(element.keys().clone());
                self.write(list, Some(Content::Order(order.into())));
            }
        }
        self.write(path.clone(), Some(Content::Entry));
        path
    }
}
