//! A value as a client or a device wrote it, made into what libyang reads.

use serde_json::Value as Json;

use crate::schema::{Base, Id};
use crate::set::ModelSet;

/// How strictly a value is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// As RFC 7951 says.
    Strict,
    /// Numbers may be strings and strings numbers, identities may leave out their module.
    Lenient,
    /// As the text of a key in a path, which has no JSON type.
    Text,
}

/// Longer names of identities are not looked for.
const NAME: usize = 1024;

impl ModelSet {
    /// The value as libyang should be given it. What has no meaning is left as it is, for libyang
    /// to refuse in its own words.
    pub(crate) fn prepare(&self, id: Id, json: Json, source: Source) -> Json {
        let Some(base) = self.schema().node(id).base else { return json };
        let json = whole(json);
        match (base, &json) {
            (Base::IdentityRef, Json::String(text)) if !text.contains(':') => {
                Json::String(self.identity(id, text, source))
            }
            (Base::Union, _) => self.prepare_union(id, json, source),
            (Base::Int64 | Base::Uint64, Json::String(text)) => {
                Json::String(without_zeros(text).unwrap_or_else(|| text.clone()))
            }
            (_, _) if source == Source::Strict => json,
            (Base::Int | Base::Uint, Json::String(text)) => number(text).unwrap_or(json),
            (Base::Int64 | Base::Uint64 | Base::Decimal64, Json::Number(_)) => text(&json),
            (Base::Bool, Json::String(text)) => truth(text).unwrap_or(json),
            (Base::Empty, Json::Bool(true)) => empty(),
            (Base::Empty, Json::String(text)) if text.is_empty() => empty(),
            _ => json,
        }
    }

    /// The identity of this name with its module: the leaf's own, or the one module of the set that
    /// has it. RFC 7951 knows only the former.
    fn identity(&self, id: Id, name: &str, source: Source) -> String {
        let own = format!("{}:{name}", self.schema().node(id).module);
        let takes = |text: &String| self.trial(id, &Json::String(text.clone())).is_some();
        // Nor has any module a name like a book, and each that is tried costs its length.
        if source == Source::Strict || name.len() > NAME || takes(&own) {
            return own;
        }
        let others =
            self.context().modules(false).map(|module| format!("{}:{name}", module.name()));
        let mut found = others.filter(takes);
        match (found.next(), found.next()) {
            (Some(only), None) => only,
            _ => own,
        }
    }

    /// The first reading that some member type takes. A string that no member takes as it is may be
    /// an identity without its module.
    fn prepare_union(&self, id: Id, json: Json, source: Source) -> Json {
        let takes = |candidate: &Json| self.trial(id, candidate).is_some();
        let found = readings(&json, source).into_iter().find(takes);
        let identity = || match &json {
            Json::String(text) if is_identifier(text) => {
                Some(Json::String(self.identity(id, text, source))).filter(takes)
            }
            _ => None,
        };
        found.or_else(identity).unwrap_or(json)
    }
}

fn readings(json: &Json, source: Source) -> Vec<Json> {
    let as_is = [json.clone()];
    match (source, json) {
        (Source::Strict, _) => as_is.into(),
        (Source::Lenient, Json::String(string)) => {
            as_is.into_iter().chain(number(string)).chain(truth(string)).collect()
        }
        (Source::Text, Json::String(string)) => {
            let blank = string.is_empty().then(empty);
            number(string).into_iter().chain(truth(string)).chain(as_is).chain(blank).collect()
        }
        (_, Json::Number(_) | Json::Bool(_)) => as_is.into_iter().chain([text(json)]).collect(),
        _ => as_is.into(),
    }
}

/// `1e2` and `100.0` are the number 100.
fn whole(json: Json) -> Json {
    let float = json.as_f64().filter(|float| json.is_f64() && float.fract() == 0.0);
    float.and_then(|float| number(&float.to_string())).unwrap_or(json)
}

fn number(text: &str) -> Option<Json> {
    let unsigned = text.parse::<u64>().ok().map(Json::from);
    unsigned.or_else(|| text.parse::<i64>().ok().map(Json::from))
}

fn truth(text: &str) -> Option<Json> {
    text.parse::<bool>().ok().map(Json::Bool)
}

/// The presence of a leaf of type `empty`.
pub(super) fn empty() -> Json {
    Json::Array(vec![Json::Null])
}

/// A number or truth as a string. Floating point is written without an exponent, which YANG does
/// not know.
fn text(json: &Json) -> Json {
    match json.as_f64() {
        Some(float) if json.is_f64() => Json::String(float.to_string()),
        _ => Json::String(json.to_string()),
    }
}

/// A whole number without zeros at its front, which libyang would take for octal. YANG has that
/// only in modules, not in data.
fn without_zeros(text: &str) -> Option<String> {
    let (sign, digits) = match text.strip_prefix(['+', '-']) {
        Some(digits) => (&text[..1], digits),
        None => ("", text),
    };
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let rest = digits.trim_start_matches('0');
    is_whole.then(|| format!("{sign}{}", if rest.is_empty() { "0" } else { rest }))
}

fn is_identifier(text: &str) -> bool {
    let first = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    first && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}
