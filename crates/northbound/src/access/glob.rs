//! Names with `*` in them.

use std::fmt;

/// A name in which every `*` stands for any characters, also for none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Glob(String);

impl Glob {
    /// Any text is one.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Whether it stands for every name.
    pub(crate) fn is_any(&self) -> bool {
        !self.0.is_empty() && self.0.bytes().all(|byte| byte == b'*')
    }

    /// Whether it stands for this name.
    pub fn matches(&self, name: &str) -> bool {
        let mut parts = self.0.split('*');
        let Some(rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
        let Some(last) = parts.next_back() else { return rest.is_empty() };
        // Each part where it is first found leaves the most to those after it.
        let left = parts.try_fold(rest, |rest, part| {
            rest.find(part).map(|at| rest.split_at(at + part.len()).1)
        });
        left.is_some_and(|left| left.ends_with(last))
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn a_star_is_any_characters() {
        for (glob, name, is) in [
            ("leaf1", "leaf1", true),
            ("leaf1", "leaf11", false),
            ("leaf*", "leaf", true),
            ("leaf*", "leaf11", true),
            ("leaf*", "aleaf1", false),
            ("*1", "leaf11", true),
            ("*1", "1", true),
            ("*1", "leaf12", false),
            ("l*f*1", "leaf1", true),
            ("l*f*1", "lf1", true),
            ("l*f*1", "l1", false),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("*ab*ab*", "abab", true),
            ("*ab*ab*", "aba", false),
            ("*", "", true),
            ("**", "x", true),
            ("", "", true),
            ("", "x", false),
        ] {
            assert_eq!(Glob::new(glob).matches(name), is, "{glob} {name}");
        }
        assert!(Glob::new("*").is_any() && Glob::new("**").is_any());
        assert!(!Glob::new("").is_any() && !Glob::new("a*").is_any());
    }
}
