//! Random models, with every kind of rule.

use std::fmt::Write as _;

use super::{Kind, Models, Node, Type};
use crate::Random;
use crate::expressions;

impl Models {
    /// Random ones.
    pub(crate) fn new(random: &mut Random) -> Self {
        let mut models = Self { nodes: Vec::new(), choices: Vec::new() };
        for _ in 0..2 + random.below(3) {
            models.grow(random, None, 0);
        }
        for id in 0..models.nodes.len() {
            models.refer(random, id);
        }
        for id in 0..models.nodes.len() {
            models.nodes[id].rules = models.rules(random, id);
        }
        for id in 0..models.nodes.len() {
            let unique = models.unique(random, id);
            models.nodes[id].rules.push_str(&unique);
        }
        models
    }

    fn add(&mut self, random: &mut Random, parent: Option<usize>, kind: Kind) -> usize {
        let id = self.nodes.len();
        let inherited = parent.map_or("r", |parent| self.nodes[parent].module);
        let module = if random.chance(12) { "s" } else { inherited };
        let above = parent.map(|parent| self.nodes[parent].name.clone());
        let same = above.filter(|_| random.chance(8));
        let taken = |name: &String| self.children(parent).any(|c| self.nodes[c].name == *name);
        let name = same.filter(|name| !taken(name)).unwrap_or_else(|| format!("n{id}"));
        let of = random.pick(&[Type::Small, Type::Letter, Type::Truth]).clone();
        let node =
            Node { name, module, parent, kind, of, key: false, case: None, rules: String::new() };
        self.nodes.push(node);
        id
    }

    fn grow(&mut self, random: &mut Random, parent: Option<usize>, depth: usize) -> usize {
        let deep = depth < 3 && self.nodes.len() < 20;
        let kind = match random.below(if deep { 10 } else { 4 }) {
            0..=2 => Kind::Leaf,
            3 => Kind::LeafList { user: random.chance(40) },
            4 | 5 => Kind::Container { presence: false },
            6 => Kind::Container { presence: true },
            _ => Kind::List { keys: 1 + random.below(5) / 4, user: random.chance(25) },
        };
        let id = self.add(random, parent, kind);
        if let Kind::List { keys, .. } = kind {
            for _ in 0..keys {
                let key = self.add(random, Some(id), Kind::Leaf);
                self.nodes[key].key = true;
                self.nodes[key].module = self.nodes[id].module;
            }
        }
        if !self.is_leaf(id) {
            let children: Vec<usize> =
                (0..1 + random.below(4)).map(|_| self.grow(random, Some(id), depth + 1)).collect();
            if children.len() > 1 && random.chance(35) {
                self.choose(random, &children);
            }
        }
        id
    }

    /// Puts some of the children into cases of a choice.
    fn choose(&mut self, random: &mut Random, children: &[usize]) {
        let choice = self.choices.len();
        let cases = 2 + random.below(2);
        for child in children {
            let parent = self.nodes[*child].parent;
            let own =
                parent.is_none_or(|parent| self.nodes[parent].module == self.nodes[*child].module);
            if own && random.chance(85) {
                self.nodes[*child].case = Some((choice, random.below(cases)));
            }
        }
        let first = self.nodes.iter().any(|node| node.case == Some((choice, 0)));
        self.choices.push(match random.below(5) {
            1 | 2 if !first => String::new(),
            0 => "mandatory true;".to_owned(),
            1 | 2 => format!("default x{choice}-0;"),
            _ => String::new(),
        });
    }

    fn refer(&mut self, random: &mut Random, id: usize) {
        if !self.is_leaf(id) || random.chance(70) {
            return;
        }
        if random.chance(10) && !self.nodes[id].key {
            self.nodes[id].of = Type::Instance;
            return;
        }
        let plain = |to: &usize| {
            let of = &self.nodes[*to].of;
            let other = *to != id && expressions::knows(self, id, *to);
            other && self.is_leaf(*to) && matches!(of, Type::Small | Type::Letter | Type::Truth)
        };
        let targets: Vec<usize> = (0..self.nodes.len()).filter(plain).collect();
        if targets.is_empty() {
            return;
        }
        let to = *random.pick(&targets);
        let of = Box::new(self.nodes[to].of.clone());
        let path = expressions::leafref(random, self, id, to);
        let (required, union) = (random.chance(85), random.chance(15));
        self.nodes[id].of = Type::Ref { path, required, of, union };
    }

    fn rules(&self, random: &mut Random, id: usize) -> String {
        let node = &self.nodes[id];
        let mut rules = String::new();
        if !node.key && random.chance(15) {
            let when = expressions::condition(random, self, id, false);
            write!(rules, "when \"{when}\"; ").unwrap();
        }
        if random.chance(22) {
            let must = expressions::condition(random, self, id, true);
            let words = ["", "error-message \"Not so.\";", "error-message \"Too few of it.\";"];
            write!(rules, "must \"{must}\" {{ {} }} ", random.pick(&words)).unwrap();
        }
        if node.module == "s" && !rules.contains("when") {
            // An augment may not ask for more than was there.
            return rules;
        }
        match node.kind {
            Kind::List { .. } if random.chance(25) => rules.push_str(&many(random)),
            Kind::LeafList { .. } if random.chance(40) => rules.push_str(&many(random)),
            Kind::Leaf if !node.key => {
                let more = leaf_rules(random, &node.of);
                // What is chosen by default may not ask for more.
                let chosen = self.lineage(id).into_iter().any(|id| {
                    let choice = self.nodes[id].case.filter(|(_, case)| *case == 0);
                    choice.is_some_and(|(choice, _)| self.choices[choice].starts_with("default"))
                });
                rules.push_str(if chosen && more.contains("mandatory") { "" } else { &more });
            }
            _ => {}
        }
        rules
    }

    fn unique(&self, random: &mut Random, id: usize) -> String {
        let leaves = match self.nodes[id].kind {
            Kind::List { .. } => self.unique_leaves(id, ""),
            _ => Vec::new(),
        };
        if leaves.is_empty() || random.chance(40) {
            return String::new();
        }
        let (one, two) = (random.pick(&leaves).clone(), random.pick(&leaves).clone());
        let two = if two != one && random.chance(40) { two } else { String::new() };
        format!("unique \"{}\"; ", format!("{one} {two}").trim())
    }

    /// Leaves below an entry with no list on the way. What lies in a choice is found by another
    /// path; and libyang falls over a default that is not in use.
    fn unique_leaves(&self, id: usize, at: &str) -> Vec<String> {
        let mut found = Vec::new();
        for child in self.children(Some(id)) {
            let node = &self.nodes[child];
            let path = format!("{at}{}:{}", node.module, node.name);
            let off =
                node.rules.contains("when") || node.kind == Kind::Container { presence: true };
            match node.kind {
                _ if node.case.is_some() || node.module != self.nodes[id].module => {}
                Kind::Leaf if node.key => {}
                Kind::Leaf if !off || !node.rules.contains("default") => found.push(path),
                Kind::Container { .. } => {
                    let below = self.unique_leaves(child, &format!("{path}/"));
                    let default = |path: &String| {
                        path.rsplit(':').next().is_some_and(|name| {
                            self.nodes.iter().any(|n| n.name == name && n.rules.contains("default"))
                        })
                    };
                    found.extend(below.into_iter().filter(|path| !off || !default(path)));
                }
                _ => {}
            }
        }
        found
    }
}

fn many(random: &mut Random) -> String {
    match random.below(3) {
        0 => "min-elements 1; ".to_owned(),
        1 => format!("max-elements {}; ", 1 + random.below(3)),
        _ => "min-elements 1; max-elements 2; ".to_owned(),
    }
}

fn leaf_rules(random: &mut Random, of: &Type) -> String {
    match (random.below(10), of) {
        (0 | 1, _) => "mandatory true; ".to_owned(),
        (2..=4, Type::Small) => format!("default {}; ", random.below(3)),
        (2..=4, Type::Letter) => "default b; ".to_owned(),
        (2..=4, Type::Truth) => "default true; ".to_owned(),
        (2, Type::Ref { of, .. }) if **of == Type::Letter => "default a; ".to_owned(),
        _ => String::new(),
    }
}
