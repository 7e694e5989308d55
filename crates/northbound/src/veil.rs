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

    /// Whether all of the target may be read, secrets aside.
    pub(crate) fn reads_all(&self) -> bool {
        self.read == Extent::Whole
    }

    /// Whether words of somebody else name nothing but what may be read, or what is known otherwise.
    pub(crate) fn may_hear(&self, words: &str, is_known: impl Fn(&Path) -> bool) -> bool {
        // What cannot be told to be a path of something else is none of those.
        let may =
            |path: Option<Path>| path.is_some_and(|at| self.read.covers(&at) || is_known(&at));
        self.reads_all() || named(words).all(may)
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
    named(words).flatten()
}

/// The same; none for what begins like one, and cannot be read.
fn named(words: &str) -> impl Iterator<Item = Option<Path>> {
    let around = |letter: char| "\"'`(){}<>,.:;=".contains(letter);
    let begins = move |word: &str| {
        let slashes = word.match_indices('/').map(|(at, _)| at);
        let mut first = slashes.filter(|at| word[..*at].chars().next_back().is_none_or(around));
        first.next()
    };
    let words = words.split_whitespace();
    let found =
        words.filter_map(move |word| begins(word).map(|at| word[at..].trim_matches(around)));
    found.map(|path| path.parse().ok())
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

    #[test]
    fn words_are_heard_by_those_who_may_read_what_they_name() {
        let all = veil(Extent::Whole, Extent::Whole);
        let some = veil(paths("/interfaces"), Extent::Whole);
        let own: Path = "/system/motd".parse().unwrap();
        for (words, may) in [
            ("it is busy", true),
            ("I/O error on eth1/0/3", true),
            ("at `/interfaces/interface[name=eth1]/mtu`: too large", true),
            ("/system/hostname: is bad", false),
            ("{\"path\":\"/system/hostname\"}", false),
            ("path=/system/hostname", false),
            ("lab:/system/hostname", false),
            ("/interfaces/interface[name=a b]/mtu", false),
            ("/system/motd: is bad", false),
        ] {
            assert_eq!(some.may_hear(words, |_| false), may, "{words}");
            assert!(all.may_hear(words, |_| false), "{words}");
        }
        assert!(some.may_hear("/system/motd: is bad", |path| *path == own));
    }
}
