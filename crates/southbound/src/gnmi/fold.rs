//! Defaults folded: what a device reports only because it is the default is left out.
//!
//! A device reports leaves that nobody set, with the default of the models, and does not say which
//! they are. Kept, each would look like something to be removed. Left out, a leaf that somebody
//! did set to its default is sent once more when the device is brought in line, which changes nothing
//! on it.
//!
//! The models say what is there when a leaf is not. A default is the same in every entry of a list, so
//! each leaf is asked for once, in an entry that the device really has, because a condition of the
//! models may depend on what else is there; and together with the leaves beside it, to ask less often.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use lockstep_types::{Configuration, Content, Element, Path};
use lockstep_yang::{Data, DataForm, Form, ModelSet};

/// Where a unit stands in the models: the names of its path.
type Place = String;

/// The defaults of a device's models, as far as they were asked for. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Defaults(Arc<Mutex<BTreeMap<Place, Option<Content>>>>);

impl Defaults {
    /// The same without the leaves that have the value they would have anyway.
    pub(super) fn fold(&self, models: &ModelSet, seen: Configuration) -> Configuration {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        learn(models, &seen, &mut known);
        let is_set = |(path, content): &(&Path, &Content)| {
            let default = known.get(&place(path)).and_then(Option::as_ref);
            !is_value(content) || default != Some(content)
        };
        seen.iter().filter(is_set).map(cloned).collect()
    }
}

/// Asks the models about every leaf that was not asked about yet.
fn learn(models: &ModelSet, seen: &Configuration, known: &mut BTreeMap<Place, Option<Content>>) {
    let sample = sample(seen, |place| known.contains_key(place));
    let mut beside: BTreeMap<Place, Vec<&Path>> = BTreeMap::new();
    for (path, content) in sample.iter().filter(|(path, _)| !known.contains_key(&place(path))) {
        if let Some(parent) = path.parent().filter(|_| is_value(content)) {
            beside.entry(place(&parent)).or_default().push(path);
        }
    }
    for leaves in beside.into_values() {
        let gone: BTreeSet<&Path> = leaves.iter().copied().collect();
        let rest = sample.iter().filter(|(path, _)| !gone.contains(path)).map(cloned).collect();
        let filled = filled(models, &rest);
        for leaf in leaves {
            let default = known.entry(place(leaf)).or_default();
            *default = default.take().or_else(|| filled.get(leaf).cloned());
        }
    }
}

/// Enough whole entries of the outermost lists to have every leaf that is not known.
fn sample(seen: &Configuration, is_known: impl Fn(&Place) -> bool) -> Configuration {
    let mut outermost: BTreeMap<&[Element], Vec<(&Path, &Content)>> = BTreeMap::new();
    for unit in seen.iter() {
        outermost.entry(entry(unit.0)).or_default().push(unit);
    }
    let mut covered: BTreeSet<Place> = BTreeSet::new();
    let mut sample = Vec::new();
    for units in outermost.into_values() {
        let values = units.iter().filter(|(_, content)| is_value(content));
        let new: Vec<Place> = values
            .map(|(path, _)| place(path))
            .filter(|place| !is_known(place) && !covered.contains(place))
            .collect();
        if !new.is_empty() {
            covered.extend(new);
            sample.extend(units.into_iter().map(cloned));
        }
    }
    sample.into_iter().collect()
}

/// The elements down to the first with keys; none, if there is no such element.
fn entry(path: &Path) -> &[Element] {
    let elements = path.elements();
    let first = elements.iter().position(|element| !element.keys().is_empty());
    first.map_or(&[], |first| elements.get(..=first).unwrap_or_default())
}

/// What is there when there is only this. Nothing, if the models cannot tell: then nothing is left
/// out.
fn filled(models: &ModelSet, rest: &Configuration) -> Configuration {
    let root = Path::root();
    let all = models.get(rest, &root, Form::Ietf).unwrap_or_default();
    let json = all.into_iter().next().map(|(_, json)| json);
    let read = json.and_then(|json| {
        let data = Data { form: DataForm::Ietf, json };
        models.read(&root, &data).ok()
    });
    read.map(|read| read.units).unwrap_or_default()
}

fn is_value(content: &Content) -> bool {
    matches!(content, Content::Leaf(_) | Content::LeafList(_))
}

fn place(path: &Path) -> Place {
    path.elements().iter().flat_map(|element| ["/", element.name()]).collect()
}

fn cloned((path, content): (&Path, &Content)) -> (Path, Content) {
    (path.clone(), content.clone())
}

#[cfg(test)]
mod tests;
