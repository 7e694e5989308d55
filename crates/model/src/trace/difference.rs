//! Where two JSON values differ first, so that a person need not look for it.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// How much of a value is shown.
const SHOWN: usize = 300;

/// The first difference between what was expected and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where, such as `did[0].write.txn.compares[2]`.
    pub at: String,
    /// What should be there; none: nothing.
    pub expected: Option<Value>,
    /// What is there; none: nothing.
    pub found: Option<Value>,
}

impl Difference {
    /// The first difference, if there is any.
    #[must_use]
    pub fn first(expected: &Value, found: &Value) -> Option<Box<Self>> {
        find(String::new(), Some(expected), Some(found)).map(Box::new)
    }

    /// The first difference between two things in writing.
    #[must_use]
    pub fn between<T>(expected: &T, found: &T) -> Option<Box<Self>>
    where
        T: Serialize + PartialEq + ?Sized,
    {
        if expected == found {
            return None;
        }
        let value = |thing| serde_json::to_value(thing).unwrap_or_default();
        Self::first(&value(expected), &value(found))
    }
}

fn find(at: String, expected: Option<&Value>, found: Option<&Value>) -> Option<Difference> {
    if expected == found {
        return None;
    }
    match (expected, found) {
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let names = one.keys().chain(other.keys().filter(|name| !one.contains_key(*name)));
            names
                .map(|name| (format!("{at}.{name}"), one.get(name), other.get(name)))
                .find_map(step)
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => (0..one.len().max(other.len()))
            .map(|n| (format!("{at}[{n}]"), one.get(n), other.get(n)))
            .find_map(step),
        (expected, found) => {
            let at = at.trim_start_matches('.').to_owned();
            Some(Difference { at, expected: expected.cloned(), found: found.cloned() })
        }
    }
}

fn step((at, expected, found): (String, Option<&Value>, Option<&Value>)) -> Option<Difference> {
    find(at, expected, found)
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (expected, found) = (shown(self.expected.as_ref()), shown(self.found.as_ref()));
        if !self.at.is_empty() {
            write!(f, "at {}: ", self.at)?;
        }
        write!(f, "expected {expected}, found {found}")
    }
}

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return "nothing".into() };
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
