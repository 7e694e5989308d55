//! What the expressions of a node may read. Wherever this is in doubt it is more.

mod keys;
mod steps;

use std::collections::{BTreeMap, BTreeSet};

use super::{Extent, Nature, Place, Read, Rule};
use crate::raw::{Address, Expression, Reference};
use crate::schema::{Facts, Id, ROOT, Schema};
use crate::xpath::{Expr, Operator, Start};

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
}
