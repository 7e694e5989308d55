//! JSON that keeps the order of its members.

use serde_json::Value as Json;

/// A piece of JSON. libyang wants the keys of an entry first, or its errors lose them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Document {
    Object(Vec<(String, Document)>),
    Array(Vec<Document>),
    Value(Json),
}

impl Document {
    /// As a value, which may order the members as it likes.
    pub(crate) fn into_json(self) -> Json {
        match self {
            Self::Object(members) => {
                let members = members.into_iter().map(|(name, value)| (name, value.into_json()));
                Json::Object(members.collect())
            }
            Self::Array(items) => items.into_iter().map(Self::into_json).collect(),
            Self::Value(json) => json,
        }
    }

    /// As text.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        match self {
            Self::Object(members) => {
                text.push('{');
                for (place, (name, value)) in members.iter().enumerate() {
                    comma(text, place);
                    text.push_str(&Json::from(name.as_str()).to_string());
                    text.push(':');
                    value.write(text);
                }
                text.push('}');
            }
            Self::Array(items) => {
                text.push('[');
                for (place, item) in items.iter().enumerate() {
                    comma(text, place);
                    item.write(text);
                }
                text.push(']');
            }
            Self::Value(json) => text.push_str(&json.to_string()),
        }
    }
}

fn comma(text: &mut String, place: usize) {
    if place > 0 {
        text.push(',');
    }
}
