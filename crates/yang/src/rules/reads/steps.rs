//! The steps of location paths.

use super::{MANY, Sight};
use crate::rules::{Extent, Place};
use crate::xpath::{Axis, Step, Test};

impl<'a> Sight<'a> {
    pub(super) fn step(&mut self, from: &[Place], step: &Step) -> Option<Vec<Place>> {
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

    pub(super) fn axis(&mut self, place: &Place, step: &Step) -> Option<Vec<Place>> {
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

    pub(super) fn module_of(&self, prefix: &str) -> Option<&'a str> {
        let mut prefixes = self.expression.prefixes.iter();
        let found = prefixes.find(|(known, _)| known.as_deref() == Some(prefix))?;
        Some(&found.1)
    }

    /// State is never there.
    pub(super) fn children(&self, place: &Place) -> Vec<Place> {
        let schema = self.reader.schema;
        let children = schema.node(place.end()).children.iter();
        let config = children.filter(|child| schema.node(**child).config);
        config.map(|child| place.child(*child)).collect()
    }

    pub(super) fn below(&self, place: &Place) -> Option<Vec<Place>> {
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
}
