//! Defaults folded: what a device reports only because it is the default is left out.
//!
//! A device reports leaves that nobody set, with the default of the models, and does not say which
//! they are. Kept, each would look like something to be removed. Left out, a leaf that somebody
//! did set to its default is sent once more when the device is brought in line, which changes nothing
//! on it.

use lockstep_types::{Configuration, Content, Path};
use lockstep_yang::{Data, DataForm, Form, ModelSet};

/// The same without the leaves that have the value they would have anyway.
pub(super) fn fold(models: &ModelSet, seen: Configuration) -> Configuration {
    let structure = seen.iter().filter(|(_, content)| !is_value(content));
    let defaults = filled(models, &collect(structure));
    let set = |(path, content): &(&Path, &Content)| {
        !is_value(content) || defaults.get(path) != Some(*content)
    };
    if seen.iter().all(|unit| set(&unit)) { seen } else { collect(seen.iter().filter(set)) }
}

/// What is there when there is only this structure. Nothing, if the models cannot tell: then nothing
/// is left out.
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

fn collect<'a>(units: impl Iterator<Item = (&'a Path, &'a Content)>) -> Configuration {
    units.map(|(path, content)| (path.clone(), content.clone())).collect()
}
