//! A metric: one value for each combination of what its labels can say.

use std::fmt::Debug;
use std::ops::Deref;

use crate::cell::{Cell, Counter, Gauge, Histogram, Level, Reading};

/// A label, and everything it can say.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    /// Its name.
    pub name: &'static str,
    /// What it can say. Anything else counts as the last, which is called `other` where that can happen.
    pub values: &'static [&'static str],
}

/// What takes seconds at the most, and mostly far less: nanoseconds.
const SECONDS: &[u64] = &[
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    25_000_000,
    50_000_000,
    100_000_000,
    250_000_000,
    500_000_000,
    1_000_000_000,
    2_500_000_000,
    5_000_000_000,
    10_000_000_000,
    30_000_000_000,
    60_000_000_000,
];

/// How many at once.
const SIZES: &[u64] = &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/// A metric with `N` values: as many as its labels have combinations.
#[derive(Debug)]
pub struct Family<T, const N: usize> {
    name: &'static str,
    help: &'static str,
    labels: &'static [Label],
    /// What never happened is left out: there would be too much of it.
    sparse: bool,
    cells: [T; N],
}

const fn fits(labels: &'static [Label], count: usize) {
    let (mut combinations, mut at) = (1, 0);
    while at < labels.len() {
        combinations *= labels[at].values.len();
        at += 1;
    }
    assert!(combinations == count, "not as many values as the labels have combinations");
}

macro_rules! families {
    ($($(#[$about:meta])* $make:ident, $cell:ty, $new:expr;)+) => {$(
        impl<const N: usize> Family<$cell, N> {
            $(#[$about])*
            #[must_use]
            pub const fn $make(
                name: &'static str,
                help: &'static str,
                labels: &'static [Label],
            ) -> Self {
                fits(labels, N);
                Self { name, help, labels, sparse: false, cells: [const { $new }; N] }
            }
        }
    )+};
}

families! {
    /// Something that is counted; its name ends with `_total`.
    counter, Counter, Counter::new();
    /// How many there are.
    level, Level, Level::new();
    /// A number that is looked at when somebody scrapes.
    gauge, Gauge, Gauge::new();
    /// A count that somebody else keeps.
    reading, Reading, Reading::new();
    /// How long something took; its name ends with `_seconds`.
    durations, Histogram, Histogram::new(SECONDS, 1_000_000_000);
    /// How many of something there were at once.
    sizes, Histogram, Histogram::new(SIZES, 1);
}

impl<T, const N: usize> Family<T, N> {
    /// The same; combinations that never came about are left out when it is written.
    #[must_use]
    pub const fn sparse(mut self) -> Self {
        self.sparse = true;
        self
    }

    /// The value for what the labels say, in their order.
    #[must_use]
    pub fn of<const L: usize>(&self, said: [&str; L]) -> &T {
        let at = self.labels.iter().zip(said).fold(0, |at, (label, said)| {
            let last = label.values.len() - 1;
            let place = label.values.iter().position(|value| *value == said).unwrap_or(last);
            at * label.values.len() + place
        });
        &self.cells[at.min(N - 1)]
    }

    /// What the labels say of the value at this place.
    fn said(&self, mut at: usize) -> Vec<(&'static str, &'static str)> {
        let mut said: Vec<_> = self
            .labels
            .iter()
            .rev()
            .map(|label| {
                let value = label.values[at % label.values.len()];
                at /= label.values.len();
                (label.name, value)
            })
            .collect();
        said.reverse();
        said
    }
}

impl<T> Deref for Family<T, 1> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.cells[0]
    }
}

/// Whoever takes what is written: what stands behind the name, what the labels say, and the value.
pub type Each<'a> = dyn FnMut(&str, &[(&str, &str)], f64) + 'a;

/// A metric, whatever its values are.
pub trait Series: Debug + Sync {
    /// Its name.
    fn name(&self) -> &'static str;
    /// What it says, in a sentence.
    fn help(&self) -> &'static str;
    /// The word of the format for what it is.
    fn kind(&self) -> &'static str;
    /// Its labels.
    fn labels(&self) -> &'static [Label];
    /// Gives every value.
    fn samples(&self, each: &mut Each<'_>);
}

impl<T: Cell + Debug, const N: usize> Series for Family<T, N> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn help(&self) -> &'static str {
        self.help
    }

    fn kind(&self) -> &'static str {
        T::KIND
    }

    fn labels(&self) -> &'static [Label] {
        self.labels
    }

    fn samples(&self, each: &mut Each<'_>) {
        for (at, cell) in self.cells.iter().enumerate() {
            if self.sparse && cell.is_nothing() {
                continue;
            }
            let own = self.said(at);
            cell.samples(&mut |behind, more, value| {
                let said: Vec<(&str, &str)> = own.iter().copied().chain(more).collect();
                each(behind, &said, value);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLOURS: Label = Label { name: "colour", values: &["red", "green", "other"] };
    const SIZE: Label = Label { name: "size", values: &["small", "large"] };
    static BOXES: Family<Counter, 6> = Family::counter("boxes_total", "Boxes.", &[COLOURS, SIZE]);
    static FEW: Family<Counter, 3> = Family::counter("few_total", "Few.", &[COLOURS]).sparse();

    fn written(of: &dyn Series) -> Vec<(String, f64)> {
        let mut found = Vec::new();
        of.samples(&mut |_, said, value| {
            let said: Vec<String> =
                said.iter().map(|(name, value)| format!("{name}={value}")).collect();
            found.push((said.join(","), value));
        });
        found
    }

    #[test]
    fn every_combination_has_a_value_of_its_own() {
        BOXES.of(["green", "large"]).add(3);
        BOXES.of(["blue", "small"]).inc();
        let found = written(&BOXES);
        assert_eq!(found.len(), 6);
        let of = |said: &str| found.iter().find(|(one, _)| one == said).map(|(_, value)| *value);
        assert_eq!(of("colour=green,size=large"), Some(3.0));
        assert_eq!(of("colour=other,size=small"), Some(1.0), "what is not on the list is the last");
        assert_eq!(of("colour=red,size=small"), Some(0.0));
    }

    #[test]
    fn what_never_happened_can_be_left_out() {
        assert!(written(&FEW).is_empty());
        FEW.of(["red"]).inc();
        assert_eq!(written(&FEW), [("colour=red".to_owned(), 1.0)]);
    }
}
