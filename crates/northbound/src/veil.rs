//! What somebody is shown of a target: the one place where values are masked and left out.

use std::collections::BTreeSet;
use std::sync::Arc;

use lockstep_types::{Content, Path};
use lockstep_yang::Fate;

use crate::access::{Extent, Pattern};

/// What stands where a value is that somebody may not see. It is refused as a value of such a leaf, so
/// that nobody writes back what they read.
pub(crate) const MASK: &str = "********";

/// What somebody is shown of one target.
#[derive(Clone, Debug)]
pub(crate) struct Veil {
    read: Extent,
    secrets_read: Extent,
    secrets: Arc<[Pattern]>,
}

impl Veil {
    pub(crate) fn new(read: Extent, secrets_read: Extent, secrets: Arc<[Pattern]>) -> Self {
        Self { read, secrets_read, secrets }
    }

    /// Whether there is nothing to look at, path by path.
    pub(crate) fn is_open(&self) -> bool {
        self.read == Extent::Whole
            && (self.secrets.is_empty() || self.secrets_read == Extent::Whole)
    }

    /// What becomes of what stands at a path.
    pub(crate) fn fate(&self, path: &Path) -> Fate {
        if !self.read.covers(path) {
            Fate::Drop
        } else if self.hides(path) {
            Fate::Mask
        } else {
            Fate::Keep
        }
    }

    /// Whether a value at a path is a secret, and not for these eyes.
    pub(crate) fn hides(&self, path: &Path) -> bool {
        self.is_secret(path) && !self.secrets_read.covers(path)
    }

    /// Whether a value at a path is a secret.
    pub(crate) fn is_secret(&self, path: &Path) -> bool {
        self.secrets.iter().any(|secret| secret.covers(path))
    }

    /// What is said of a path, which may quote the value there.
    pub(crate) fn words(&self, path: &Path, words: String) -> String {
        match self.hides(path) {
            true => "its value is not valid; it is secret, so no more is said".into(),
            false => words,
        }
    }

    /// Whether something at or below a path may be seen.
    pub(crate) fn meets(&self, path: &Path) -> bool {
        self.read.meets(path)
    }
}

/// The values of a unit, as they would stand in a sentence.
pub(crate) fn values(content: &Content) -> impl Iterator<Item = String> {
    let values = match content {
        Content::Leaf(value) => std::slice::from_ref(value),
        Content::LeafList(values) => values,
        Content::Entry | Content::Presence | Content::Order(_) => &[],
    };
    values.iter().map(ToString::to_string)
}

/// Shorter ones cannot be told from the words around them.
const SHORTEST: usize = 4;

impl Veil {
    /// Words of somebody else without the secrets that they may quote: these, and whatever they say of a
    /// secret path.
    pub(crate) fn scrub(&self, words: &str, secrets: &BTreeSet<String>) -> String {
        if self.secrets.is_empty() || self.secrets_read == Extent::Whole {
            return words.to_owned();
        }
        let found = || secrets.iter().filter(|one| !one.is_empty() && words.contains(&***one));
        let is_short = found().any(|secret| secret.len() < SHORTEST);
        if is_short || paths(words).any(|path| self.hides(&path)) {
            return "what was said is about a secret, and is not shown".into();
        }
        // The longest first: another may be a part of it.
        let mut found: Vec<&String> = found().collect();
        found.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        found.into_iter().fold(words.to_owned(), |words, secret| words.replace(&**secret, MASK))
    }
}

/// What looks like a path in a sentence.
fn paths(words: &str) -> impl Iterator<Item = Path> {
    let around = |letter: char| "\"'`(),.:;".contains(letter);
    let words = words.split_whitespace().map(move |word| word.trim_matches(around));
    words.filter(|word| word.starts_with('/')).filter_map(|word| word.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn veil(read: Extent, secrets_read: Extent) -> Veil {
        Veil::new(read, secrets_read, Arc::new(["/**/password".parse().unwrap()]))
    }

    fn paths(text: &str) -> Extent {
        Extent::Paths(vec![text.parse().unwrap()])
    }

    #[test]
    fn what_may_not_be_read_is_not_there_and_what_is_secret_is_masked() {
        let veil = veil(paths("/users"), paths("/users/user[name=a]"));
        for (path, fate) in [
            ("/system/password", Fate::Drop),
            ("/users/user[name=b]/password", Fate::Mask),
            ("/users/user[name=b]/password/old", Fate::Mask),
            ("/users/user[name=a]/password", Fate::Keep),
            ("/users/user[name=b]/shell", Fate::Keep),
        ] {
            assert_eq!(veil.fate(&path.parse().unwrap()), fate, "{path}");
        }
        assert!(!veil.is_open());
    }

    #[test]
    fn who_may_see_everything_is_not_looked_at() {
        assert!(veil(Extent::Whole, Extent::Whole).is_open());
        assert!(!veil(Extent::Whole, paths("/a")).is_open());
    }

    #[test]
    fn secrets_are_taken_out_of_sentences() {
        let secrets = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect();
        let words = "bad value hunter22 or hunter2";
        let veil = veil(Extent::Whole, paths("/a"));
        let scrub = |words: &str, all: &[&str]| veil.scrub(words, &secrets(all));
        let masked = "bad value ******** or ********";
        assert_eq!(scrub(words, &["hunter2", "hunter22"]), masked);
        assert_eq!(scrub(words, &["other"]), words);
        assert_eq!(scrub(words, &[""]), words);
        assert!(scrub(words, &["bad"]).contains("not shown"));
        // What is not known to be one may be one.
        assert!(scrub("at `/users/user[name=b]/password`: x is bad", &[]).contains("not shown"));
        assert_eq!(scrub("/a/password: x is bad", &[]), "/a/password: x is bad");
    }
}
