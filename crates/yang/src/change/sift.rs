//! What libyang finds in a part of a configuration: of the rules in question it is true, of others it
//! only shows that what they read is not there.

use lockstep_types::Path;

use super::scope::Questions;
use crate::instance;
use crate::libyang::Heard;
use crate::schema::{Id, ROOT};
use crate::set::ModelSet;

/// Words of rules that are broken by what is there, and so in the whole as well.
const TRUE: [&str; 4] = [
    "Data for both cases \"",
    "Duplicate instance of \"",
    "Unexpected data ",
    // Those of OpenConfig's posix patterns; libyang looks at all others as it reads the values.
    "Unsatisfied pattern - \"",
];

/// Words after which libyang looks no further.
const GIVES_UP: &str = "instance-identifier";

/// Words of a condition that a node which is set does not fulfil. libyang then decides on no rule that
/// comes across that node, wherever it is: what such a condition would take away stays, and lacks what
/// it has to have.
const UNDECIDED: &str = "When condition \"";

impl ModelSet {
    /// What is true of the whole; none if that cannot be told.
    pub(super) fn sift(&self, heard: Vec<Heard>, questions: &Questions) -> Option<Vec<Heard>> {
        let mut kept = Vec::new();
        for heard in heard {
            if self.is_true(&heard, questions)? {
                kept.push(heard);
            }
        }
        Some(kept)
    }

    fn is_true(&self, heard: &Heard, questions: &Questions) -> Option<bool> {
        let message = heard.message.as_str();
        if message.contains(GIVES_UP) || message.starts_with(UNDECIDED) {
            return None;
        }
        let place = heard.data_path.as_ref().or(heard.schema_path.as_ref());
        let (path, id) = match place {
            _ if in_any_case(message) => (Path::root(), ROOT),
            Some(text) => self.whole_place(text)?,
            // Of a default that refers to nothing, libyang does not say where it is.
            None => return None,
        };
        let mut answers: Vec<bool> = Vec::new();
        if self.schema().node(id).musts.iter().any(|(words, _)| words == message) {
            answers.push(questions.own.contains(&path));
        }
        if in_any_case(message) {
            answers.push(true);
        } else if starts(message, &["Mandatory node \"", "Mandatory choice \""]) {
            // What is missing at the top has no node that it is missing in.
            let inside = if heard.data_path.is_some() { path } else { Path::root() };
            answers.push(questions.inside.contains(&inside));
        } else if starts(message, &["Too few \"", "Too many \"", "Unique data leaf(s) \""]) {
            // At the list, or at one of its entries.
            let parent = path.parent().unwrap_or_default();
            let asked = questions.lists.get(&(parent, id));
            let counted = !starts(message, &["Unique "]);
            answers.push(asked.is_some_and(|changed| counted || !changed.is_empty()));
        } else if starts(message, &["Must condition \"", "Invalid "]) {
            answers.push(questions.own.contains(&path));
        }
        let first = *answers.first()?;
        answers.iter().all(|answer| *answer == first).then_some(first)
    }

    fn whole_place(&self, text: &str) -> Option<(Path, Id)> {
        let (path, id, whole) = self.place_of(&instance::read(text).ok()?);
        whole.then_some((path, id))
    }
}

fn in_any_case(message: &str) -> bool {
    starts(message, &TRUE)
}

fn starts(message: &str, with: &[&str]) -> bool {
    with.iter().any(|start| message.starts_with(start))
}
