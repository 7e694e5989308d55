//! A hash of one unit of state that is the same on every machine and in every version.
//!
//! `std::hash::Hash` would not do: what it feeds to a hasher depends on the platform and may change
//! with the compiler. Here every part is fed as bytes, each text with its length before it, so that
//! two different units never feed the same bytes.

use std::hash::Hasher;

use siphasher::sip128::{Hasher128, SipHasher13};

use crate::path::Element;
use crate::{Content, Keys, Path, Value};

/// The hash of a content at a path. The keys are fixed, so this finds accidents and not attacks.
pub(crate) fn of(path: &Path, content: &Content) -> u128 {
    let mut sink = Sink(SipHasher13::new());
    sink.path(path);
    sink.content(content);
    sink.0.finish128().as_u128()
}

struct Sink(SipHasher13);

impl Sink {
    fn tag(&mut self, tag: u8) {
        self.0.write(&[tag]);
    }

    fn number(&mut self, number: u64) {
        self.0.write(&number.to_le_bytes());
    }

    fn length(&mut self, length: usize) {
        // A usize has at most 64 bits on every platform there is.
        self.number(length as u64);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.0.write(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn path(&mut self, path: &Path) {
        self.length(path.elements().len());
        path.elements().iter().for_each(|element| self.element(element));
    }

    fn element(&mut self, element: &Element) {
        self.text(element.name());
        self.keys(element.keys());
    }

    fn keys(&mut self, keys: &Keys) {
        self.length(keys.len());
        for (key, value) in keys {
            self.text(key);
            self.text(value);
        }
    }

    fn content(&mut self, content: &Content) {
        match content {
            Content::Leaf(value) => {
                self.tag(1);
                self.value(value);
            }
            Content::LeafList(values) => {
                self.tag(2);
                self.length(values.len());
                values.iter().for_each(|value| self.value(value));
            }
            Content::Entry => self.tag(3),
            Content::Presence => self.tag(4),
            Content::Order(entries) => {
                self.tag(5);
                self.length(entries.len());
                entries.iter().for_each(|keys| self.keys(keys));
            }
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Int(number) => self.tagged(1, &number.to_le_bytes()),
            Value::Uint(number) => self.tagged(2, &number.to_le_bytes()),
            Value::Decimal64(number) => {
                self.tagged(3, &number.digits().to_le_bytes());
                self.tag(number.fraction_digits());
            }
            Value::Bool(truth) => self.tagged(4, &[u8::from(*truth)]),
            Value::String(text) => self.tagged(5, text.as_bytes()),
            Value::Enum(name) => self.tagged(6, name.as_bytes()),
            Value::Bits(names) => {
                self.tag(7);
                self.length(names.len());
                names.iter().for_each(|name| self.text(name));
            }
            Value::Binary(bytes) => self.tagged(8, bytes.as_bytes()),
            Value::IdentityRef(identity) => {
                self.tagged(9, identity.module().as_bytes());
                self.text(identity.name());
            }
            Value::Empty => self.tag(10),
            Value::InstanceIdentifier(path) => {
                self.tag(11);
                self.path(path);
            }
        }
    }

    fn tagged(&mut self, tag: u8, bytes: &[u8]) {
        self.tag(tag);
        self.bytes(bytes);
    }
}

#[cfg(test)]
mod tests;
