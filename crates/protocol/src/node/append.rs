//! Submit: what clients asked goes into the log in batches, decided in the same write where it can be.

use std::collections::BTreeSet;
use std::sync::Arc;

use lockstep_types::{Map, SessionId, Target};

use super::Node;
use super::verdicts::Decision;
use crate::command::Command;
use crate::draft::Draft;
use crate::event::{Subject, Wake};
use crate::record::{Head, Key, Kind, Mode, Part, Proposal, Reason, Status, Transaction, Window};
use crate::request::{Body, Request};
use crate::step::{self, Adopted};

/// A submission on its way into the log.
struct Entry {
    request: Arc<Request>,
    transaction: Transaction,
    decision: Decided,
}

/// What is written of an entry besides itself.
enum Decided {
    /// What clients asked, as far as it can be decided.
    Asked(Decision),
    /// What a device has of its own.
    Adopted(Target, Adopted),
}

impl Entry {
    fn records(&self) -> usize {
        let anew = match &self.decision {
            Decided::Adopted(_, adopted) => adopted.anew,
            Decided::Asked(_) => 0,
        };
        records_of(&self.transaction) + anew
    }
}

/// What an append writes whatever its entries are: the head of the log, and how far back the log is kept.
const SHARED: usize = 2;

/// How many records an entry writes at the most: itself, its id, and for each target a proposal and a configuration; of
/// a wide one the rest follows. What is no Change may touch more: the change it takes out, what is known of a device
/// and of its master.
fn records_of(entry: &Transaction) -> usize {
    let targets = if entry.wide { 0 } else { entry.targets.len() };
    let besides = if entry.kind == Kind::Change { 0 } else { 4 };
    2 + besides + 2 * targets
}

/// What a transaction with this body is: a Rollback is always atomic.
pub(super) fn mode(body: &Body) -> Mode {
    match body.kind {
        Kind::Change | Kind::Restore { .. } => body.mode,
        _ => Mode::Atomic,
    }
}

/// Whether an entry with so many targets goes beyond one write. One target never does.
pub(super) const fn is_wide(targets: usize, records_per_write: usize) -> bool {
    targets > 1 && SHARED + 2 + 2 * targets > records_per_write
}

impl Node {
    pub(super) fn wake_append(&mut self, out: &mut Vec<Command>) {
        self.turn_away(out);
        self.forget_seen();
        let entries = self.batch(out);
        if entries.is_empty() {
            return;
        }
        let mut draft = Draft::new(&self.view);
        draft.alive(&self.session);
        let head = entries.last().map(|entry| entry.transaction.index);
        // What these entries name is not looked at; the next append moves it as well.
        let name_none = entries.iter().all(|entry| entry.transaction.kind == Kind::Change);
        for entry in entries {
            fill(&mut draft, entry, &self.session);
        }
        if let Some(horizon) = head.filter(|_| name_none).and_then(|head| self.horizon_with(head)) {
            draft.put_horizon(horizon);
        }
        let txn = draft.txn();
        self.write(Wake::Append, txn, out);
    }

    /// The submissions that can be written now, as entries from the head of the log on. One that can be
    /// decided at once waits for yang, and so do later ones on its targets; the others do not.
    fn batch(&mut self, out: &mut Vec<Command>) -> Vec<Entry> {
        let mut head = self.view.head();
        let (mut taken, mut waiting) = (BTreeSet::new(), BTreeSet::new());
        // Taken by what lets go of it at once: what follows can be decided with the next append.
        let mut passed = BTreeSet::new();
        let mut entries: Vec<Entry> = Vec::new();
        let mut records = SHARED;
        for (request, decision) in self.own() {
            let next = self.next_head(head);
            let transaction = Transaction { wide: false, ..self.entry(&request, next) };
            let entry = Entry { request, transaction, decision };
            if records + entry.records() > self.settings.records_per_append && !entries.is_empty() {
                break;
            }
            head = next;
            records += entry.records();
            taken.extend(entry.transaction.targets.keys().cloned());
            entries.push(entry);
        }
        let submissions: Vec<_> = self.desk.submissions.iter().cloned().collect();
        for request in submissions {
            if self.is_awaited(&request, &taken) {
                waiting.extend(request.body.edits.keys().cloned());
                continue;
            }
            let next = self.next_head(head);
            let transaction = self.entry(&request, next);
            let targets: BTreeSet<Target> = transaction.targets.keys().cloned().collect();
            let more = records_of(&transaction);
            records += more;
            if records > self.settings.records_per_append && !entries.is_empty() {
                break;
            }
            // By the time of the log, which a node that is ahead may have taken past it.
            let decision = if next.timestamp > request.deadline {
                Decision::PassOver
            } else if !targets.is_disjoint(&waiting) {
                Decision::Wait
            } else if !targets.is_disjoint(&taken) {
                let soon = targets.intersection(&taken).all(|target| passed.contains(target));
                if soon { Decision::Wait } else { Decision::Queue }
            } else {
                self.decide_submission(&request, &transaction, out)
            };
            if matches!(decision, Decision::Wait) {
                records -= more;
                waiting.extend(targets);
                continue;
            }
            if !matches!(decision, Decision::PassOver) {
                // What comes behind one with a window is turned away once that is in the log.
                waiting.extend(request.body.window.iter().flat_map(|_| targets.iter().cloned()));
                if matches!(decision, Decision::Commit(_)) && !transaction.is_atomic() {
                    passed.extend(targets.iter().cloned());
                }
                taken.extend(targets);
            }
            head = next;
            let decision = Decided::Asked(decision);
            entries.push(Entry { request, transaction, decision });
        }
        entries
    }

    /// Whether nothing is to be done about a change before yang has spoken on it. There may be many, and each verdict
    /// wakes all: so this comes before anything is made of them.
    fn is_awaited(&self, request: &Request, taken: &BTreeSet<Target>) -> bool {
        let Body { kind, edits, .. } = &request.body;
        let subject = Subject::Submission(request.id.clone());
        *kind == Kind::Change
            && self.desk.now <= request.deadline
            && self.desk.validating.contains(&subject)
            && edits.keys().all(|target| self.view.is_free(target) && !taken.contains(target))
    }

    /// What nobody asked for: the reverts of what was not confirmed, and what devices have of their own.
    fn own(&self) -> impl Iterator<Item = (Arc<Request>, Decided)> {
        let reverts = self.reverts().into_iter();
        let reverts =
            reverts.map(|(request, plan)| (request, Decided::Asked(Decision::Commit(plan))));
        reverts.chain(self.adoptions().map(|a| (a.request, Decided::Adopted(a.target, a.adopted))))
    }

    fn decide_submission(
        &mut self,
        request: &Request,
        transaction: &Transaction,
        out: &mut Vec<Command>,
    ) -> Decision {
        let withdraws = transaction.kind == Kind::Remove
            && transaction.targets.keys().any(|target| self.view.apply_head(target).is_some());
        if !transaction.wide
            && !withdraws
            && transaction.targets.keys().all(|t| self.view.is_free(t))
        {
            let subject = Subject::Submission(request.id.clone());
            self.decision(subject, transaction, &request.body.edits, out)
        } else {
            Decision::Queue
        }
    }

    pub(super) fn next_head(&self, head: Head) -> Head {
        let timestamp = self.desk.now.max(head.timestamp.after(1));
        Head { index: head.index.next(), timestamp }
    }

    pub(super) fn entry(&self, request: &Request, head: Head) -> Transaction {
        let body = &request.body;
        let part = |target: &Target| (target.clone(), Part::default());
        let targets: Map<_, _> = self.view.asked_of(body).iter().map(part).collect();
        Transaction {
            index: head.index,
            id: request.id.clone(),
            kind: body.kind,
            mode: mode(body),
            origin: self.session.clone(),
            author: request.author.clone(),
            comment: request.comment.clone(),
            only: body.only.clone(),
            window: body.window.map(Window::asked),
            binding: body.binding.clone(),
            submitted: head.timestamp,
            deadline: request.deadline,
            decided: None,
            finished: None,
            status: Status::Pending,
            reason: None,
            wide: is_wide(targets.len(), self.settings.records_per_write),
            called_off: false,
            trial: false,
            disturbed: 0,
            targets: targets.into(),
        }
    }
}

fn fill(draft: &mut Draft<'_>, entry: Entry, session: &SessionId) {
    let Entry { request, transaction, decision } = entry;
    let (index, now) = (transaction.index, transaction.submitted);
    let edits = &request.body.edits;
    let wide = transaction.wide;
    draft.append(Head { index, timestamp: now }, transaction);
    for (target, edit) in edits.iter().filter(|_| !wide) {
        let proposal = Proposal { edit: edit.clone(), ..Proposal::default() };
        draft.put_proposal(index, target, proposal);
    }
    match decision {
        Decided::Asked(Decision::Commit(plan)) => step::commit(draft, index, edits, &plan, now),
        Decided::Asked(Decision::Reject(reason)) => step::reject(draft, index, reason, now),
        Decided::Asked(Decision::PassOver) => {
            step::pass_over(draft, index, Reason::Deadline, now);
        }
        Decided::Adopted(target, adopted) => {
            draft.as_master(&target, session);
            draft.depends_on(Key::Binding(target.clone()));
            step::adopt(draft, index, &target, adopted);
        }
        Decided::Asked(Decision::Queue | Decision::Wait) => {}
    }
}
