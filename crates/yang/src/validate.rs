//! Whether a configuration keeps every rule of its models.

mod misfits;
mod violation;

use std::collections::BTreeSet;

use lockstep_types::{Configuration, Content, Element, Path};
use serde_json::Value as Json;

use crate::instance;
use crate::libyang::{self, Heard, Invalid, Reach};
use crate::scalar::{Form, brief};
use crate::schema::{Id, ROOT};
use crate::set::ModelSet;

pub use violation::Violation;
pub(crate) use violation::list;

/// As much as is told of a value.
const VALUE: usize = 200;

impl ModelSet {
    /// Every rule that this configuration breaks, by path; none: it is valid. Rules between values are
    /// looked at only once all values are of their types.
    pub fn validate(&self, tree: &Configuration) -> Vec<Violation> {
        let mut strange = Vec::new();
        let text = self.document(tree, &mut strange);
        let mut violations: Vec<Violation> = strange.into_iter().map(unknown).collect();
        let heard = match libyang::validate(self.context(), &text, Reach::All) {
            Ok(()) => Vec::new(),
            Err(Invalid::Rules(heard)) => libyang::without_asides(heard),
            Err(Invalid::Values(heard)) => {
                let misfits = self.misfits(tree);
                let found = !misfits.is_empty();
                violations.extend(misfits);
                if found { Vec::new() } else { heard }
            }
        };
        violations.extend(heard.into_iter().map(|heard| self.violation(tree, heard)));
        tidy(violations)
    }

    /// What was heard of a rule that `tree` breaks.
    pub(crate) fn violation(&self, tree: &Configuration, heard: Heard) -> Violation {
        let place = heard.data_path.or(heard.schema_path);
        let (path, id) = place.map_or((Path::root(), ROOT), |text| self.place(&text));
        let app_tag = self.app_tag(id, &heard.message);
        let value = self.shown(tree, &path, id);
        Violation { path, message: heard.message, app_tag, value }
    }

    /// The value that is set at a leaf or leaf-list, or that the path gives to a key.
    fn shown(&self, tree: &Configuration, path: &Path, id: Id) -> Option<String> {
        let json = |value| self.json(id, value, Form::Ietf);
        match tree.get(path) {
            Some(Content::Leaf(value)) => Some(told(&json(value))),
            Some(Content::LeafList(values)) => Some(told(&values.iter().map(json).collect())),
            None if self.schema().node(id).is_key() => {
                let entry = path.elements().iter().rev().nth(1)?;
                let text = entry.key(&self.schema().node(id).name)?;
                Some(told(&self.key_json(id, text, Form::Ietf)))
            }
            _ => None,
        }
    }

    /// A path of libyang's as one of ours, as far as it is understood.
    fn place(&self, text: &str) -> (Path, Id) {
        let path = instance::read(text).unwrap_or_default();
        let (path, id, _) = self.place_of(&path);
        (path, id)
    }

    /// The same, and whether it was understood to its end.
    pub(crate) fn place_of(&self, theirs: &Path) -> (Path, Id, bool) {
        let mut id = ROOT;
        let mut path = Path::root();
        for element in theirs.elements() {
            let child = self.relative(id, element.name());
            let ours = child.and_then(|child| Some((child, self.ours(child, element)?)));
            let Some((child, ours)) = ours else { return (path, id, false) };
            id = child;
            path = path.child(ours);
        }
        (path, id, true)
    }

    /// libyang writes the module only where it changes.
    fn relative(&self, parent: Id, name: &str) -> Option<Id> {
        let schema = self.schema();
        let qualified = format!("{}:{name}", schema.node(parent).module);
        schema.child(parent, name).or_else(|| schema.child(parent, &qualified))
    }

    fn ours(&self, id: Id, element: &Element) -> Option<Element> {
        let bare = self.schema().node(id).step.clone()?;
        // A value of a leaf-list has the key `.`, which our paths do not know.
        let keys = element.keys().iter().filter(|(key, _)| self.key(id, key).is_some());
        keys.into_iter().try_fold(bare, |element, (key, value)| element.with_key(key, value).ok())
    }

    /// The tags that RFC 7950 section 15 names, known by libyang's words; and that of a `must` with
    /// words or a tag of its own. libyang has them too, but tells only that of the last error of a call.
    fn app_tag(&self, id: Id, message: &str) -> Option<String> {
        let own = self.schema().node(id).musts.iter().find(|(words, _)| words == message);
        let known = TAGS
            .iter()
            .find(|(start, part, _)| message.starts_with(start) && message.contains(part));
        let known = known.map(|(_, _, tag)| (*tag).to_owned());
        own.map(|(_, tag)| tag.clone()).or(known)
    }
}

/// A value as it is told.
pub(crate) fn told(json: &Json) -> String {
    brief(json.to_string(), VALUE)
}

/// Each once, by path: the same rule may be met more than once on the way, and the order in which
/// libyang meets them tells nothing.
pub(crate) fn tidy(violations: Vec<Violation>) -> Vec<Violation> {
    let once: BTreeSet<Violation> = violations.into_iter().collect();
    once.into_iter().collect()
}

fn unknown(path: Path) -> Violation {
    let message = "This is not in the models, or not as this kind of node.".to_owned();
    Violation { path, message, app_tag: None, value: None }
}

/// How a message starts, what it contains, and its tag.
const TAGS: [(&str, &str, &str); 9] = [
    ("Mandatory choice ", "", "missing-choice"),
    ("Too few ", "", "too-few-elements"),
    ("Too many ", "", "too-many-elements"),
    ("Unique data leaf(s) ", "", "data-not-unique"),
    ("Must condition ", "", "must-violation"),
    ("Invalid union value ", "no target instance", "instance-required"),
    ("Invalid union value ", "required instance not found", "instance-required"),
    ("Invalid leafref value ", "no target instance", "instance-required"),
    ("Invalid instance-identifier ", "required instance not found", "instance-required"),
];
