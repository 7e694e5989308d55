//! Finding everything a path covers in an ordered map, by jumps instead of by reading it all.
//!
//! What is covered is contiguous only while every element has all its keys: `/l/x` covers
//! `/l[k=1]/x` and `/l[k=2]/x`, with `/l[k=1]/y` between them. So a scan asks after each path it
//! meets where the next one may be. It takes a few jumps for each element and each list entry
//! on the way, whatever else the map holds.

use std::cmp::Ordering;

use super::{Element, Keys, Path};

/// What to do after a path was met.
pub(crate) enum Step {
    /// It is covered.
    Take,
    /// It is not; the next one may be.
    Skip,
    /// It is not, and nothing before this place is.
    Jump(Path),
    /// It is not, and nothing after it is.
    Stop,
}

/// A scan for everything that one path covers.
#[derive(Debug)]
pub(crate) struct Scan {
    pattern: Path,
    /// Without wildcards, which no order helps to find; set only if there are any.
    plain: Option<Path>,
}

impl Scan {
    pub(crate) fn new(pattern: &Path) -> Self {
        let plain = pattern.is_pattern().then(|| pattern.plain());
        Self { pattern: pattern.clone(), plain }
    }

    fn root(&self) -> &Path {
        self.plain.as_ref().unwrap_or(&self.pattern)
    }

    /// Nothing that is covered comes before this place.
    pub(crate) fn start(&self) -> Path {
        self.root().elements().first().map(Element::bare).into_iter().collect()
    }

    /// What to do after a path was met, at or after the place that was last said.
    pub(crate) fn step(&self, met: &Path) -> Step {
        match step(self.root(), met) {
            Step::Take if self.plain.is_some() && !self.pattern.covers(met) => Step::Skip,
            step => step,
        }
    }
}

fn step(root: &Path, met: &Path) -> Step {
    for (depth, wanted) in root.elements().iter().enumerate() {
        let (above, rest) = met.elements().split_at(depth.min(met.elements().len()));
        let Some(element) = rest.first() else {
            return jump(above, wanted.bare());
        };
        match element.name().cmp(wanted.name()) {
            Ordering::Less => return jump(above, wanted.bare()),
            Ordering::Greater => return past(above),
            Ordering::Equal => match next_keys(wanted.keys(), element.keys()) {
                Next::Here => {}
                Next::At(keys) => return jump(above, element.with_keys(keys)),
                Next::After => return jump(above, successor(element)),
                Next::Nowhere => return past(above),
            },
        }
    }
    Step::Take
}

fn jump(above: &[Element], element: Element) -> Step {
    Step::Jump(above.iter().cloned().chain([element]).collect())
}

/// Nothing more below exactly these elements.
fn past(elements: &[Element]) -> Step {
    elements.split_last().map_or(Step::Stop, |(last, above)| jump(above, successor(last)))
}

/// The least element that sorts after `element`: one more key, the least that sorts after its last
/// one, with the least value. It only marks a place, and never names anything.
fn successor(element: &Element) -> Element {
    let mut keys = element.keys().clone();
    let key = keys.last().map_or_else(String::new, |(last, _)| format!("{last}\0"));
    keys.insert(key, String::new());
    element.with_keys(keys)
}

/// Where the next entry may be that has all the wanted keys, seen from one entry of the list.
enum Next {
    Here,
    At(Keys),
    After,
    Nowhere,
}

/// Decided at the first key where the two differ. Entries have to be looked at one by one only
/// where they have a key that sorts before a wanted one and was left out.
fn next_keys(wanted: &Keys, met: &Keys) -> Next {
    if wanted.iter().all(|(key, value)| met.get(key) == Some(value)) {
        return Next::Here;
    }
    let agreed = wanted.iter().zip(met).take_while(|(ours, theirs)| ours == theirs).count();
    let (Some((key, value)), Some((met_key, met_value))) =
        (wanted.iter().nth(agreed), met.iter().nth(agreed))
    else {
        return Next::After;
    };
    match (met_key.cmp(key), met_value.cmp(value)) {
        (Ordering::Less, _) => Next::After,
        (Ordering::Equal, Ordering::Less) => {
            let up_to_here = wanted.iter().take(agreed + 1);
            Next::At(up_to_here.map(|(key, value)| (key.clone(), value.clone())).collect())
        }
        _ => Next::Nowhere,
    }
}

#[cfg(test)]
mod tests;
