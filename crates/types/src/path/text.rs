//! A path is serialised as its text form. Where many are read, as the keys of a map, they share what
//! they have in common.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::parse::Elements;
use super::{Element, Error, Path};
use crate::map::Name;

impl Serialize for Path {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Path {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|error| D::Error::custom(format_args!("{text:?}: {error}")))
    }
}

/// Reads one path after the other. Each begins with the very elements it has in common with the one
/// before, and elements without keys are kept by name. In the order of paths that leaves little that
/// is new to each: what is read takes a fraction of the memory, and of the time.
#[derive(Debug, Default)]
pub struct Sharing {
    text: String,
    /// The elements of the last path, each with the byte of the text at which it ends.
    elements: Vec<(Element, usize)>,
    names: BTreeMap<Box<str>, Element>,
}

impl Sharing {
    fn read(&mut self, text: &str) -> Result<Path, Error> {
        let same = self.text.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
        // An element is the same if it ends at the same place in both.
        let ends =
            |end: usize| end <= same && matches!(text.as_bytes().get(end), None | Some(b'/'));
        let shared = self.elements.iter().take_while(|(_, end)| ends(*end)).count();
        self.elements.truncate(shared);
        let end = self.elements.last().map_or(0, |(_, end)| *end);
        let Self { elements, names, .. } = self;
        let read = Elements::after(text, end).read(|element, end| {
            elements.push((known(names, element), end));
        });
        if let Err(error) = read {
            *self = Self::default();
            return Err(error);
        }
        text.clone_into(&mut self.text);
        Ok(self.elements.iter().map(|(element, _)| element.clone()).collect())
    }
}

fn known(names: &mut BTreeMap<Box<str>, Element>, element: Element) -> Element {
    if !element.keys().is_empty() {
        return element;
    }
    if let Some(known) = names.get(element.name()) {
        return known.clone();
    }
    names.insert(element.name().into(), element.clone());
    element
}

impl Name for Path {
    type Reader = Sharing;

    fn read(reader: &mut Sharing, text: &str) -> Result<Self, String> {
        reader.read(text).map_err(|error| format!("{text:?}: {error}"))
    }
}
