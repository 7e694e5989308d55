//! What clients ask in a run, in short form.

use std::collections::BTreeMap;

use lockstep_protocol::record::{Binding, Kind, Mode, Rule};
use lockstep_protocol::{Body, Request, Until};
use lockstep_types::{
    Addition, Content, Edit, Index, Path, Target, Timestamp, TransactionId, Value,
};

use crate::system::yang::{first_models, later_models};

/// Whether a deadline can pass in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// It may.
    May,
    /// It is too far off.
    Never,
}

/// One request of a client.
#[derive(Clone, Debug)]
pub struct Entry {
    body: Body,
    until: Until,
    deadline: Deadline,
    id: Option<usize>,
    prompt: bool,
}

impl Entry {
    /// An atomic change, such as `t1:/a=1,/b=1 t2:/a=1`; `/a=-` is a delete, `/l=*` an entry of a
    /// list, `/s+=1` adds to a leaf-list, and `!/l` clears a subtree.
    #[must_use]
    pub fn atomic(text: &str) -> Self {
        Self::change(Mode::Atomic, text)
    }

    /// A queued change, in the same form.
    #[must_use]
    pub fn queued(text: &str) -> Self {
        Self::change(Mode::Queued, text)
    }

    fn change(mode: Mode, text: &str) -> Self {
        let edits = text.split_whitespace().map(edit).collect();
        Self::new(Body {
            kind: Kind::Change,
            mode,
            edits,
            only: [].into(),
            window: None,
            binding: None,
        })
    }

    /// The rollback of an earlier entry of the script, counted from one.
    #[must_use]
    pub fn rollback(of: u64, rule: Rule) -> Self {
        let kind = Kind::Rollback { of: Index::new(of), rule };
        Self::new(Body {
            kind,
            mode: Mode::Atomic,
            edits: BTreeMap::new(),
            only: [].into(),
            window: None,
            binding: None,
        })
    }

    /// An atomic restore of targets to an earlier entry of the script, counted from one.
    #[must_use]
    pub fn restore(to: u64, targets: &str) -> Self {
        let kind = Kind::Restore { to: Index::new(to) };
        let body = Body {
            kind,
            mode: Mode::Atomic,
            edits: BTreeMap::new(),
            only: [].into(),
            window: None,
            binding: None,
        };
        Self::new(body).only(targets)
    }

    /// A target comes to be.
    #[must_use]
    pub fn add(name: &str) -> Self {
        Self::of_target(Kind::Add, name, Some(Box::new(Binding::of(first_models()))))
    }

    /// A target is bound to the later models.
    #[must_use]
    pub fn rebind(name: &str) -> Self {
        Self::of_target(Kind::Rebind, name, Some(Box::new(Binding::of(later_models()))))
    }

    /// A target goes.
    #[must_use]
    pub fn remove(name: &str) -> Self {
        Self::of_target(Kind::Remove, name, None)
    }

    fn of_target(kind: Kind, name: &str, binding: Option<Box<Binding>>) -> Self {
        let (mode, edits, only) = (Mode::Atomic, BTreeMap::new(), [target(name)].into());
        Self::new(Body { kind, mode, edits, only, window: None, binding })
    }

    /// Each target when it can.
    #[must_use]
    pub fn queue(mut self) -> Self {
        self.body.mode = Mode::Queued;
        self
    }

    fn new(body: Body) -> Self {
        Self { body, until: Until::Outcome, deadline: Deadline::Never, id: None, prompt: false }
    }

    /// It is taken out again unless it is confirmed.
    #[must_use]
    pub fn confirmed_within(mut self, length: u64) -> Self {
        self.body.window = Some(length);
        self
    }

    /// On these targets alone.
    #[must_use]
    pub fn only(mut self, targets: &str) -> Self {
        self.body.only = targets.split_whitespace().map(target).collect();
        self
    }

    /// Its deadline may pass.
    #[must_use]
    pub fn late(mut self) -> Self {
        self.deadline = Deadline::May;
        self
    }

    /// The client is answered at the decision.
    #[must_use]
    pub fn asynchronous(mut self) -> Self {
        self.until = Until::Decision;
        self
    }

    /// The client is answered when its deadline has passed, however far it is.
    #[must_use]
    pub fn prompt(mut self) -> Self {
        self.prompt = true;
        self
    }

    /// It carries the id of another entry, counted from one.
    #[must_use]
    pub fn with_id_of(mut self, other: usize) -> Self {
        self.id = Some(other);
        self
    }

    /// When its deadline may pass, if it may.
    #[must_use]
    pub fn passes(&self, number: usize) -> Option<Timestamp> {
        (self.deadline == Deadline::May).then(|| deadline(number))
    }

    /// The request, as the entry of the script with this number, counted from one.
    #[must_use]
    pub fn request(&self, number: usize) -> Request {
        Request {
            id: id(self.id.unwrap_or(number)),
            body: self.body.clone(),
            until: self.until,
            deadline: self.passes(number).unwrap_or(Timestamp::new(u64::MAX / 2)),
            answer_by: self.passes(number).filter(|_| self.prompt).map(Timestamp::next),
            author: String::new(),
            comment: String::new(),
        }
    }

    /// The id it is submitted under.
    #[must_use]
    pub fn id(&self, number: usize) -> TransactionId {
        id(self.id.unwrap_or(number))
    }
}

fn deadline(number: usize) -> Timestamp {
    Timestamp::new(1_000 * number as u64)
}

#[expect(clippy::expect_used, reason = "the catalogue's own text")]
fn id(number: usize) -> TransactionId {
    TransactionId::new(format!("tx{number}")).expect("a short plain id")
}

/// A target by name.
#[must_use]
#[expect(clippy::expect_used, reason = "the catalogue's own text")]
pub fn target(name: &str) -> Target {
    Target::new(name).expect("a short plain name")
}

/// A path in its string form.
#[must_use]
#[expect(clippy::expect_used, reason = "the catalogue's own text")]
pub fn path(text: &str) -> Path {
    text.parse().expect("a path")
}

/// A leaf with this value.
#[must_use]
pub fn leaf(value: &str) -> Content {
    Content::Leaf(Value::String(value.into()))
}

fn addition(value: &str) -> Addition {
    Addition::Values { values: vec![Value::String(value.into())], sorted: false }
}

#[expect(clippy::expect_used, reason = "the catalogue's own text")]
fn edit(text: &str) -> (Target, Edit) {
    let (name, body) = text.split_once(':').expect("target:edits");
    let mut edit = Edit::default();
    for part in body.split(',') {
        match part.strip_prefix('!') {
            Some(cleared) => edit.clear.push(path(cleared)),
            None => {
                let (at, value) = part.rsplit_once('=').expect("path=value");
                if let Some(at) = at.strip_suffix('+') {
                    edit.add.insert(path(at), addition(value));
                    continue;
                }
                match value {
                    "-" => edit.clear.push(path(at)),
                    "*" => {
                        edit.set.insert(path(at), Content::Entry);
                    }
                    value => {
                        edit.set.insert(path(at), leaf(value));
                    }
                }
            }
        }
    }
    (target(name), edit)
}
