//! Confirm windows: who is kept off, what is confirmed, and what is taken out again.

use std::collections::BTreeSet;
use std::sync::Arc;

use lockstep_types::{Index, Revision, Target, Timestamp, TransactionId};

use super::Node;
use super::append::{is_wide, mode};
use crate::command::Command;
use crate::draft::Draft;
use crate::event::{Subject, Wake};
use crate::record::{ITSELF, Key, Kind, Mode, Rule, Transaction, WindowStage};
use crate::request::{Body, Client, Refusal, Reply, Request, Until};
use crate::step::{self, Plan};

impl Node {
    /// Whether a request may have the window it asks for, and no other is in its way.
    pub(super) fn admit_window(
        &self,
        body: &Body,
        targets: &BTreeSet<Target>,
    ) -> Result<(), Refusal> {
        if body.window.is_some() && (mode(body) != Mode::Atomic || !body.kind.writes()) {
            return Err(Refusal::NoWindowFor);
        }
        if body.window.is_some() && is_wide(targets.len(), self.settings.records_per_write) {
            // What takes it out has to be decided with its append, in one write.
            return Err(Refusal::WindowTooWide(targets.len()));
        }
        let mut kept =
            targets.iter().filter_map(|target| Some((target, self.view.window_on(target)?)));
        kept.next().map_or(Ok(()), |(target, change)| {
            Err(Refusal::InWindow {
                target: target.clone(),
                index: change.index,
                id: change.id.clone(),
                until: change.open_until(),
            })
        })
    }

    /// Turns away what was taken in before a window came to its targets, or before the horizon passed what
    /// it names. An append has the whole log before it, so nothing gets into the log behind a window.
    pub(super) fn turn_away(&mut self, out: &mut Vec<Command>) {
        let windows = self.view.has_windows();
        let refusal = |request: &Arc<Request>| {
            // Nothing but a window is ever in the way of a change that was taken in.
            if request.body.kind == Kind::Change && !windows {
                return None;
            }
            let targets = self.targets_asked(&request.body);
            targets.and_then(|targets| self.admit_window(&request.body, &targets)).err()
        };
        let submissions = self.desk.submissions.iter();
        let away: Vec<(TransactionId, Refusal)> = submissions
            .filter_map(|request| Some((request.id.clone(), refusal(request)?)))
            .collect();
        for (id, refusal) in away {
            self.desk.submissions.remove(&id);
            self.desk.verdicts.remove(&Subject::Submission(id.clone()));
            self.dismiss(&id, |_| true, &Reply::Refused(refusal), out);
        }
    }

    /// The Rollbacks of what was not confirmed in time, or was called off, and is for this node to take
    /// out. Decided with the append: what stood before needs no verdict, and must not wait for one.
    pub(super) fn reverts(&self) -> Vec<(Arc<Request>, Plan)> {
        let late = self.view.windows().take_while(|(until, _)| self.desk.now > *until);
        let late = late.filter_map(|(_, index)| self.view.transaction(index));
        let late = late.filter(|change| self.carries(change));
        let cancelled = self.desk.cancels.keys().filter_map(|index| self.view.transaction(*index));
        let cancelled = cancelled.filter(|change| change.open_until().is_some());
        let closing: BTreeSet<Index> = late.chain(cancelled).map(|change| change.index).collect();
        let closing = closing.into_iter().filter_map(|index| self.view.transaction(index));
        closing.filter_map(|change| self.revert(change)).collect()
    }

    fn revert(&self, change: &Transaction) -> Option<(Arc<Request>, Plan)> {
        let request = Arc::new(Request {
            id: self.unused_id("revert", &change.index.to_string())?,
            body: Body {
                kind: Kind::Rollback { of: change.index, rule: Rule::Window },
                mode: Mode::Atomic,
                edits: [].into(),
                only: [].into(),
                window: None,
                binding: None,
            },
            until: Until::Outcome,
            deadline: Timestamp::new(u64::MAX),
            answer_by: None,
            author: self.author_of_revert(change.index),
            comment: String::new(),
        });
        let entry = self.entry(&request, self.next_head(self.view.head()));
        let plan = step::plan(&self.view, &entry, &request.body.edits).ok()?;
        change.targets.keys().all(|target| self.view.is_free(target)).then_some((request, plan))
    }

    /// Whoever called the change off; nobody did, if its time ran out.
    fn author_of_revert(&self, of: Index) -> String {
        let first = self.desk.cancels.get(&of).and_then(|cancels| cancels.first());
        first.map_or_else(|| ITSELF.into(), |cancel| cancel.author.clone())
    }

    /// An id that nobody has. The first is free, unless somebody made it up.
    pub(super) fn unused_id(&self, what: &str, of: &str) -> Option<TransactionId> {
        let first = TransactionId::new(format!("{}.{what}.{of}", self.session));
        let others = (1..u64::MAX).map(|n| TransactionId::new(format!("{what}.{of}.{n}")));
        let ids = std::iter::once(first).chain(others).filter_map(Result::ok);
        ids.into_iter().find(|id| self.view.version(&Key::Id(id.clone())) == Revision::ZERO)
    }

    /// A client confirms a change: from now on it stays. No device is needed for that.
    pub(super) fn confirm(
        &mut self,
        client: Client,
        index: Index,
        out: &mut Vec<Command>,
    ) -> Option<Wake> {
        match self.confirmable(index) {
            Ok(false) => {
                self.desk.confirms.entry(index).or_default().push(client);
                return Some(Wake::Window(index));
            }
            Ok(true) => out.extend(self.confirmed(client, index)),
            Err(refusal) => {
                out.push(Command::Answer { client, reply: Reply::Refused(refusal) });
            }
        }
        None
    }

    /// Whether a change is confirmed already; or why it cannot be.
    fn confirmable(&self, index: Index) -> Result<bool, Refusal> {
        let change = self.view.transaction(index).ok_or_else(|| self.unknown(index))?;
        let window = change.window.ok_or(Refusal::NoWindow(index))?;
        match window.stage {
            WindowStage::Asked if change.status.is_final() => {
                Err(Refusal::Finished { index, kind: change.kind, status: change.status })
            }
            WindowStage::Asked => Err(Refusal::NotOpen(index)),
            WindowStage::Open { until } if self.desk.now <= until => Ok(false),
            WindowStage::Open { .. } | WindowStage::Reverted => Err(Refusal::TooLate(index)),
            WindowStage::Confirmed => Ok(true),
        }
    }

    fn confirmed(&self, client: Client, index: Index) -> Option<Command> {
        let status = self.view.transaction(index)?.status;
        Some(Command::Answer { client, reply: Reply::Transaction { index, status } })
    }

    pub(super) fn wake_window(&mut self, index: Index, out: &mut Vec<Command>) {
        if !self.desk.confirms.contains_key(&index) {
            return self.wake_extensions(index, out);
        }
        if self.confirmable(index) == Ok(false) {
            let mut draft = Draft::new(&self.view);
            step::move_window(&mut draft, index, WindowStage::Confirmed);
            let txn = draft.txn();
            self.write(Wake::Window(index), txn, out);
        } else {
            self.answer_confirms(index, out);
            self.wake_extensions(index, out);
        }
    }

    /// Answers those who confirm a change, once it is known which came first.
    pub(super) fn answer_confirms(&mut self, index: Index, out: &mut Vec<Command>) {
        let result = self.confirmable(index);
        if result == Ok(false) {
            return;
        }
        for client in self.desk.confirms.remove(&index).into_iter().flatten() {
            match &result {
                Ok(_) => out.extend(self.confirmed(client, index)),
                Err(refusal) => {
                    let reply = Reply::Refused(refusal.clone());
                    out.push(Command::Answer { client, reply });
                }
            }
        }
    }
}
