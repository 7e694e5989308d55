//! Paths of the rules: what they stand for is a subtree, or many.
//!
//! `*` is one level, `**` (or `...`) any number of them, none included; a key that is left out has any
//! value, and one that is given may hold `*`. Names are without their module and stand for nodes of every
//! module. A pattern stands for what it matches and for everything below.
//!
//! A request may hold wildcards itself, so there are two questions: whether all that a request reaches is
//! within a pattern, and whether any of it is. The first may say no where a closer look would say yes, the
//! second yes where a closer look would say no: neither gives away anything.

use std::fmt;
use std::str::FromStr;

use lockstep_types::{Element, Path};

use super::Glob;

/// No models are as deep as this; a path that is comes from nobody who means well.
const DEEPEST: usize = 256;

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It is no path either.
    #[error(transparent)]
    Path(#[from] lockstep_types::path::Error),
    /// A name with its module.
    #[error("`{0}`: leave the module out; a name stands for nodes of every module")]
    Module(String),
    /// A wildcard that is part of a name.
    #[error("`{0}`: `*` and `**` stand for whole levels, not for part of a name")]
    Part(String),
}

/// A path of the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    steps: Vec<Step>,
    text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// One level; without a name, any.
    One { name: Option<String>, keys: Vec<(String, Glob)> },
    /// Any number of levels.
    Many,
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let path: Path = text.parse()?;
        let steps = path.elements().iter().map(step).collect::<Result<_, _>>()?;
        Ok(Self { steps, text: text.to_owned() })
    }
}

fn step(element: &Element) -> Result<Step, PatternError> {
    let keys = element.keys().iter().map(|(key, value)| (key.clone(), Glob::new(value)));
    match element.name() {
        "**" | "..." => Ok(Step::Many),
        "*" => Ok(Step::One { name: None, keys: keys.collect() }),
        name if name.contains(':') => Err(PatternError::Module(name.to_owned())),
        name if name.contains('*') => Err(PatternError::Part(name.to_owned())),
        name => Ok(Step::One { name: Some(name.to_owned()), keys: keys.collect() }),
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Pattern {
    /// Whether everything at and below a path, whatever it stands for, is within.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        path.elements().len() <= DEEPEST && covers(&self.steps, path.elements())
    }

    /// Whether something at or below a path may be within.
    pub(crate) fn meets(&self, path: &Path) -> bool {
        path.elements().len() > DEEPEST || meets(&self.steps, path.elements())
    }
}

/// What stands between two `**` is taken where it is first found, which leaves the most to the rest; so only the last
/// `**` is ever tried again, and the work is the product of the lengths however many there are.
fn covers(steps: &[Step], path: &[Element]) -> bool {
    let (mut step, mut depth, mut again) = (0, 0, None);
    loop {
        match (steps.get(step), again) {
            (None, _) => return true,
            (Some(Step::Many), _) => {
                step += 1;
                again = Some((step, depth));
            }
            (Some(Step::One { name, keys }), _)
                if path.get(depth).is_some_and(|one| is_one(name.as_deref(), keys, one)) =>
            {
                step += 1;
                depth += 1;
            }
            (Some(Step::One { .. }), Some((after, from))) if from < path.len() => {
                (step, depth) = (after, from + 1);
                again = Some((after, from + 1));
            }
            (Some(Step::One { .. }), _) => return false,
        }
    }
}

/// Whether a level is all that an element stands for.
fn is_one(name: Option<&str>, keys: &[(String, Glob)], element: &Element) -> bool {
    let named = match name {
        None => !is_many(element),
        Some(name) => !is_wild(element) && name == bare(element),
    };
    named && keys.iter().all(|key| holds(key, element))
}

fn meets(steps: &[Step], path: &[Element]) -> bool {
    match (steps.split_first(), path.split_first()) {
        (None, _) | (_, None) | (Some((Step::Many, _)), _) => true,
        (Some((Step::One { name, keys }, rest)), Some((element, below))) => {
            let named =
                is_wild(element) || name.as_deref().is_none_or(|name| name == bare(element));
            let key = |(key, glob): &(String, Glob)| {
                element.key(key).is_none_or(|value| value == "*" || glob.matches(value))
            };
            is_many(element) || (named && keys.iter().all(key) && meets(rest, below))
        }
    }
}

/// Whether every entry that the element stands for has a key like this.
fn holds((key, glob): &(String, Glob), element: &Element) -> bool {
    glob.is_any() || element.key(key).is_some_and(|value| value != "*" && glob.matches(value))
}

fn is_many(element: &Element) -> bool {
    element.name() == "..."
}

fn is_wild(element: &Element) -> bool {
    element.name() == "*" || is_many(element)
}

/// A name in our paths has its module only where two siblings share it.
fn bare(element: &Element) -> &str {
    element.name().rsplit(':').next().unwrap_or_default()
}

#[cfg(test)]
mod tests;
