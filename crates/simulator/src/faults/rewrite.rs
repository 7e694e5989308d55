//! Values that a device accepts and does not keep.

use std::sync::Arc;

use lockstep_types::{Configuration, Content, Delta, Path, Unit, Value};
use lockstep_yang::{Data, DataForm, ModelSet, Operation};
use serde_json::Value as Json;
use tracing::warn;

use crate::edit;

/// What a device makes of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Rewrite {
    /// Text in capitals; other values stay.
    Upper,
    /// Text in small letters; other values stay.
    Lower,
    /// What it had before.
    Keep,
    /// This.
    Value(Json),
}

impl Rewrite {
    /// Puts what the device makes of the values that a Set has at these paths (none: at all) in their
    /// place.
    pub(crate) fn apply(
        &self,
        models: &ModelSet,
        paths: &[Path],
        delta: &Delta,
        before: &Configuration,
        after: &mut Configuration,
    ) {
        let here = |path: &Path| paths.is_empty() || paths.iter().any(|one| one.covers(path));
        for (path, content) in delta.sets().filter(|(path, _)| here(path)) {
            if !matches!(content, Content::Leaf(_) | Content::LeafList(_)) {
                continue;
            }
            let content = match self {
                Self::Keep => before.get(path).cloned(),
                Self::Upper => Some(text(content, |text| text.to_uppercase())),
                Self::Lower => Some(text(content, |text| text.to_lowercase())),
                Self::Value(json) => fixed(models, path, json).or_else(|| Some(content.clone())),
            };
            after.assign(path.clone(), Unit { content, ..Unit::NEVER });
        }
    }
}

fn text(content: &Content, change: impl Fn(&str) -> String) -> Content {
    let change = |value: &Value| match value {
        Value::String(text) => Value::String(Arc::from(change(text))),
        other => other.clone(),
    };
    match content {
        Content::Leaf(value) => Content::Leaf(change(value)),
        Content::LeafList(values) => Content::LeafList(values.iter().map(change).collect()),
        other => other.clone(),
    }
}

fn fixed(models: &ModelSet, path: &Path, json: &Json) -> Option<Content> {
    let data = Data { form: DataForm::Json, json: json.clone() };
    match edit::delta(models, &Configuration::new(), &[Operation::Replace(path.clone(), data)]) {
        Ok((delta, _)) => delta.get(path).cloned().flatten(),
        Err(error) => {
            warn!(%path, %error, "a value that a device is to hold instead does not fit");
            None
        }
    }
}
