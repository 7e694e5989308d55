//! What the tests share.

use std::path::PathBuf;
use std::sync::LazyLock;

use lockstep_types::{Configuration, Path};
use lockstep_yang::{Data, DataForm, EditError, Form, ModelSet, Operation, Options};
use serde_json::Value as Json;

fn load(folder: &str) -> ModelSet {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder);
    let features = vec!["extra:fast".to_owned()];
    let features = if folder.contains("lab") { Vec::new() } else { features };
    ModelSet::load(&Options { path, features, ..Options::default() }).unwrap()
}

/// Models of every type and rule.
pub(crate) static TYPES: LazyLock<ModelSet> = LazyLock::new(|| load("tests/yang"));
/// The small device.
pub(crate) static LAB: LazyLock<ModelSet> = LazyLock::new(|| load("../../models/lab"));

pub(crate) fn path(text: &str) -> Path {
    text.parse().unwrap()
}

pub(crate) fn ietf(json: Json) -> Data {
    Data { form: DataForm::Ietf, json }
}

pub(crate) fn plain(json: Json) -> Data {
    Data { form: DataForm::Json, json }
}

pub(crate) fn scalar(json: impl Into<Json>) -> Data {
    Data { form: DataForm::Scalar, json: json.into() }
}

pub(crate) fn delete(text: &str) -> Operation {
    Operation::Delete(path(text))
}

pub(crate) fn replace(text: &str, json: Json) -> Operation {
    Operation::Replace(path(text), ietf(json))
}

pub(crate) fn update(text: &str, json: Json) -> Operation {
    Operation::Update(path(text), ietf(json))
}

/// What stands after operations on what stood before.
pub(crate) fn after(
    set: &ModelSet,
    before: &Configuration,
    operations: &[Operation],
) -> Result<Configuration, EditError> {
    let edit = set.edit(operations)?;
    let delta = edit.onto(before);
    let mut after = before.clone();
    after.apply_values(&delta);
    Ok(after)
}

/// A configuration that one update of everything makes.
pub(crate) fn with(set: &ModelSet, json: Json) -> Configuration {
    after(set, &Configuration::new(), &[update("/", json)]).unwrap()
}

/// The one value at a path.
pub(crate) fn at(set: &ModelSet, tree: &Configuration, text: &str, form: Form) -> Json {
    let mut found = set.get(tree, &path(text), form).unwrap();
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found.remove(0).1
}

/// Everything at a path or pattern, by the text of the concrete paths.
pub(crate) fn all(set: &ModelSet, tree: &Configuration, text: &str) -> Vec<(String, Json)> {
    let found = set.get(tree, &path(text), Form::Json).unwrap();
    found.into_iter().map(|(path, json)| (path.to_string(), json)).collect()
}

/// The paths of all units.
pub(crate) fn paths(tree: &Configuration) -> Vec<String> {
    tree.iter().map(|(path, _)| path.to_string()).collect()
}
