//! Submit: what clients asked goes into the log in batches, decided in the same write where it can be.

use std::collections::BTreeSet;

use lockstep_types::{Index, Target};

use super::Node;
use crate::command::Command;
use crate::draft::Draft;
use crate::event::{Subject, Wake};
use crate::record::{Head, Kind, Part, Proposal, Reason, Status, Transaction};
use crate::request::Request;
use crate::step::{self, Plan};

/// A submission on its way into the log.
struct Entry {
    request: Request,
    transaction: Transaction,
    /// Decided already: to be committed as planned, or rejected. None: it has to queue.
    decision: Option<Result<Plan, Reason>>,
}

impl Node {
    pub(super) fn wake_append(&mut self, out: &mut Vec<Command>) {
        let entries = self.batch(out);
        if entries.is_empty() {
            return;
        }
        let mut draft = Draft::new(&self.view);
        draft.alive(&self.session);
        for entry in entries {
            self.fill_entry(&mut draft, entry);
        }
        let txn = draft.txn();
        self.write(Wake::Append, txn, out);
    }

    /// The submissions that can be written now, as entries from the head of the log on. A submission
    /// that could be decided at once waits for yang; the others do not wait for it.
    fn batch(&mut self, out: &mut Vec<Command>) -> Vec<Entry> {
        let mut head = self.view.head();
        let mut taken = BTreeSet::new();
        let mut entries = Vec::new();
        let mut records = 1;
        for request in self.desk.submissions.clone() {
            records += records_of(&request.body.edits.len().max(request.body.only.len()));
            if records > self.settings.records_per_write && !entries.is_empty() {
                break;
            }
            let next = self.next_head(head);
            let transaction = self.entry(&request, next);
            let targets: BTreeSet<Target> = transaction.targets.keys().cloned().collect();
            let free = |target| self.view.commit_head(target).is_none() && !self.view.is_held(target);
            let decision = if targets.is_disjoint(&taken) && targets.iter().all(free) {
                let subject = Subject::Submission(request.id.clone());
                match self.decision(subject, &transaction, &request.body.edits, out) {
                    None => continue,
                    decided => decided,
                }
            } else {
                None
            };
            taken.extend(targets);
            head = next;
            entries.push(Entry { request, transaction, decision });
        }
        entries
    }

    fn next_head(&self, head: Head) -> Head {
        let timestamp = self.desk.now.max(head.timestamp.after(1));
        Head { index: head.index.next(), timestamp }
    }

    fn entry(&self, request: &Request, head: Head) -> Transaction {
        let body = &request.body;
        let part = |target: &Target| (target.clone(), Part::default());
        let targets = match body.kind {
            Kind::Change => body.edits.keys().map(part).collect(),
            Kind::Rollback { .. } if !body.only.is_empty() => body.only.iter().map(part).collect(),
            Kind::Rollback { of, .. } => self.targets_of(of).iter().map(part).collect(),
        };
        Transaction {
            index: head.index,
            id: request.id.clone(),
            kind: body.kind,
            mode: body.mode,
            origin: self.session.clone(),
            author: request.author.clone(),
            comment: request.comment.clone(),
            submitted: head.timestamp,
            deadline: request.deadline,
            decided: None,
            finished: None,
            status: Status::Pending,
            reason: None,
            targets,
        }
    }

    fn targets_of(&self, index: Index) -> Vec<Target> {
        let transaction = self.view.transaction(index);
        transaction.map(|t| t.targets.keys().cloned().collect()).unwrap_or_default()
    }

    fn fill_entry(&self, draft: &mut Draft<'_>, entry: Entry) {
        let Entry { request, transaction, decision } = entry;
        let (index, now) = (transaction.index, transaction.submitted);
        let edits = request.body.edits;
        let head = Head { index, timestamp: transaction.submitted };
        draft.append(head, transaction);
        match decision {
            Some(Ok(plan)) => step::commit(draft, index, &edits, &plan, now),
            decided => {
                for (target, edit) in edits {
                    let proposal = Proposal { edit, ..Proposal::default() };
                    draft.put_proposal(index, &target, proposal);
                }
                if let Some(Err(reason)) = decided {
                    step::reject(draft, index, reason, now);
                }
            }
        }
    }
}

/// How many records an entry with so many targets writes at the most: itself and its id, and for each
/// target a proposal and a configuration; and the change it takes out.
pub(super) fn records_of(targets: &usize) -> usize {
    3 + 2 * targets
}
