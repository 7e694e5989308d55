//! Whether a configuration keeps every rule of its models.

mod misfits;

use std::collections::BTreeSet;

use lockstep_types::{Configuration, Element, Path};

use crate::instance;
use crate::libyang::{self, Heard, Invalid, Reach};
use crate::schema::{Id, ROOT};
use crate::set::ModelSet;

/// A rule that a configuration breaks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// Where.
    pub path: Path,
    /// What is wrong: the model's own words, or libyang's.
    pub message: String,
    /// The error-app-tag that the model or YANG gives it.
    pub app_tag: Option<String>,
}

impl ModelSet {
    /// Every rule that this configuration breaks, by path; none: it is valid. Rules between values are
    /// looked at only once all values are of their types.
    pub fn validate(&self, tree: &Configuration) -> Vec<Violation> {
        let mut strange = Vec::new();
        let text = self.document(tree, &mut strange);
        let mut violations: Vec<Violation> = strange.into_iter().map(unknown).collect();
        let heard = match libyang::validate(self.context(), &text, Reach::All) {
            Ok(()) => Vec::new(),
            Err(Invalid::Rules(heard)) => heard,
            Err(Invalid::Values(heard)) => {
                let misfits = self.misfits(tree);
                let found = !misfits.is_empty();
                violations.extend(misfits);
                if found { Vec::new() } else { heard }
            }
        };
        violations.extend(heard.into_iter().map(|heard| self.violation(heard)));
        tidy(violations)
    }

    pub(crate) fn violation(&self, heard: Heard) -> Violation {
        let place = heard.data_path.or(heard.schema_path);
        let (path, id) = place.map_or((Path::root(), ROOT), |text| self.place(&text));
        let app_tag = self.app_tag(id, &heard.message);
        Violation { path, message: heard.message, app_tag }
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
    /// words of its own. libyang has them too, but the log does not carry them.
    fn app_tag(&self, id: Id, message: &str) -> Option<String> {
        let own = self.schema().node(id).musts.iter().find(|(words, _)| words == message);
        let known = TAGS
            .iter()
            .find(|(start, part, _)| message.starts_with(start) && message.contains(part));
        let known = known.map(|(_, _, tag)| (*tag).to_owned());
        own.map(|(_, tag)| tag.clone()).or(known)
    }
}

/// Each once, by path: the same rule may be met more than once on the way, and the order in which
/// libyang meets them tells nothing.
pub(crate) fn tidy(violations: Vec<Violation>) -> Vec<Violation> {
    let once: BTreeSet<Violation> = violations.into_iter().collect();
    once.into_iter().collect()
}

fn unknown(path: Path) -> Violation {
    let message = "This is not in the models, or not as this kind of node.".to_owned();
    Violation { path, message, app_tag: None }
}

/// How a message starts, what it contains, and its tag.
const TAGS: [(&str, &str, &str); 7] = [
    ("Mandatory choice ", "", "missing-choice"),
    ("Too few ", "", "too-few-elements"),
    ("Too many ", "", "too-many-elements"),
    ("Unique data leaf(s) ", "", "data-not-unique"),
    ("Must condition ", "", "must-violation"),
    ("Invalid leafref value ", "no target instance", "instance-required"),
    ("Invalid instance-identifier ", "no target instance", "instance-required"),
];
