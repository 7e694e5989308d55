//! Operations of a client, made into one edit.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_types::{Addition, Content, Edit, Element, Keys, Path, Value};

use crate::data::Data;
use crate::error::{DataError, EditError, PathError};
use crate::intake::{Misfit, Units};
use crate::locate::{Located, ONE};
use crate::schema::Kind;
use crate::set::ModelSet;

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
    /// first, then replaces, then updates. It does not depend on what stands there.
    ///
    /// Of what has no place in the models the first is told; of values that their types do not have, all
    /// in all operations.
    pub fn edit(&self, operations: &[Operation]) -> Result<Edit, EditError> {
        let mut draft = Draft {
            set: self,
            cleared: BTreeSet::new(),
            clear: Vec::new(),
            units: BTreeMap::new(),
            additions: BTreeMap::new(),
        };
        let mut misfits = Vec::new();
        for operation in operations {
            match draft.operation(operation) {
                Err(EditError::Data(DataError::Values(more))) => misfits.extend(more),
                done => done?,
            }
        }
        if !misfits.is_empty() {
            return Err(DataError::Values(misfits).into());
        }
        let (set, add) = (draft.units.into_iter().collect(), draft.additions.into_iter().collect());
        Ok(Edit { clear: draft.clear, set, add })
    }
}

/// An edit in the making.
struct Draft<'a> {
    set: &'a ModelSet,
    /// What `clear` holds, to find it again.
    cleared: BTreeSet<Path>,
    clear: Vec<Path>,
    units: BTreeMap<Path, Content>,
    additions: BTreeMap<Path, Addition>,
}

impl Draft<'_> {
    fn operation(&mut self, operation: &Operation) -> Result<(), EditError> {
        match operation {
            Operation::Delete(path) => self.delete(path),
            Operation::Replace(path, data) => self.replace(path, data),
            Operation::Update(path, data) => {
                let at = self.writable(path)?;
                let units = self.intake(&at, data)?;
                self.merge(units);
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
            self.clear(inside(&at));
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

    /// Takes away everything at and below a path, also what an earlier operation set or added.
    fn clear(&mut self, path: Path) {
        self.units.retain(|unit, _| !path.covers(unit));
        self.additions.retain(|unit, addition| {
            if let Addition::Entries(entries) = addition {
                entries.retain(|keys| unit.entry(keys).is_none_or(|entry| !path.covers(&entry)));
            }
            !path.covers(unit) && *addition != Addition::Entries(Vec::new())
        });
        if self.cleared.insert(path.clone()) {
            self.clear.push(path);
        }
    }

    /// What a replace puts there. All clearing comes before all setting, so that two cases in one value
    /// are both there and validation can say so.
    fn put(&mut self, units: Units) {
        self.clear_rivals(&units);
        self.add_entries(units.order);
        for (path, content) in units.set {
            self.additions.remove(&path);
            self.units.insert(path, content);
        }
    }

    /// The same for an update, which takes nothing away: the values of a leaf-list join those there.
    fn merge(&mut self, units: Units) {
        self.clear_rivals(&units);
        self.add_entries(units.order);
        for (path, content) in units.set {
            match content {
                Content::LeafList(values) => self.add_values(path, &values),
                content => {
                    self.units.insert(path, content);
                }
            }
        }
    }

    fn clear_rivals(&mut self, units: &Units) {
        units.rivals.iter().for_each(|rival| self.clear(rival.clone()));
    }

    fn add_entries(&mut self, order: Vec<(Path, Keys)>) {
        for (list, keys) in order {
            let addition = self.additions.entry(list);
            match addition.or_insert_with(|| Addition::Entries(Vec::new())) {
                Addition::Entries(entries) => entries.push(keys),
                Addition::Values { .. } => {}
            }
        }
    }

    fn add_values(&mut self, path: Path, more: &[Value]) {
        let node = self.set.schema().find(&path).map(|id| self.set.schema().node(id));
        let sorted = node.is_none_or(|node| !node.user_ordered);
        // What this request put there stays as it is, and so there is nothing else to join.
        if let Some(Content::LeafList(before)) = self.units.get_mut(&path) {
            let new = more.iter().filter(|value| !before.contains(value));
            let mut all: Vec<Value> = before.iter().chain(new).cloned().collect();
            if sorted {
                all.sort();
            }
            *before = all.into();
            return;
        }
        let empty = || Addition::Values { values: Vec::new(), sorted };
        match self.additions.entry(path).or_insert_with(empty) {
            Addition::Values { values, .. } => values.extend_from_slice(more),
            Addition::Entries(_) => {}
        }
    }
}

/// What a replace takes away. An entry itself stays, and with it its place in the list.
fn inside(at: &Located) -> Path {
    let all = at.is_entry().then(|| Element::new(ONE).ok()).flatten();
    all.map_or_else(|| at.path.clone(), |all| at.path.child(all))
}
