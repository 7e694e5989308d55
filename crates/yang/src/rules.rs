//! Which rules there are, and what each may read: worked out once from the models.
//!
//! A rule is a condition (`when`), a `must` or a reference of a node. It may read places: from some
//! node above it, or the root, down to another node, with the keys of entries on the way where the
//! expression names them. What an expression is not understood to read, it counts as reading
//! everything: such a rule is unbounded.

mod across;
mod circular;
mod pending;
mod place;
mod reads;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use place::{Place, Source, Step};

use crate::raw::{Address, Reference};
use crate::schema::{Facts, Id, Kind, Schema};

/// What kind of rule it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    When,
    Must,
    /// A leafref. Alone: not as a member of a union, so that it can only be broken by what goes.
    Leafref {
        alone: bool,
    },
}

/// How much of a place is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Whether it is there.
    Existence,
    /// A leaf's value; of anything else, all that is below.
    Value,
    /// The values among which that of a leafref has to be.
    Target,
}

/// One place that a rule may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) place: Place,
    pub(crate) extent: Extent,
}

/// One rule of a node.
#[derive(Debug)]
pub(crate) struct Rule {
    /// The node it is a rule of.
    pub(crate) at: Id,
    pub(crate) nature: Nature,
    /// None: unbounded.
    pub(crate) reads: Option<Vec<Read>>,
    /// What it comes across besides, on its way to what it reads.
    pub(crate) crosses: BTreeSet<Id>,
}

/// The part of a node in rules.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// How many elements its paths have.
    pub(crate) depth: usize,
    /// The rules it has, by their place in the table.
    pub(crate) rules: Vec<usize>,
    /// Whether it is there without being set, where what it is in is there: a container that is only
    /// structure, or a leaf with a default.
    pub(crate) implicit: bool,
    /// The default of a leaf, as libyang writes it.
    pub(crate) default: Option<String>,
    pub(crate) mandatory: bool,
    pub(crate) min: u32,
    pub(crate) max: Option<u32>,
    /// Of a list: the leaves of each `unique`.
    pub(crate) uniques: Vec<Vec<Id>>,
    /// Of a leaf: the lists it has to be unique in.
    pub(crate) unique_in: Vec<Id>,
    /// Whether its type is or has an instance-identifier whose instance has to be there.
    pub(crate) instance: bool,
    pub(crate) has_when: bool,
    /// Of a leaf that is there only where it is set: whether one of its rules looks from above a list
    /// that it is in, so that what happens in one entry matters to others.
    pub(crate) far: bool,
    /// Whether something may be missing in it, or be of two cases.
    pub(crate) asks_inside: bool,
    /// Whether it matters to any rule that it comes or goes, with what is in it by default.
    pub(crate) stirs: bool,
    /// The reads that depend on it: the rule, and which of its reads.
    pub(crate) readers: Vec<(usize, usize)>,
}

/// The rules of a model set.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) rules: Vec<Rule>,
    parts: Vec<Part>,
    /// The names of the leaves that are far from what they read.
    pub(crate) far_names: BTreeSet<String>,
    /// The nodes in the presence of which a rule is looked at that is not bounded.
    pub(crate) unbounded: BTreeSet<Id>,
    /// A condition that libyang does not survive: its node, what that is in, and what it waits for.
    pub(crate) pending: Option<(Id, Id, Id)>,
    /// The nodes that hold instance-identifiers.
    pub(crate) instances: Vec<Id>,
}

impl Rules {
    pub(crate) fn part(&self, id: Id) -> &Part {
        &self.parts[id]
    }

    pub(crate) fn build(schema: &Schema, facts: Vec<Facts>) -> Self {
        let by_address: BTreeMap<Address, Id> =
            facts.iter().enumerate().map(|(id, facts)| (facts.address, id)).collect();
        let parts =
            facts.iter().enumerate().map(|(id, facts)| part(schema, id, facts, &by_address));
        let parts = parts.collect();
        let (rules, far_names) = (Vec::new(), BTreeSet::new());
        let (unbounded, instances) = (BTreeSet::new(), Vec::new());
        let pending = None;
        let mut rules = Self { rules, parts, far_names, unbounded, pending, instances };
        let reader = reads::Reader { schema, facts: &facts, by_address: &by_address };
        let config = schema.ids().filter(|id| schema.node(*id).config);
        let mut found: Vec<Rule> = config.flat_map(|id| reader.rules(id)).collect();
        let implicit = |id: Id| rules.parts[id].implicit;
        rules.pending = pending::find(schema, &found, implicit);
        unbind(schema, &mut found);
        found.into_iter().for_each(|rule| rules.add(schema, rule));
        rules.index_uniques(schema);
        rules.index_stirs(schema);
        rules.instances = schema.ids().filter(|id| rules.parts[*id].instance).collect();
        rules
    }

    fn add(&mut self, schema: &Schema, rule: Rule) {
        let number = self.rules.len();
        self.parts[rule.at].rules.push(number);
        self.parts[rule.at].has_when |= rule.nature == Nature::When;
        match &rule.reads {
            // A condition also decides on what is missing, so it matters where its node could be.
            None if rule.nature == Nature::When => {
                self.unbounded.insert(schema.node(rule.at).parent);
            }
            None => {
                self.unbounded.insert(rule.at);
            }
            Some(reads) => {
                if self.is_far(schema, rule.at, reads) {
                    self.parts[rule.at].far = true;
                    self.far_names.insert(schema.node(rule.at).element.clone());
                }
                for (place, read) in reads.iter().enumerate() {
                    self.index(schema, read.place.end(), read.extent, (number, place));
                }
            }
        }
        self.rules.push(rule);
    }

    fn is_far(&self, schema: &Schema, at: Id, reads: &[Read]) -> bool {
        let node = schema.node(at);
        let lineage = schema.lineage(at);
        let across = |read: &Read| {
            let way = lineage.get(self.parts[read.place.base].depth..).unwrap_or_default();
            way.iter().any(|id| schema.node(*id).kind == Kind::List)
        };
        let settable = node.is_leaf() && !node.is_key() && !self.parts[at].implicit;
        settable && reads.iter().any(across)
    }

    /// The value of what is no leaf is everything below it.
    fn index(&mut self, schema: &Schema, id: Id, extent: Extent, reader: (usize, usize)) {
        self.parts[id].readers.push(reader);
        if extent == Extent::Value {
            for child in schema.node(id).children.iter().filter(|child| schema.node(**child).config)
            {
                self.index(schema, *child, extent, reader);
            }
        }
    }

    /// From the leaves up: children stand behind their parents in the table.
    fn index_stirs(&mut self, schema: &Schema) {
        for id in (0..self.parts.len()).rev() {
            let node = schema.node(id);
            let children = node.children.iter().filter(|child| schema.node(**child).config);
            let (mut inside, mut below) = (false, false);
            for child in children {
                let (node, part) = (schema.node(*child), &self.parts[*child]);
                inside |= part.mandatory || !node.cases.is_empty();
                below |= part.min > 0 || (part.implicit || node.is_key()) && part.stirs;
            }
            let part = &mut self.parts[id];
            let read = !part.rules.is_empty() || !part.readers.is_empty();
            let listed = part.min > 0 || part.max.is_some() || !part.uniques.is_empty();
            let watched = read || listed || part.mandatory || !part.unique_in.is_empty();
            part.asks_inside = inside;
            part.stirs = watched || inside || below || !node.cases.is_empty();
        }
    }

    fn index_uniques(&mut self, schema: &Schema) {
        for list in schema.ids() {
            for leaf in self.parts[list].uniques.concat() {
                self.parts[leaf].unique_in.push(list);
            }
        }
    }
}

/// Makes every rule unbounded that has a condition to do with of which libyang says different things,
/// depending on its way through the data.
fn unbind(schema: &Schema, rules: &mut [Rule]) {
    let mut unsteady = circular::find(schema, rules);
    unsteady.extend(across::find(schema, rules));
    if unsteady.is_empty() {
        return;
    }
    for rule in rules {
        let own = rule.nature == Nature::When && unsteady.contains(&rule.at);
        if own || circular::met(schema, rule).iter().any(|id| unsteady.contains(id)) {
            rule.reads = None;
        }
    }
}

fn part(schema: &Schema, id: Id, facts: &Facts, by_address: &BTreeMap<Address, Id>) -> Part {
    let node = schema.node(id);
    let known = |leaves: &Vec<Address>| {
        leaves.iter().filter_map(|leaf| by_address.get(leaf).copied()).collect()
    };
    let required = |reference: &Reference| *reference == Reference::Instance { required: true };
    Part {
        depth: schema.lineage(id).len(),
        implicit: facts.default || node.kind == (Kind::Container { presence: false }),
        default: facts.text.clone(),
        mandatory: facts.mandatory,
        min: facts.min,
        max: facts.max,
        uniques: facts.uniques.iter().map(known).collect(),
        instance: node.config && facts.references.iter().any(required),
        ..Part::default()
    }
}
