//! State as JSON, to be laid over configuration.

use std::collections::BTreeMap;

use lockstep_types::{Configuration, Content, Element, Path};
use lockstep_yang::{Form, ModelSet};
use serde_json::{Map, Value as Json};

/// Units as a tree, by the elements of their paths.
#[derive(Default)]
struct Branch<'a> {
    content: Option<&'a Content>,
    below: BTreeMap<&'a Element, Branch<'a>>,
}

/// The state under each node that a pattern stands for, relative to that node.
pub(super) fn under(
    models: &ModelSet,
    state: &Configuration,
    pattern: &Path,
    form: Form,
) -> BTreeMap<Path, Json> {
    let mut nodes: BTreeMap<Path, Branch<'_>> = BTreeMap::new();
    for (path, unit) in state.under(pattern) {
        let Some(length) = node(pattern, path) else { continue };
        let (above, below) = path.elements().split_at(length);
        let mut branch = nodes.entry(above.iter().cloned().collect()).or_default();
        for element in below {
            branch = branch.below.entry(element).or_default();
        }
        branch.content = unit.content.as_ref();
    }
    let json = |(path, branch): (Path, Branch<'_>)| {
        let json = render(models, &path, &branch, form)?;
        Some((path, json))
    };
    nodes.into_iter().filter_map(json).collect()
}

/// How many elements of a path are the node that the pattern stands for: the outermost.
fn node(pattern: &Path, path: &Path) -> Option<usize> {
    let elements = path.elements();
    (0..=elements.len()).find(|length| {
        let above: Path = elements.iter().take(*length).cloned().collect();
        above.matches(pattern)
    })
}

fn render(models: &ModelSet, at: &Path, branch: &Branch<'_>, form: Form) -> Option<Json> {
    if let Some(content) = branch.content {
        return models.encode(at, content, form).ok();
    }
    let mut members = Map::new();
    if at.last().is_some_and(|last| !last.keys().is_empty())
        && let Ok(Json::Object(keys)) = models.encode(at, &Content::Entry, form)
    {
        members.extend(keys);
    }
    for (element, below) in &branch.below {
        let Some(json) = render(models, &at.child((*element).clone()), below, form) else {
            continue;
        };
        if element.keys().is_empty() {
            members.insert(element.name().to_owned(), json);
        } else if let Json::Array(entries) =
            members.entry(element.name()).or_insert_with(|| Json::Array(Vec::new()))
        {
            entries.push(json);
        }
    }
    Some(Json::Object(members))
}
