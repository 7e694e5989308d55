//! Replacing the one piece of a text that a mutant names.

use std::ops::Range;

/// Why a mutant does not fit the text it is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// The piece is not there any more.
    #[error("the text to replace is not there")]
    Missing,
    /// It cannot be told which is meant.
    #[error("the text to replace is there {0} times")]
    Ambiguous(usize),
}

/// The text with the piece replaced. White space counts only as being there, so that a change of layout
/// does not matter.
///
/// # Errors
/// The piece is not there exactly once.
pub fn patched(text: &str, find: &str, replace: &str) -> Result<String, Misfit> {
    let mut places = places(text, find);
    match (places.pop(), places.len()) {
        (None, _) => Err(Misfit::Missing),
        (Some(place), 0) => Ok([&text[..place.start], replace, &text[place.end..]].concat()),
        (Some(_), others) => Err(Misfit::Ambiguous(others + 1)),
    }
}

fn places(text: &str, find: &str) -> Vec<Range<usize>> {
    let (squeezed, origins) = squeeze(text);
    let (find, _) = squeeze(find.trim());
    let at = squeezed.match_indices(&find).map(|(at, _)| at);
    // An origin is kept for the end of the text too, so the end of a match always has one.
    at.map(|at| origins[at]..origins[at + find.len()]).collect()
}

/// The text with every run of white space made one blank, and where each of its bytes came from.
fn squeeze(text: &str) -> (String, Vec<usize>) {
    let (mut squeezed, mut origins) = (String::new(), Vec::new());
    for (at, letter) in text.char_indices() {
        let letter = if letter.is_whitespace() { ' ' } else { letter };
        if letter == ' ' && squeezed.ends_with(' ') {
            continue;
        }
        origins.extend(std::iter::repeat_n(at, letter.len_utf8()));
        squeezed.push(letter);
    }
    origins.push(text.len());
    (squeezed, origins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_does_not_matter() {
        let text = "if a {\n    b();\n}\nc();\n";
        assert_eq!(patched(text, "{ b(); }", "{}").as_deref(), Ok("if a {}\nc();\n"));
        assert_eq!(patched(text, "c();", "d();").as_deref(), Ok("if a {\n    b();\n}\nd();\n"));
    }

    #[test]
    fn letters_of_any_length_are_kept() {
        assert_eq!(patched("é  →  x", "→ x", "ü").as_deref(), Ok("é  ü"));
    }

    #[test]
    fn once_and_only_once() {
        assert_eq!(patched("a b", "c", ""), Err(Misfit::Missing));
        assert_eq!(patched("a\nb a b", "a b", ""), Err(Misfit::Ambiguous(2)));
    }
}
