//! Paths: from the wire to `types` and back.

mod error;

pub use error::{Error, Place};

use lockstep_types::{Element, Path, Target};

use crate::proto::gnmi;

/// The path that a request means: its prefix followed by the path itself.
///
/// Elements as texts, which clients of old versions send, are read where there is no `elem`.
/// Names are kept as they are, with their module where one was given.
pub fn read(prefix: Option<&gnmi::Path>, path: &gnmi::Path) -> Result<Path, Error> {
    let mut all = Vec::new();
    if let Some(prefix) = prefix {
        elements(Place::Prefix, prefix, &mut all)?;
    }
    elements(Place::Path, path, &mut all)?;
    Ok(Path::new(all))
}

/// The target of a path: its own, or that of the prefix. Both may say so if they agree.
pub fn target(prefix: Option<&gnmi::Path>, path: &gnmi::Path) -> Result<Option<Target>, Error> {
    let outer = prefix.map_or("", |prefix| prefix.target.as_str());
    let (place, name) = match (outer, path.target.as_str()) {
        ("", "") => return Ok(None),
        (outer, "") => (Place::Prefix, outer),
        ("", inner) => (Place::Path, inner),
        (outer, inner) if outer == inner => (Place::Prefix, outer),
        (outer, inner) => {
            return Err(Error::Targets { prefix: outer.into(), path: inner.into() });
        }
    };
    Target::new(name).map(Some).map_err(|source| Error::Target { place, source })
}

/// The origin of a path: its own, or that of the prefix, but not both, whether they agree or not.
pub fn origin(prefix: Option<&gnmi::Path>, path: &gnmi::Path) -> Result<Option<String>, Error> {
    let outer = prefix.map_or("", |prefix| prefix.origin.as_str());
    match (outer, path.origin.as_str()) {
        ("", "") => Ok(None),
        (origin, "") | ("", origin) => Ok(Some(origin.into())),
        (outer, inner) => Err(Error::Origins { prefix: outer.into(), path: inner.into() }),
    }
}

/// A path for the wire, with neither target nor origin.
pub fn write(path: &Path) -> gnmi::Path {
    let elem = |element: &Element| gnmi::PathElem {
        name: element.name().into(),
        key: element.keys().clone().into_iter().collect(),
    };
    gnmi::Path { elem: path.elements().iter().map(elem).collect(), ..gnmi::Path::default() }
}

fn elements(place: Place, path: &gnmi::Path, all: &mut Vec<Element>) -> Result<(), Error> {
    if path.elem.is_empty() {
        for (number, text) in (1..).zip(&path.element) {
            all.push(old_element(place, number, text)?);
        }
    }
    for (number, elem) in (1..).zip(&path.elem) {
        let read = element(elem);
        all.push(read.map_err(|source| Error::Element { place, number, source })?);
    }
    Ok(())
}

fn element(elem: &gnmi::PathElem) -> Result<Element, lockstep_types::path::element::Error> {
    let named = Element::new(&elem.name)?;
    elem.key.iter().try_fold(named, |element, (key, value)| element.with_key(key, value))
}

fn old_element(place: Place, number: usize, text: &str) -> Result<Element, Error> {
    let path: Path =
        text.parse().map_err(|source| Error::Text { place, number, text: text.into(), source })?;
    match path.elements() {
        [element] => Ok(element.clone()),
        _ => Err(Error::NotOne { place, number, text: text.into() }),
    }
}

#[cfg(test)]
mod tests;
