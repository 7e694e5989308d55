//! Operations of a client, made into one edit.

mod order;

use std::collections::{BTreeMap, BTreeSet};

use lockstep_types::{Configuration, Content, Edit, Path, Value};

use crate::data::Data;
use crate::error::{DataError, EditError, PathError};
use crate::intake::{Misfit, Units};
use crate::locate::Located;
use crate::schema::Kind;
use crate::set::ModelSet;

use order::Order;

/// One thing a client asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Everything at and below the path goes. Wildcards and keys that are left out stand for all
    /// they match.
    Delete(Path),
    /// What is at the path becomes exactly this.
    Replace(Path, Data),
    /// This is set, and nothing else changes.
    Update(Path, Data),
}

impl ModelSet {
    /// The edit that these operations come to, taken in the order given; the caller puts deletes
    /// first, then replaces, then updates.
    ///
    /// It is made without knowing what stands there. The order of a user-ordered list then is that
    /// of the entries the operations name, and an updated leaf-list has the values they name; use
    /// [`ModelSet::edit_onto`] where there may be more.
    pub fn edit(&self, operations: &[Operation]) -> Result<Edit, EditError> {
        self.edit_onto(&Configuration::new(), operations)
    }

    /// The same, knowing what stands there now. That is used for two things. An entry that is new
    /// to a user-ordered list goes to its end, and one that is deleted leaves the order. An update
    /// of a leaf-list adds to the values it has.
    pub fn edit_onto(
        &self,
        standing: &Configuration,
        operations: &[Operation],
    ) -> Result<Edit, EditError> {
        let mut draft = Draft {
            set: self,
            standing,
            cleared: BTreeSet::new(),
            clear: Vec::new(),
            units: BTreeMap::new(),
            orders: BTreeMap::new(),
        };
        operations.iter().try_for_each(|operation| draft.operation(operation))?;
        Ok(draft.finish())
    }
}

/// An edit in the making.
struct Draft<'a> {
    set: &'a ModelSet,
    standing: &'a Configuration,
    /// What `clear` holds, to find it again.
    cleared: BTreeSet<Path>,
    clear: Vec<Path>,
    units: BTreeMap<Path, Content>,
    /// The orders of user-ordered lists as far as they were touched.
    orders: BTreeMap<Path, Order>,
}

impl Draft<'_> {
    fn operation(&mut self, operation: &Operation) -> Result<(), EditError> {
        match operation {
            Operation::Delete(path) => self.delete(path),
            Operation::Replace(path, data) => self.replace(path, data),
            Operation::Update(path, data) => {
                let at = self.writable(path)?;
                let mut units = self.intake(&at, data)?;
                self.merge(&mut units);
                self.put(units);
                Ok(())
            }
        }
    }

    fn delete(&mut self, path: &Path) -> Result<(), EditError> {
        let at = self.set.locate(path)?;
        let path = || path.clone();
        let nodes = || at.ends().iter().map(|id| self.set.schema().node(*id));
        if nodes().all(|node| !node.config) {
            return Err(PathError::ReadOnly { path: path() }.into());
        }
        if nodes().all(|node| node.is_key()) {
            return Err(PathError::Key { path: path() }.into());
        }
        if nodes().all(|node| node.kind == Kind::Any) {
            return Err(PathError::Unsupported { path: path() }.into());
        }
        self.leave_order(&at);
        self.clear(at.path);
        Ok(())
    }

    fn replace(&mut self, path: &Path, data: &Data) -> Result<(), EditError> {
        let at = self.writable(path)?;
        let is_empty = data.json.as_object().is_some_and(serde_json::Map::is_empty);
        if at.is_entry() && is_empty {
            return Err(DataError::EmptyEntry { path: at.path }.into());
        }
        let units = self.intake(&at, data)?;
        // A leaf that is set needs no clearing, nor has the key of an entry anything to clear.
        if !matches!(self.set.schema().node(at.id()).kind, Kind::Leaf { .. }) {
            self.clear(at.path);
        }
        self.put(units);
        Ok(())
    }

    fn writable(&self, path: &Path) -> Result<Located, PathError> {
        let at = self.set.locate_one(path)?;
        let node = self.set.schema().node(at.id());
        if !node.config {
            return Err(PathError::ReadOnly { path: path.clone() });
        }
        if node.kind == Kind::Any {
            return Err(PathError::Unsupported { path: path.clone() });
        }
        Ok(at)
    }

    fn intake(&self, at: &Located, data: &Data) -> Result<Units, DataError> {
        self.set.intake(at, &data.json, data.source(), Misfit::Refuse)
    }

    /// Takes away everything at and below a path, also what an earlier operation set.
    fn clear(&mut self, path: Path) {
        self.units.retain(|unit, _| !path.covers(unit));
        self.orders.retain(|list, _| !path.covers(list));
        if self.cleared.insert(path.clone()) {
            self.clear.push(path);
        }
    }

    /// Whether what stood at this path is taken away.
    fn clears(&self, path: &Path) -> bool {
        self.clear.iter().any(|cleared| cleared.covers(path))
    }

    /// Adds the values that leaf-lists have already: an update takes none away. New ones go to the
    /// end, or where the system puts them.
    fn merge(&self, units: &mut Units) {
        for (path, content) in &mut units.set {
            let Content::LeafList(values) = content else { continue };
            let standing = || self.standing.get(path).filter(|_| !self.clears(path));
            let Some(Content::LeafList(before)) = self.units.get(path).or_else(standing) else {
                continue;
            };
            let known: BTreeSet<&Value> = before.iter().collect();
            let new = values.iter().filter(|value| !known.contains(value));
            let mut both: Vec<Value> = before.iter().chain(new).cloned().collect();
            let node = self.set.schema().find(path).map(|id| self.set.schema().node(id));
            if node.is_none_or(|node| !node.user_ordered) {
                both.sort();
            }
            *values = both;
        }
    }

    /// All clearing comes before all setting, so that two cases in one value are both there and
    /// validation can say so.
    fn put(&mut self, units: Units) {
        units.rivals.into_iter().for_each(|rival| self.clear(rival));
        for (list, keys) in units.order {
            self.join_order(&list, keys);
        }
        self.units.extend(units.set);
    }

    fn finish(mut self) -> Edit {
        self.put_orders();
        Edit { clear: self.clear, set: self.units }
    }
}
