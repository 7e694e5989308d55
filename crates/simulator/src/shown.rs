//! What a device shows of what it holds: defaults that are in use, and state.
//!
//! There is no state but what mirrors configuration: where a model has a container `state` beside a
//! container `config`, as OpenConfig's have, the leaves of the one are there with the values of the
//! other.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use lockstep_types::{Configuration, Content, Element, Path};
use lockstep_yang::{Kind, ModelSet, Operation};

/// A configuration, and what is shown of it once somebody looks.
#[derive(Debug, Default)]
pub(crate) struct Picture {
    pub(crate) configuration: Configuration,
    shown: OnceLock<Shown>,
}

/// What is shown.
#[derive(Debug)]
pub(crate) struct Shown {
    /// With the defaults in use.
    pub(crate) configured: Configuration,
    pub(crate) state: Configuration,
}

impl Picture {
    pub(crate) fn of(configuration: Configuration) -> Self {
        Self { configuration, shown: OnceLock::new() }
    }

    /// May take long the first time.
    pub(crate) fn shown(&self, models: &ModelSet) -> &Shown {
        self.shown.get_or_init(|| {
            let configured = models.with_defaults(&self.configuration);
            let state = mirror(models, &configured);
            Shown { configured, state }
        })
    }
}

/// The state that mirrors a configuration.
fn mirror(models: &ModelSet, configured: &Configuration) -> Configuration {
    let mut known: BTreeMap<Path, bool> = BTreeMap::new();
    let state = configured.iter().filter_map(|(path, content)| {
        let state = beside(path)?;
        let schema = without_keys(&state);
        let is_state = *known.entry(schema).or_insert_with_key(|schema| {
            let node = models.check(schema);
            let leaf = |kind| matches!(kind, Kind::Leaf | Kind::LeafList);
            node.is_ok_and(|node| !node.config && leaf(node.kind))
        });
        is_state.then(|| (state, content.clone()))
    });
    let leaves = state.filter(|(_, one)| matches!(one, Content::Leaf(_) | Content::LeafList(_)));
    leaves.collect()
}

/// `/a/config/b` as `/a/state/b`.
fn beside(path: &Path) -> Option<Path> {
    let [above @ .., config, leaf] = path.elements() else { return None };
    if config.name() != "config" {
        return None;
    }
    let state = Element::new("state").ok()?;
    Some(above.iter().cloned().chain([state, leaf.clone()]).collect())
}

/// The place in the models that a path has.
pub(crate) fn without_keys(path: &Path) -> Path {
    path.elements().iter().filter_map(|element| Element::new(element.name()).ok()).collect()
}

/// A path or pattern in the form in which a configuration has it; as it is where there is none.
pub(crate) fn canonical(models: &ModelSet, path: &Path) -> Path {
    let cleared = |path: &Path| {
        let edit = models.edit(&[Operation::Delete(path.clone())]).ok()?;
        edit.clear.into_iter().next()
    };
    // State and keys cannot be cleared, but what is above them can.
    let elements = path.elements();
    for length in (0..=elements.len()).rev() {
        let (above, below) = elements.split_at(length);
        if let Some(above) = cleared(&above.iter().cloned().collect()) {
            return above.join(&below.iter().map(bare).collect());
        }
    }
    path.clone()
}

fn bare(element: &Element) -> Element {
    let name = element.name().rsplit_once(':').map_or(element.name(), |(_, name)| name);
    let named = Element::new(name).unwrap_or_else(|_| element.clone());
    let keys = element.keys().iter();
    keys.fold(named, |element, (key, value)| {
        element.clone().with_key(key, value).unwrap_or(element)
    })
}

/// Whether the node at a path is defined in one of these modules; none: in any.
pub(crate) fn is_of(models: &ModelSet, path: &Path, modules: &[String]) -> bool {
    let Some((last, above)) = path.elements().split_last() else { return true };
    let name = last.name().rsplit_once(':').map_or(last.name(), |(_, name)| name);
    let above: Path = above.iter().cloned().collect();
    modules.is_empty()
        || modules.iter().any(|module| {
            let element = Element::new(format!("{module}:{name}"));
            element.is_ok_and(|element| models.check(&without_keys(&above).child(element)).is_ok())
        })
}
