//! Values as people write them, and how they travel.

use lockstep_gnmi::proto::gnmi::TypedValue;
use lockstep_gnmi::value;
use lockstep_types::Path;
use serde_json::Value;

/// `PATH=VALUE`: the first `=` outside of `[…]` ends the path.
pub(super) fn assignment(text: &str) -> Result<(Path, TypedValue), String> {
    let mut inside = false;
    let mut escaped = false;
    let end = text.char_indices().find(|(_, character)| {
        let plain = !escaped;
        escaped = plain && *character == '\\';
        match character {
            '[' if plain => inside = true,
            ']' if plain => inside = false,
            _ => {}
        }
        *character == '=' && !inside && plain
    });
    let (at, _) = end.ok_or("write it as PATH=VALUE")?;
    let path =
        text[..at].parse().map_err(|error: lockstep_types::path::Error| error.to_string())?;
    Ok((path, word(&text[at + 1..])?))
}

/// Objects, arrays and quoted texts are JSON; everything else is a word, whose type the leaf knows.
fn word(raw: &str) -> Result<TypedValue, String> {
    if !raw.starts_with(['{', '[', '"']) {
        return Ok(value::text(raw));
    }
    let json: Value = serde_json::from_str(raw).map_err(|error| {
        format!("{raw} looks like JSON and is not: {error}; a text in \"…\" is one")
    })?;
    Ok(value::json(&json, true))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_may_hold_an_equals_sign() {
        let (path, given) = assignment("/l[name=a=b]/x=1=2").unwrap();
        assert_eq!((path.to_string().as_str(), given), ("/l[name=a=b]/x", value::text("1=2")));
        let (path, given) = assignment(r"/l[name=a\]=b]/x={}").unwrap();
        assert_eq!(path.to_string(), r"/l[name=a\]=b]/x");
        assert_eq!(given, value::json(&json!({}), true));
        assert!(assignment("/l[name=a]").is_err());
    }

    #[test]
    fn words_are_words_and_json_is_json() {
        for text in ["1", "true", "1.10", "a b", "", "007", "null"] {
            assert_eq!(assignment(&format!("/x={text}")).unwrap().1, value::text(text));
        }
        for (text, json) in [("\"1\"", json!("1")), ("[1]", json!([1])), ("{}", json!({}))] {
            assert_eq!(assignment(&format!("/x={text}")).unwrap().1, value::json(&json, true));
        }
        assert!(assignment("/x={a}").unwrap_err().starts_with("{a} looks like JSON"));
    }
}
