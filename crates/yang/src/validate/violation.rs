//! How a broken rule is told.

use std::fmt;

use lockstep_types::Path;

/// A rule that a configuration breaks, or a value that its type does not have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// Where.
    pub path: Path,
    /// What is wrong: the model's own words, or libyang's.
    pub message: String,
    /// The error-app-tag that the model or YANG gives it.
    pub app_tag: Option<String>,
    /// The value there, as JSON: as the client wrote it where its type does not have it, otherwise as it
    /// would stand. None where no value is set, as in what is missing. A huge one is cut short.
    pub value: Option<String>,
}

impl Violation {
    /// What is wrong, with the value and the tag, but not where.
    pub fn sentence(&self) -> String {
        let value = self.value.as_ref().map(|value| format!("value {value}"));
        let tag = self.app_tag.as_ref().map(|tag| format!("error-app-tag {tag}"));
        let besides: Vec<String> = value.into_iter().chain(tag).collect();
        match besides.is_empty() {
            true => self.message.clone(),
            false => format!("{} ({})", self.message, besides.join(", ")),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.sentence())
    }
}

/// As many bytes of violations as one sentence tells, if there is more than one: there may be as many as
/// values in a request, and headers of gRPC have little room.
const TOLD: usize = 4096;

/// Violations one after the other, and how many there are besides.
pub(crate) fn list(violations: &[Violation]) -> String {
    let mut text = String::new();
    for (told, violation) in violations.iter().enumerate() {
        let next = violation.to_string();
        if told > 0 && text.len() + next.len() > TOLD {
            return format!("{text}; and {} more", violations.len() - told);
        }
        text.push_str(if told > 0 { "; " } else { "" });
        text.push_str(&next);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violation(message: &str, app_tag: Option<&str>, value: Option<&str>) -> Violation {
        let (app_tag, value) = (app_tag.map(str::to_owned), value.map(str::to_owned));
        Violation { path: Path::root(), message: message.into(), app_tag, value }
    }

    #[test]
    fn what_is_known_is_told() {
        for (app_tag, value, told) in [
            (None, None, "no"),
            (Some("t"), None, "no (error-app-tag t)"),
            (None, Some("5"), "no (value 5)"),
            (Some("t"), Some("5"), "no (value 5, error-app-tag t)"),
        ] {
            assert_eq!(violation("no", app_tag, value).sentence(), told);
        }
    }

    #[test]
    fn a_sentence_has_an_end() {
        let many = vec![violation(&"x".repeat(1000), None, None); 50];
        let text = list(&many);
        assert!(text.len() < TOLD + 100, "{}", text.len());
        assert!(text.ends_with("; and 46 more"), "{text}");
        assert_eq!(list(&many[..1]), many[0].to_string());
        assert_eq!(list(&[]), "");
    }
}
