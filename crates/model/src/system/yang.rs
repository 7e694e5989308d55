//! yang's part, as far as the model needs one: what is valid, and when it says so.

use std::collections::BTreeMap;

use lockstep_protocol::record::Violation;
use lockstep_protocol::{Check, Event, Subject, Verdict};
use lockstep_types::{Configuration as Tree, Content, ModelDigest, Target, Value};

use super::System;
use crate::scenario::{Scenario, path};

/// A question that yang has not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Who asks.
    pub node: usize,
    /// About what.
    pub subject: Subject,
    /// What is to be valid.
    pub checks: BTreeMap<Target, Check>,
}

/// The models every target begins with.
#[must_use]
#[expect(clippy::expect_used, reason = "a constant of the model")]
pub fn first_models() -> ModelDigest {
    ModelDigest::new("models").expect("a short plain name")
}

/// The models a target may be bound to later.
#[must_use]
#[expect(clippy::expect_used, reason = "a constant of the model")]
pub fn later_models() -> ModelDigest {
    ModelDigest::new("models-2").expect("a short plain name")
}

/// The rules that a configuration breaks: `bad` is never valid; where the run says so `/b` needs `/a`;
/// and the later models know no `/n`.
pub fn broken_rules(
    scenario: &Scenario,
    models: &ModelDigest,
    tree: &Tree,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    let bad = Content::Leaf(Value::String("bad".into()));
    let has = |at| tree.get(&path(at)).is_some();
    let rules = [
        (tree.iter().any(|(_, content)| *content == bad), "/a", "bad is bad"),
        (scenario.needs && has("/b") && !has("/a"), "/b", "needs /a"),
        (*models == later_models() && has("/n"), "/n", "is not known"),
    ];
    rules.into_iter().filter(|(broken, _, _)| *broken).map(|(_, at, message)| (at, message))
}

impl System {
    pub(super) fn ask(&mut self, question: Question) {
        if self.scenario.slow_yang {
            self.questions.push(question);
        } else {
            self.judge(question);
        }
    }

    pub(super) fn judge(&mut self, question: Question) {
        let Question { node, subject, checks } = question;
        let verdict = self.verdict(checks);
        self.tell(node, Event::Verdict { subject, verdict });
    }

    /// What yang says of something.
    pub(super) fn verdict(&self, checks: BTreeMap<Target, Check>) -> Verdict {
        let (mut violations, mut bases) = (Vec::new(), BTreeMap::new());
        for (target, check) in checks {
            let models = &check.base.models;
            // Whoever looks at a change alone does not see what was broken before.
            let before = check.change.map(|change| change.before).unwrap_or_default();
            let known: Vec<_> = broken_rules(&self.scenario, models, &before).collect();
            let trees = check.also.iter().chain([&check.result]);
            let broken = trees.flat_map(|tree| broken_rules(&self.scenario, models, tree));
            let broken = broken.filter(|rule| !known.contains(rule));
            violations.extend(broken.map(|(at, message)| Violation {
                target: target.clone(),
                path: path(at),
                message: message.into(),
            }));
            bases.insert(target, check.base);
        }
        Verdict { bases, violations }
    }

    /// Whether a target at rest may be bound to other models: what stands must be valid there.
    pub(super) fn may_rebind(&self, target: &Target) -> bool {
        let (store, models) = (&self.store, later_models());
        let committed = store.committed(target);
        store.binding(target).is_some_and(|binding| binding.models != models)
            && store.apply_head(target).is_none()
            && !store.is_held(target)
            && broken_rules(&self.scenario, &models, &committed).next().is_none()
    }
}
