//! When two states are the same: whatever differs between them makes no difference to what can
//! happen next. Revisions count only through the compares that read them.

use std::hash::{DefaultHasher, Hash, Hasher};

use lockstep_protocol::{Compare, Event, Written};

use super::{Letter, Question, System};

impl Hash for System {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.store.hash(state);
        for (at, node) in self.nodes.iter().enumerate() {
            (node.start, node.deaf, node.connection).hash(state);
            node.inbox.iter().for_each(|event| hash_news(event, state));
            if let Some(core) = &node.core {
                core.desk().hash(state);
                if !self.is_current(at) {
                    core.view().hash(state);
                }
            }
        }
        self.devices.hash(state);
        self.requests.hash(state);
        self.replies.hash(state);
        for letter in &self.letters {
            self.hash_letter(letter, state);
        }
        for question in &self.questions {
            self.hash_question(question, state);
        }
        (self.restless, self.now, self.submitted, self.left).hash(state);
        (&self.told, &self.confirmed, &self.seen, &self.broken).hash(state);
    }
}

impl PartialEq for System {
    fn eq(&self, other: &Self) -> bool {
        let digest = |system: &Self| {
            let mut hasher = DefaultHasher::new();
            system.hash(&mut hasher);
            hasher.finish()
        };
        digest(self) == digest(other)
    }
}

impl System {
    /// A write that cannot happen any more is told apart from others only by whose it is.
    fn hash_letter<H: Hasher>(&self, letter: &Letter, state: &mut H) {
        (letter.node, letter.start, &letter.wake, letter.orphan).hash(state);
        let stands = |compare: &Compare| match compare {
            Compare::Unchanged(..) => self.store.holds(compare),
            Compare::Exists(_) | Compare::Absent(_) => true,
        };
        let possible = letter.txn.compares.iter().all(stands);
        possible.hash(state);
        if possible {
            letter.txn.ops.hash(state);
            let keys = letter.txn.compares.iter().map(|compare| match compare {
                Compare::Unchanged(key, _) | Compare::Exists(key) | Compare::Absent(key) => key,
            });
            keys.for_each(|key| key.hash(state));
        }
    }

    /// A question whose ground has moved is told apart from others only by what it is about.
    fn hash_question<H: Hasher>(&self, question: &Question, state: &mut H) {
        (question.node, &question.subject).hash(state);
        for (target, check) in &question.checks {
            let stands = check.base.configuration == self.store.decided_at(target)
                && self.store.binding(target).is_some_and(|b| b.models == check.base.models);
            (target, stands, &check.result).hash(state);
        }
    }
}

/// News of the store that a node has not taken in.
fn hash_news<H: Hasher>(event: &Event, state: &mut H) {
    match event {
        Event::Watch(changes) => changes.ops.hash(state),
        Event::Written { wake, result } => {
            (wake, matches!(result, Written::Done(_))).hash(state);
        }
        other => other.hash(state),
    }
}
