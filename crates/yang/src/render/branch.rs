//! Units in the order of their paths, seen as a tree. Nothing is built: a node is the run of units whose paths begin
//! alike.

use lockstep_types::{Content, Element, Path};

use crate::change::find::makes_exist;

/// A unit, and where it stands.
pub(crate) type Unit<'u> = (&'u Path, &'u Content);

/// A node, and all that is below it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Branch<'u> {
    /// Ordered by path; all begin with the path of the node.
    units: &'u [Unit<'u>],
    /// How many elements that has.
    depth: usize,
}

impl<'u> Branch<'u> {
    /// The root, above these units; they are in the order of their paths.
    pub(crate) fn root(units: &'u [Unit<'u>]) -> Self {
        Self { units, depth: 0 }
    }

    /// A unit with nothing below it.
    pub(crate) fn leaf(unit: &'u [Unit<'u>; 1]) -> Self {
        Self { units: unit, depth: unit[0].0.elements().len() }
    }

    /// How many elements its path has.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    fn elements(&self) -> &'u [Element] {
        let path = self.units.first().map(|(path, _)| path.elements());
        path.and_then(|elements| elements.get(..self.depth)).unwrap_or_default()
    }

    /// Its path.
    pub(crate) fn path(&self) -> Path {
        self.elements().iter().cloned().collect()
    }

    /// The last element of its path; none at the root.
    pub(crate) fn last(&self) -> Option<&'u Element> {
        self.elements().last()
    }

    /// What stands at the node itself.
    pub(crate) fn content(&self) -> Option<&'u Content> {
        let (path, content) = self.units.first()?;
        (path.elements().len() == self.depth).then_some(*content)
    }

    /// Whether anything in it exists.
    pub(crate) fn is_live(&self) -> bool {
        self.units.iter().any(|(_, content)| makes_exist(content))
    }

    /// The nodes right below it, in order.
    pub(crate) fn below(&self) -> impl Iterator<Item = (&'u Element, Self)> + use<'u> {
        let depth = self.depth;
        let mut rest = self.units;
        std::iter::from_fn(move || {
            // What stands at the node itself comes first.
            let first = rest.iter().position(|(path, _)| path.elements().len() > depth)?;
            let element = &rest[first].0.elements()[depth];
            let alike =
                |(path, _): &Unit<'_>| path.elements().get(depth).is_some_and(|e| e == element);
            let from = &rest[first..];
            let (units, after) = from.split_at(from.iter().take_while(|unit| alike(unit)).count());
            rest = after;
            Some((element, Self { units, depth: depth + 1 }))
        })
    }
}
