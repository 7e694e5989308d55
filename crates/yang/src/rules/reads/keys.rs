//! Predicates, and the keys of entries that they ask for.

use super::Sight;
use crate::rules::{Extent, Place, Source};
use crate::schema::Kind;
use crate::xpath::{Axis, Expr, Operator, Start, Step};

impl Sight<'_> {
    /// The nodes that may pass the predicates: all, but for entries that are named by their keys.
    pub(super) fn filter(&mut self, places: Vec<Place>, predicates: &[Expr]) -> Option<Vec<Place>> {
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
    pub(super) fn key(
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
    pub(super) fn source(&mut self, expr: &Expr, context: &Place) -> Option<Option<Source>> {
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
