//! What libyang says besides when it validates, and nobody asked for.

use super::Heard;

/// What was heard, without
///
/// - what libyang says where an expression compares an instance-identifier with a text that is none. No
///   rule is broken by that; and whether it is said depends on what else is there;
/// - what it says of itself where the condition of a node that is missing reads one whose own condition
///   is broken. That one is told, and is all that a client can mend.
///
/// If nothing else was heard, it is all there is to tell.
pub(crate) fn without_asides(mut heard: Vec<Heard>) -> Vec<Heard> {
    let is_aside = |heard: &Heard| {
        let message = heard.message.as_str();
        ASIDES.iter().any(|(start, end)| message.starts_with(start) && message.ends_with(end))
    };
    if !heard.iter().all(is_aside) {
        heard.retain(|heard| !is_aside(heard));
    }
    heard
}

/// How such words start, and end.
const ASIDES: [(&str, &str); 7] = [
    ("Internal error (", ")."),
    ("XPath \"", "was expected to be absolute."),
    ("Unexpected XPath ", "."),
    ("Unterminated string delimited with ", "."),
    ("Invalid character '", "'."),
    ("Unparsed characters \"", "left at the end of path."),
    ("", "\" in path."),
];
