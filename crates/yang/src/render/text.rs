//! JSON as text.

use std::fmt::Write;

use serde_json::Value as Json;

/// A comma, where something stands before.
pub(super) fn separated(out: &mut String, follows: bool) {
    if follows {
        out.push(',');
    }
}

/// A text in quotes.
pub(super) fn quoted(text: &str, out: &mut String) {
    if text.bytes().any(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        return json(&Json::from(text), out);
    }
    out.push('"');
    out.push_str(text);
    out.push('"');
}

/// Any value. A number is most of them.
pub(super) fn json(value: &Json, out: &mut String) {
    // A string takes whatever is written to it.
    let _ = write!(out, "{value}");
}
