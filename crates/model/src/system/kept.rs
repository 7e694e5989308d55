//! The records as a store keeps them, so that a node which starts reads them and nothing else. A view
//! knows more than the records say where a wide transaction is ahead of its targets.

use std::collections::BTreeMap;

use lockstep_protocol::record::{Configuration, Key};
use lockstep_protocol::{Changes, Op, View};
use lockstep_types::{Revision, Target};

/// What was written last under each key.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    records: BTreeMap<Key, (Revision, Op)>,
    configurations: BTreeMap<Target, (Revision, Configuration)>,
    revision: Revision,
}

impl Kept {
    pub(super) fn write(&mut self, changes: &Changes) {
        self.revision = changes.revision;
        for op in &changes.ops {
            match op {
                Op::Configuration { target, header, committed, applied, cleared } => {
                    let (revision, kept) = self.configurations.entry(target.clone()).or_default();
                    *revision = changes.revision;
                    kept.header = header.clone();
                    if *cleared {
                        kept.clear();
                    }
                    kept.patch(committed, applied);
                }
                Op::EndSession(_) | Op::Forget(_) => {
                    self.records.remove(&op.key());
                }
                _ => {
                    self.records.insert(op.key(), (changes.revision, op.clone()));
                }
            }
        }
    }

    /// What a node that starts makes of them.
    #[must_use]
    pub fn load(&self) -> View {
        let mut view = View::new();
        for (revision, op) in self.records.values() {
            view.restore(op.clone(), *revision);
        }
        for (target, (revision, kept)) in &self.configurations {
            view.restore_configuration(target.clone(), kept.clone(), *revision);
        }
        view.restored(self.revision);
        view
    }
}
