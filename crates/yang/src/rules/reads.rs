//! What the expressions of a node may read. Wherever this is in doubt it is more.

use std::collections::{BTreeMap, BTreeSet};

use super::{Extent, Nature, Place, Read, Rule, Source};
use crate::raw::{Address, Expression, Reference};
use crate::schema::{Facts, Id, Kind, ROOT, Schema};
use crate::xpath::{Axis, Expr, Operator, Start, Step, Test};

/// An expression that leads to more places than this counts as unbounded.
const MANY: usize = 4096;

/// Reads the rules of nodes.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) schema: &'a Schema,
    pub(super) facts: &'a [Facts],
    pub(super) by_address: &'a BTreeMap<Address, Id>,
}

impl Reader<'_> {
    pub(super) fn rules(&self, at: Id) -> Vec<Rule> {
        let facts = &self.facts[at];
        let mut rules = Vec::new();
        for when in &facts.whens {
            let context = when.context.map_or(Some(ROOT), |a| self.by_address.get(&a).copied());
            let seen = context.and_then(|from| self.condition(from, &when.expression, at));
            rules.push(rule(at, Nature::When, seen));
        }
        for must in &facts.musts {
            rules.push(rule(at, Nature::Must, self.condition(at, must, at)));
        }
        let alone = facts.references.len() == 1;
        for reference in &facts.references {
            if let Reference::Leafref { path, required: true } = reference {
                rules.push(rule(at, Nature::Leafref { alone }, self.leafref(at, path)));
            }
        }
        rules
    }

    fn condition(&self, from: Id, expression: &Expression, at: Id) -> Option<Seen> {
        let expr = Expr::read(&expression.text)?;
        let mut sight = Sight::new(*self, expression, at, Place::at(from));
        sight.truth(&expr, &Place::at(from))?;
        Some((sight.reads, sight.crosses))
    }

    fn leafref(&self, at: Id, path: &Expression) -> Option<Seen> {
        let expr = Expr::read(&path.text)?;
        let mut sight = Sight::new(*self, path, at, Place::at(at));
        let targets = sight.nodes(&expr, &Place::at(at))?;
        sight.emit(targets, Extent::Target)?;
        Some((sight.reads, sight.crosses))
    }
}

/// Looking through one expression. `None` anywhere: it is not bounded.
struct Sight<'a> {
    reader: Reader<'a>,
    expression: &'a Expression,
    /// The module of names without prefix.
    module: &'a str,
    /// What `current()` is.
    current: Place,
    /// Whether that is the node of the rule, so that keys may be taken from there.
    own: bool,
    depth: usize,
    reads: Vec<Read>,
    crosses: BTreeSet<Id>,
}

/// What an expression reads, and what it comes across besides.
type Seen = (Vec<Read>, BTreeSet<Id>);

fn rule(at: Id, nature: Nature, seen: Option<Seen>) -> Rule {
    let (reads, crosses) = seen.unzip();
    Rule { at, nature, reads, crosses: crosses.unwrap_or_default() }
}

impl<'a> Sight<'a> {
    fn new(reader: Reader<'a>, expression: &'a Expression, at: Id, current: Place) -> Self {
        let own = expression.prefixes.iter().find(|(prefix, _)| prefix.is_none());
        let module = own.map_or(&*reader.schema.node(at).module, |(_, module)| module);
        let (reads, crosses) = (Vec::new(), BTreeSet::new());
        Self { reader, expression, module, current, own: true, depth: 0, reads, crosses }
    }

    fn emit(&mut self, places: Vec<Place>, extent: Extent) -> Option<()> {
        for place in places {
            // What is above the node of a rule is there when it is.
            if place.steps.is_empty() && extent == Extent::Existence {
                continue;
            }
            let read = Read { place, extent };
            if !self.reads.contains(&read) {
                self.reads.push(read);
            }
        }
        (self.reads.len() < MANY).then_some(())
    }

    /// Looks at an expression of which only the truth matters.
    fn truth(&mut self, expr: &Expr, context: &Place) -> Option<()> {
        let nodes = self.nodes(expr, context)?;
        self.emit(nodes, Extent::Existence)
    }

    /// Looks at an expression whose value matters.
    fn value(&mut self, expr: &Expr, context: &Place) -> Option<()> {
        let nodes = self.nodes(expr, context)?;
        self.emit(nodes, Extent::Value)
    }

    /// The nodes an expression leads to. All that is read on the way is noted, but not what is
    /// made of those nodes.
    fn nodes(&mut self, expr: &Expr, context: &Place) -> Option<Vec<Place>> {
        match expr {
            Expr::Number | Expr::Literal(_) => Some(Vec::new()),
            Expr::Binary { operator: Operator::Union, left, right } => {
                let mut both = self.nodes(left, context)?;
                both.extend(self.nodes(right, context)?);
                Some(both)
            }
            Expr::Binary { operator: Operator::Logic, left, right } => {
                self.truth(left, context)?;
                self.truth(right, context)?;
                Some(Vec::new())
            }
            Expr::Binary { left, right, .. } => {
                self.value(left, context)?;
                self.value(right, context)?;
                Some(Vec::new())
            }
            Expr::Call { name, arguments } => self.call(name, arguments, context),
            Expr::Path { start, steps } => {
                let mut places = match start {
                    Start::Root => vec![Place::at(ROOT)],
                    Start::Context => vec![context.clone()],
                    Start::Nodes { of, predicates } => {
                        let nodes = self.nodes(of, context)?;
                        self.filter(nodes, predicates)?
                    }
                };
                for step in steps {
                    places = self.step(&places, step)?;
                }
                Some(places)
            }
        }
    }

    fn call(&mut self, name: &str, arguments: &[Expr], context: &Place) -> Option<Vec<Place>> {
        match name {
            "current" => return Some(vec![self.current.clone()]),
            "deref" => return self.deref(arguments.first()?, context),
            "id" => return None,
            "count" | "not" | "boolean" => {
                arguments.iter().try_for_each(|argument| self.truth(argument, context))?;
            }
            "position" | "last" | "true" | "false" => {}
            _ if arguments.is_empty() => self.emit(vec![context.clone()], Extent::Value)?,
            _ => arguments.iter().try_for_each(|argument| self.value(argument, context))?,
        }
        Some(Vec::new())
    }

    /// Where leafrefs lead to.
    fn deref(&mut self, argument: &Expr, context: &Place) -> Option<Vec<Place>> {
        let leaves = self.nodes(argument, context)?;
        self.emit(leaves.clone(), Extent::Value)?;
        let facts = self.reader.facts;
        let mut found = Vec::new();
        for leaf in leaves {
            for reference in &facts[leaf.end()].references {
                let Reference::Leafref { path, .. } = reference else { return None };
                let expr = Expr::read(&path.text).filter(|_| self.depth < 8)?;
                let mut sight = Sight::new(self.reader, path, leaf.end(), leaf.clone());
                (sight.own, sight.depth) = (false, self.depth + 1);
                found.extend(sight.nodes(&expr, &leaf)?);
                let reads = std::mem::take(&mut sight.reads);
                reads.into_iter().try_for_each(|read| self.emit(vec![read.place], read.extent))?;
                self.crosses.append(&mut sight.crosses);
            }
        }
        Some(found)
    }

    fn step(&mut self, from: &[Place], step: &Step) -> Option<Vec<Place>> {
        let mut found: Vec<Place> = Vec::new();
        for place in from {
            if !matches!(step.axis, Axis::Child | Axis::Itself) {
                // What lies on the way has to be there.
                self.emit(vec![place.clone()], Extent::Existence)?;
            }
            for reached in self.axis(place, step)? {
                if !found.contains(&reached) {
                    found.push(reached);
                }
            }
        }
        if found.len() > MANY {
            return None;
        }
        if step.axis == Axis::Sibling {
            self.emit(found.clone(), Extent::Existence)?;
        }
        self.filter(found, &step.predicates)
    }

    fn axis(&mut self, place: &Place, step: &Step) -> Option<Vec<Place>> {
        let schema = self.reader.schema;
        let up =
            |place: &Place| std::iter::successors(place.parent(schema), |up| up.parent(schema));
        let reached: Vec<Place> = match step.axis {
            Axis::Child => self.children(place),
            Axis::Parent => place.parent(schema).into_iter().collect(),
            Axis::Itself => vec![place.clone()],
            Axis::Descendant => self.below(place)?,
            Axis::DescendantOrSelf => {
                std::iter::once(place.clone()).chain(self.below(place)?).collect()
            }
            Axis::Ancestor => up(place).collect(),
            Axis::AncestorOrSelf => std::iter::once(place.clone()).chain(up(place)).collect(),
            Axis::Sibling => {
                place.parent(schema).map(|above| self.children(&above)).unwrap_or_default()
            }
        };
        if matches!(step.axis, Axis::Descendant | Axis::DescendantOrSelf) {
            self.crosses.extend(reached.iter().map(Place::end));
        }
        if step.test == Test::Text {
            self.emit(vec![place.clone()], Extent::Value)?;
        }
        let (prefix, name) = match &step.test {
            Test::Node | Test::Text => return Some(reached),
            Test::Name { prefix, name } => (prefix.as_ref(), Some(name)),
            Test::Any { prefix } => (prefix.as_ref(), None),
        };
        let module = match (prefix, name) {
            (None, None) => None,
            (None, Some(_)) => Some(self.module),
            (Some(prefix), _) => Some(self.module_of(prefix)?),
        };
        let passes = |place: &Place| {
            let node = schema.node(place.end());
            name.is_none_or(|name| node.name == *name)
                && module.is_none_or(|module| node.module == module)
        };
        Some(reached.into_iter().filter(passes).collect())
    }

    fn module_of(&self, prefix: &str) -> Option<&'a str> {
        let mut prefixes = self.expression.prefixes.iter();
        let found = prefixes.find(|(known, _)| known.as_deref() == Some(prefix))?;
        Some(&found.1)
    }

    /// State is never there.
    fn children(&self, place: &Place) -> Vec<Place> {
        let schema = self.reader.schema;
        let children = schema.node(place.end()).children.iter();
        let config = children.filter(|child| schema.node(**child).config);
        config.map(|child| place.child(*child)).collect()
    }

    fn below(&self, place: &Place) -> Option<Vec<Place>> {
        let mut found = Vec::new();
        let mut open = self.children(place);
        while let Some(next) = open.pop() {
            open.extend(self.children(&next));
            found.push(next);
            if found.len() > MANY {
                return None;
            }
        }
        Some(found)
    }

    /// The nodes that may pass the predicates: all, but for entries that are named by their keys.
    fn filter(&mut self, places: Vec<Place>, predicates: &[Expr]) -> Option<Vec<Place>> {
        let mut passed = Vec::new();
        for mut place in places {
            for predicate in predicates {
                if let Some((key, source)) = self.key(&place, predicate, &place.clone())? {
                    if let Some(step) = place.steps.last_mut() {
                        step.keys.push((key, source));
                    }
                } else {
                    // Their number and order may count.
                    self.emit(vec![place.clone()], Extent::Existence)?;
                    self.truth(predicate, &place)?;
                }
            }
            passed.push(place);
        }
        Some(passed)
    }

    /// The key that a predicate asks for, if it is of that form.
    fn key(
        &mut self,
        place: &Place,
        predicate: &Expr,
        context: &Place,
    ) -> Option<Option<(String, Source)>> {
        let schema = self.reader.schema;
        let Expr::Binary { operator: Operator::Equal, left, right } = predicate else {
            return Some(None);
        };
        if place.steps.is_empty() || schema.node(place.end()).kind != Kind::List {
            return Some(None);
        }
        let Expr::Path { start: Start::Context, steps } = &**left else { return Some(None) };
        let [step] = steps.as_slice() else { return Some(None) };
        if step.axis != Axis::Child || !step.predicates.is_empty() {
            return Some(None);
        }
        let leaf = self.axis(place, step)?;
        let [leaf] = leaf.as_slice() else { return Some(None) };
        let node = schema.node(leaf.end());
        if !node.is_key() {
            return Some(None);
        }
        let Some(source) = self.source(right, context)? else { return Some(None) };
        Some(Some((node.name.clone(), source)))
    }

    /// A literal, or a leaf that is found from `current()` without a choice of entries.
    fn source(&mut self, expr: &Expr, context: &Place) -> Option<Option<Source>> {
        if let Expr::Literal(text) = expr {
            return Some(Some(Source::Text(text.clone())));
        }
        let Expr::Path { start: Start::Nodes { of, predicates }, steps } = expr else {
            return Some(None);
        };
        let is_current = matches!(&**of, Expr::Call { name, .. } if name == "current");
        let plain = |step: &Step| {
            matches!(step.axis, Axis::Child | Axis::Parent) && step.predicates.is_empty()
        };
        if !self.own || !is_current || !predicates.is_empty() || !steps.iter().all(plain) {
            return Some(None);
        }
        let found = self.nodes(expr, context)?;
        self.emit(found.clone(), Extent::Value)?;
        let schema = self.reader.schema;
        let single = |place: &Place| {
            let lists = place.steps.iter().any(|step| schema.node(step.id).kind == Kind::List);
            !lists && matches!(schema.node(place.end()).kind, Kind::Leaf { .. })
        };
        let [leaf] = found.as_slice() else { return Some(None) };
        Some(single(leaf).then(|| Source::Leaf(leaf.clone())))
    }
}
