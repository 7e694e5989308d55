//! Paths in the way libyang writes them: `/module:list[key='value']/leaf`, a leaf-list value as
//! `[.='value']`.

use lockstep_types::{Element, Path};

/// Reads such a path. Names stay qualified as they are.
pub(crate) fn read(text: &str) -> Result<Path, String> {
    let mut rest = text;
    let mut elements = Vec::new();
    while let Some(after) = rest.strip_prefix('/') {
        let end = after.find(['/', '[']).unwrap_or(after.len());
        let mut element = Element::new(&after[..end]).map_err(|error| error.to_string())?;
        rest = &after[end..];
        while let Some(predicate) = rest.strip_prefix('[') {
            let (key, value, after) =
                key(predicate).ok_or_else(|| format!("{text:?} has a predicate that is no key"))?;
            element = element.with_key(key, value).map_err(|error| error.to_string())?;
            rest = after;
        }
        elements.push(element);
    }
    if rest.is_empty() { Ok(Path::new(elements)) } else { Err(format!("{text:?} is no path")) }
}

/// `key='value']`, either quote.
fn key(text: &str) -> Option<(&str, &str, &str)> {
    let (key, rest) = text.split_once('=')?;
    let quote = rest.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    // The value ends at the quote that closes the predicate; it may hold brackets.
    let (value, rest) = rest[1..].split_once(quote)?;
    Some((key.trim(), value, rest.strip_prefix(']')?))
}

/// Writes such a path.
pub(crate) fn write(path: &Path) -> String {
    let mut text = String::new();
    for element in path.elements() {
        text.push('/');
        text.push_str(element.name());
        for (key, value) in element.keys() {
            let quote = if value.contains('\'') { '"' } else { '\'' };
            text.extend(["[", key, "="]);
            text.push(quote);
            text.push_str(value);
            text.push(quote);
            text.push(']');
        }
    }
    text
}
