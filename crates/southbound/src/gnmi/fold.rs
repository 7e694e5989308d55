//! Defaults folded: what a device reports only because it is the default is left out.
//!
//! A device reports leaves that nobody set, with the default of the models, and does not say which
//! they are. Kept, each would look like something to be removed. Left out, a leaf that somebody
//! did set to its default is sent once more when the device is brought in line, which changes nothing
//! on it.
//!
//! A default is the same in every entry of a list, so the models are asked about one of them.

use std::collections::BTreeMap;

use lockstep_types::{Configuration, Content, Element, Path};
use lockstep_yang::{Data, DataForm, Form, ModelSet};

/// Where a unit stands in the models: its path without keys.
type Names<'a> = Vec<&'a str>;

/// The same without the leaves that have the value they would have anyway.
pub(super) fn fold(models: &ModelSet, seen: Configuration) -> Configuration {
    let filled = filled(models, &one_of_each(&seen));
    let values = filled.iter().filter(|(_, content)| is_value(content));
    let defaults: BTreeMap<Names<'_>, &Content> =
        values.map(|(path, content)| (names(path), content)).collect();
    let is_set = |(path, content): &(&Path, &Content)| {
        !is_value(content) || defaults.get(&names(path)) != Some(content)
    };
    if defaults.is_empty() || seen.iter().all(|unit| is_set(&unit)) {
        return seen;
    }
    seen.iter().filter(is_set).map(cloned).collect()
}

/// The first entry of each list and the presence containers, without any value.
fn one_of_each(seen: &Configuration) -> Configuration {
    let there = seen.iter().filter(|(_, c)| matches!(c, Content::Entry | Content::Presence));
    let mut first: BTreeMap<Names<'_>, (&Path, &Content)> = BTreeMap::new();
    for unit in there {
        first.entry(names(unit.0)).or_insert(unit);
    }
    first.into_values().map(cloned).collect()
}

/// What is there when there is only this. Nothing, if the models cannot tell: then nothing is left
/// out.
fn filled(models: &ModelSet, structure: &Configuration) -> Configuration {
    let root = Path::root();
    let all = models.get(structure, &root, Form::Ietf).unwrap_or_default();
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

fn names(path: &Path) -> Names<'_> {
    path.elements().iter().map(Element::name).collect()
}

fn cloned((path, content): (&Path, &Content)) -> (Path, Content) {
    (path.clone(), content.clone())
}
