//! Defaults folded: what a device shows, in the terms of what is wanted of it.
//!
//! A device may report leaves that nobody set, with the default of the models, and may leave out leaves
//! that somebody did set, to just that. Neither is a difference: what is in force is the same.

use lockstep_types::{Configuration, Content, Path};

use crate::set::ModelSet;

impl ModelSet {
    /// What a device shows, without the defaults that are in force anyway where `wanted` does not
    /// mention them, and with those that `wanted` does mention where the device does not.
    pub fn fold(&self, seen: &Configuration, wanted: &Configuration) -> Configuration {
        if seen.same_values(wanted) {
            return seen.clone();
        }
        let in_force = self.with_defaults(wanted);
        let shown = |(path, content): &(&Path, &Content)| {
            wanted.get(path).is_some() || in_force.get(path) != Some(content)
        };
        let has = self.with_defaults(seen);
        let unsaid = |(path, content): &(&Path, &Content)| {
            seen.get(path).is_none() && has.get(path) == Some(content)
        };
        let units = seen.iter().filter(shown).chain(wanted.iter().filter(unsaid));
        units.map(|(path, content)| (path.clone(), content.clone())).collect()
    }
}
