//! JSON into units.
//!
//! First the shape: names are looked up, and every single value is put aside with the leaf it is
//! for. Then all values are made canonical at once. Then the units are built, for only now the keys
//! that their paths need are known.

mod emit;
mod entry;
mod shape;

use std::collections::{BTreeMap, BTreeSet};

use lockstep_types::{Configuration, Content, Keys, Path};
use serde_json::Value as Json;

use crate::error::DataError;
use crate::locate::Located;
use crate::scalar::{Source, Wrong};
use crate::schema::Id;
use crate::set::ModelSet;
use crate::validate::{Violation, told};

/// What a piece of JSON comes to.
#[derive(Debug, Default)]
pub(crate) struct Units {
    /// In the order met.
    pub(crate) set: Vec<(Path, Content)>,
    /// What lies in other cases of the same choices, and so goes.
    pub(crate) rivals: Vec<Path>,
    /// Entries of user-ordered lists, in the order met: the list and the keys.
    pub(crate) order: Vec<(Path, Keys)>,
    /// What was left out, if that is allowed.
    pub(crate) outside: Vec<String>,
}

/// What to do with what does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// It is an error.
    Refuse,
    /// It is left out and listed. State is left out and not listed.
    LeaveOut,
}

/// Data in the making: as nested as the JSON, values by their place in the list of all values.
#[derive(Debug)]
enum Draft {
    Leaf { id: Id, slot: usize },
    LeafList { id: Id, slots: Vec<usize> },
    Container { id: Id, inside: Vec<Draft> },
    List { id: Id, entries: Vec<Entry> },
}

#[derive(Debug)]
struct Entry {
    /// For each key of the list, in order.
    keys: Vec<usize>,
    inside: Vec<Draft>,
}

/// A value, the leaf it is for, and where it stands, for whoever has to be told.
struct Slot<'a> {
    id: Id,
    /// As libyang is given it.
    json: Json,
    /// As it came.
    sent: &'a Json,
    path: Path,
}

/// What is told of a value that its type does not have.
fn misfit(path: Path, sent: &Json, wrong: Wrong) -> Violation {
    Violation { path, message: wrong.message, app_tag: wrong.app_tag, value: Some(told(sent)) }
}

struct Intake<'a> {
    set: &'a ModelSet,
    source: Source,
    misfit: Misfit,
    slots: Vec<Slot<'a>>,
    outside: Vec<String>,
}

impl ModelSet {
    /// The units of JSON that stands at this place. Everything above it is set as well.
    pub(crate) fn intake(
        &self,
        at: &Located,
        json: &Json,
        source: Source,
        misfit: Misfit,
    ) -> Result<Units, DataError> {
        let mut intake =
            Intake { set: self, source, misfit, slots: Vec::new(), outside: Vec::new() };
        let draft = intake.start(at, json)?;
        let values = intake.canonical()?;
        emit::units(self, at, &draft, &values, intake.outside)
    }

    /// The units of a whole configuration as libyang wrote it.
    pub(crate) fn intake_canonical(&self, json: &Json) -> Result<Units, DataError> {
        let at = self.locate(&Path::root())?;
        let mut intake = Intake {
            set: self,
            source: Source::Strict,
            misfit: Misfit::LeaveOut,
            slots: Vec::new(),
            outside: Vec::new(),
        };
        let draft = intake.start_raw(&at, json)?;
        let values: Vec<Option<Json>> =
            intake.slots.into_iter().map(|slot| Some(slot.json)).collect();
        emit::units(self, &at, &draft, &values, intake.outside)
    }
}

impl Intake<'_> {
    /// Every value in its canonical form; none for what does not fit and is left out.
    fn canonical(&mut self) -> Result<Vec<Option<Json>>, DataError> {
        let values: Vec<(Id, Json)> =
            self.slots.iter().map(|slot| (slot.id, slot.json.clone())).collect();
        let bad = match self.set.canonical(&values) {
            Ok(values) => return Ok(values.into_iter().map(Some).collect()),
            Err(bad) => bad,
        };
        let places: BTreeSet<usize> = bad.iter().map(|(place, _)| *place).collect();
        let violation = |(place, wrong): (usize, Wrong)| {
            self.slots.get(place).map(|slot| misfit(slot.path.clone(), slot.sent, wrong))
        };
        let violations: Vec<Violation> = bad.into_iter().filter_map(violation).collect();
        if self.misfit == Misfit::Refuse {
            return Err(DataError::Values(violations));
        }
        self.outside.extend(violations.iter().map(ToString::to_string));
        let good = |place: usize| !places.contains(&place);
        let one = |(place, (id, json)): (usize, &(Id, Json))| {
            good(place).then(|| self.set.trial(*id, json)).flatten()
        };
        Ok(values.iter().enumerate().map(one).collect())
    }
}

impl Units {
    /// A configuration of these units alone, without writers.
    pub(crate) fn into_configuration(self) -> Configuration {
        let mut orders: BTreeMap<Path, Vec<Keys>> = BTreeMap::new();
        for (list, keys) in self.order {
            orders.entry(list).or_default().push(keys);
        }
        let orders = orders.into_iter().map(|(list, keys)| (list, Content::Order(keys.into())));
        self.set.into_iter().chain(orders).collect()
    }
}
