//! What the runs of many seeds add up to.

use std::collections::BTreeMap;
use std::fmt;

use lockstep_simulation::{faults, nature, nodes, operators};

/// Counts by section and name, as each run tells them: `section: name 3, other name 1; section: …`.
#[derive(Debug, Default)]
pub(crate) struct Totals(BTreeMap<String, BTreeMap<String, u64>>);

impl Totals {
    /// Adds what a run told.
    pub(crate) fn add(&mut self, told: &str) {
        // The first is the seed, and then how it went.
        let (_, told) = told.split_once(": ").unwrap_or_default();
        for part in told.split("; ") {
            let Some((section, counts)) = part.split_once(": ") else { continue };
            for count in counts.split(", ") {
                if let Some((name, number)) = count.rsplit_once(' ') {
                    let total = self.0.entry(section.into()).or_default().entry(name.into());
                    *total.or_default() += number.parse::<u64>().unwrap_or_default();
                }
            }
        }
    }

    /// What never happened.
    pub(crate) fn never(&self) -> Vec<&'static str> {
        let happened = |section: &str, name: &str| {
            self.0.get(section).and_then(|counts| counts.get(name)).is_some_and(|count| *count > 0)
        };
        let all: [(&str, &[&'static str]); 5] = [
            ("faults", &faults::ALL),
            ("devices", &nature::ALL),
            ("nodes that ended", &nodes::ENDS),
            ("orders", &operators::ALL),
            ("log", &operators::OUTCOMES),
        ];
        let names = all.iter().flat_map(|(section, names)| names.iter().map(move |n| (section, n)));
        names.filter(|(section, name)| !happened(section, name)).map(|(_, name)| *name).collect()
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (section, counts) in &self.0 {
            writeln!(f, "{section}")?;
            for (name, count) in counts {
                writeln!(f, "  {name:<36} {count}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_added_up_and_what_is_not_is_missed() {
        let mut totals = Totals::default();
        assert_eq!(totals.never().len(), 16 + 4 + 3 + 10 + 17);
        for _ in 0..2 {
            totals.add("seed 3: good: steps 5, seconds 9; faults: a node killed 3, a clock set 1; log: terms 9");
        }
        assert!(!totals.never().contains(&"a node killed") && totals.never().contains(&"paused"));
        let shown = totals.to_string();
        let line = shown.lines().find(|line| line.contains("a node killed")).unwrap_or_default();
        assert!(line.ends_with(" 6") && shown.contains("good"), "{shown}");
    }
}
