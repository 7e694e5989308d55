//! What yang is asked about a transaction, on what stands.

use std::collections::BTreeMap;

use lockstep_types::Target;

use super::View;
use crate::command::{Change, Check};
use crate::event::Base;
use crate::record::Kind;
use crate::request::Body;
use crate::step::{Plan, changes};

impl View {
    /// What yang would be asked about a Change if it were decided now, for whoever asks before bringing it: it is
    /// decided on that word as long as nothing has moved. None: it is no Change, it would have to wait, or there is
    /// no such target.
    #[must_use]
    pub fn checks(&self, body: &Body) -> Option<BTreeMap<Target, Check>> {
        let decides = body.kind == Kind::Change && body.edits.keys().all(|on| self.is_free(on));
        let index = self.head().index.next();
        decides.then(|| self.planned(&changes(self, index, &body.edits)))?
    }

    /// What yang is asked about a plan. None: a target of it is gone.
    pub(crate) fn planned(&self, plan: &Plan) -> Option<BTreeMap<Target, Check>> {
        let check = |target: &Target, planned: &crate::step::Planned| {
            let before = self.committed(target);
            let result = before.patched(&planned.committed);
            let delta = planned.committed.delta();
            let change = self.is_valid(target).then_some(Change { before, delta });
            Some(Check { base: self.base(target)?, result, change, also: Vec::new() })
        };
        plan.iter()
            .map(|(target, planned)| Some((target.clone(), check(target, planned)?)))
            .collect()
    }

    /// What a verdict on a target would be reached on now.
    pub(crate) fn base(&self, target: &Target) -> Option<Base> {
        let models = self.binding(target)?.models.clone();
        Some(Base { configuration: self.decided_at(target), models })
    }

    /// Whether what comes next on a target can be decided with its append.
    pub(crate) fn is_free(&self, target: &Target) -> bool {
        self.commit_head(target).is_none() && !self.is_held(target)
    }
}
