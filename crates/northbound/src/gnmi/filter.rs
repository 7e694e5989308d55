//! Which leaves are wanted.

use std::collections::BTreeSet;

use lockstep_types::{Content, Delta, Path};
use lockstep_yang::ModelSet;

/// A path with what limits it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Filter {
    /// As configurations have it; may be a pattern.
    pub(super) path: Path,
    /// So many levels below the path; 0: all.
    pub(super) depth: usize,
    /// Of these modules; empty: of all.
    pub(super) modules: BTreeSet<String>,
}

impl Filter {
    /// Whether a leaf is wanted.
    pub(super) fn wants(&self, models: &ModelSet, path: &Path) -> bool {
        self.path.covers(path)
            && (self.depth == 0 || self.levels(path) <= self.depth)
            && (self.modules.is_empty()
                || models.module_of(path).is_some_and(|module| self.modules.contains(module)))
    }

    /// What is wanted of a change. That an entry is gone says that all in it is.
    pub(super) fn change(&self, models: &ModelSet, delta: &Delta) -> Delta {
        let wanted = |path: &Path, content: &Option<Content>| match content {
            Some(Content::Entry) => false,
            Some(_) => self.wants(models, path),
            // A leaf that is gone, or an entry: that has keys.
            None if path.last().is_some_and(|last| !last.keys().is_empty()) => {
                self.path.covers(path) && (self.depth == 0 || self.levels(path) < self.depth)
            }
            None => self.wants(models, path),
        };
        let change = delta.iter().filter(|(path, content)| wanted(path, content));
        change.map(|(path, content)| (path.clone(), content.clone())).collect()
    }

    /// How far below what the path stands for something is.
    fn levels(&self, path: &Path) -> usize {
        let elements = path.elements();
        let at = |length: &usize| {
            let above: Path = elements.iter().take(*length).cloned().collect();
            above.matches(&self.path)
        };
        let node = (0..=elements.len()).rev().find(at).unwrap_or(0);
        elements.len() - node
    }
}

#[cfg(test)]
mod tests {
    use lockstep_yang::Options;

    use super::*;

    fn lab() -> ModelSet {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/lab").into();
        ModelSet::load(&Options { path, ..Options::default() }).unwrap()
    }

    fn filter(path: &str, depth: usize) -> Filter {
        Filter { path: path.parse().unwrap(), depth, modules: BTreeSet::new() }
    }

    fn path(text: &str) -> Path {
        text.parse().unwrap()
    }

    #[test]
    fn a_path_is_more_than_a_text() {
        let models = lab();
        let wants = |filter: &Filter, text: &str| filter.wants(&models, &path(text));
        assert!(wants(&filter("/system", 0), "/system/motd"));
        assert!(!wants(&filter("/sys", 0), "/system/motd"));
        assert!(wants(
            &filter("/interfaces/interface/mtu", 0),
            "/interfaces/interface[name=a]/mtu"
        ));
        assert!(!wants(
            &filter("/interfaces/interface[name=b]", 0),
            "/interfaces/interface[name=a]/mtu"
        ));
    }

    #[test]
    fn a_depth_is_counted_from_what_the_path_stands_for() {
        let models = lab();
        let wants = |filter: &Filter, text: &str| filter.wants(&models, &path(text));
        assert!(wants(&filter("/interfaces/interface", 1), "/interfaces/interface[name=a]/mtu"));
        assert!(!wants(&filter("/interfaces", 1), "/interfaces/interface[name=a]/mtu"));
        assert!(wants(&filter("/system/motd", 1), "/system/motd"));
    }

    #[test]
    fn an_entry_that_goes_takes_along_what_is_in_it() {
        let models = lab();
        let gone = ["/vlans/vlan[id=1]", "/vlans/vlan[id=1]/id", "/vlans/vlan[id=1]/name"];
        let delta: Delta = gone.into_iter().map(|text| (path(text), None)).collect();
        let removed = |text: &str| {
            let change = filter(text, 0).change(&models, &delta);
            change.removals().into_iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(removed("/vlans"), ["/vlans/vlan[id=1]"]);
        assert_eq!(removed("/vlans/vlan/name"), ["/vlans/vlan[id=1]/name"]);
    }
}
