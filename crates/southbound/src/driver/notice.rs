//! What is told of a device that is watched.

use lockstep_types::{Configuration, Edit, Path, Unit};

/// What to watch for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Left out of what is told: these subtrees, or all that a pattern stands for.
    pub ignore: Vec<Path>,
}

/// What is told. Only configuration within the models, with canonical values; defaults are not folded,
/// for that takes what is wanted.
///
/// What comes first on a connection is [`Notice::All`]. Our own Sets are told of like anyone else's. Who
/// is slow to listen is told [`Notice::All`] in place of what was missed. A device on which changes
/// cannot be subscribed to is read from time to time, and only [`Notice::All`] is told of it.
///
/// Notices are not in order with the answers to requests: one may be older than a Set that was answered
/// before it.
///
/// Boxed, because there is room for some of them for each device, and most devices tell nothing most of the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// This changed. Of what was held before it clears the subtrees of its paths, then sets its units.
    /// [`Edit::onto`] gives the units one by one; those that are [ignored](Watch::ignores) are to be
    /// left out of that again, as a subtree that is cleared may hold some.
    ///
    /// The order of a list is not seen, only that an entry is new.
    Changed(Box<Edit>),
    /// All that the device holds, but for what is ignored.
    All(Box<Configuration>),
}

impl Watch {
    /// Whether this unit is left out.
    pub fn ignores(&self, path: &Path) -> bool {
        self.ignore.iter().any(|pattern| pattern.covers(path))
    }

    /// The same without what is ignored.
    pub(crate) fn all(&self, mut held: Configuration) -> Notice {
        if !self.ignore.is_empty() {
            let ignored: Vec<Path> = held
                .iter()
                .map(|(path, _)| path)
                .filter(|path| self.ignores(path))
                .cloned()
                .collect();
            for path in ignored {
                held.assign(path, Unit::NEVER);
            }
        }
        Notice::All(Box::new(held))
    }

    /// The same without what is ignored; none if nothing is left.
    pub(crate) fn changed(&self, mut edit: Edit) -> Option<Notice> {
        edit.clear.retain(|path| !self.ignores(path));
        edit.set.retain(|path, _| !self.ignores(path));
        edit.add.retain(|path, _| !self.ignores(path));
        let nothing = edit.clear.is_empty() && edit.set.is_empty() && edit.add.is_empty();
        (!nothing).then_some(Notice::Changed(Box::new(edit)))
    }
}

#[cfg(test)]
mod tests {
    use lockstep_types::Content;

    use super::*;

    fn path(text: &str) -> Path {
        text.parse().unwrap()
    }

    fn watch() -> Watch {
        Watch { ignore: vec![path("/system/clock"), path("/interfaces/interface/counters")] }
    }

    #[test]
    fn what_is_ignored_is_left_out_of_a_whole() {
        let unit = |at| (path(at), Content::leaf("x"));
        let seen = [
            "/system/clock/zone",
            "/system/clock-source",
            "/interfaces/interface[name=a]/counters/in",
        ];
        let told = watch().all(seen.into_iter().map(unit).collect());
        assert_eq!(
            told,
            Notice::All(Box::new([unit("/system/clock-source")].into_iter().collect()))
        );
    }

    #[test]
    fn what_is_ignored_is_left_out_of_a_change() {
        let clear = vec![path("/system/clock/zone"), path("/system")];
        let mut edit = Edit { clear, ..Edit::default() };
        edit.set.insert(path("/system/clock/zone"), Content::leaf("x"));
        let left = Edit { clear: vec![path("/system")], ..Edit::default() };
        assert_eq!(watch().changed(edit), Some(Notice::Changed(Box::new(left))));
        let clock = Edit { clear: vec![path("/system/clock")], ..Edit::default() };
        assert_eq!(watch().changed(clock), None);
    }
}
