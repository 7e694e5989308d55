//! Where a change may have an effect on what is there by default.

use std::collections::BTreeSet;

use lockstep_types::{Configuration, Content, Path};

use super::scope::Scope;
use crate::set::ModelSet;

impl ModelSet {
    /// Nodes that a change has an effect on, beyond those that it touches itself; none if they are not
    /// bounded.
    pub(crate) fn stirred(
        &self,
        before: &Configuration,
        after: &Configuration,
        touched: &BTreeSet<&Path>,
    ) -> Option<BTreeSet<Path>> {
        let changed: Vec<(&Path, Option<Content>)> =
            touched.iter().map(|path| (*path, after.get(path).cloned())).collect();
        let changed: Vec<(&Path, &Option<Content>)> =
            changed.iter().map(|(path, content)| (*path, content)).collect();
        let mut scope = Scope::new(self, before, after);
        scope.touch_all(&changed)?;
        Some(scope.nodes())
    }
}
