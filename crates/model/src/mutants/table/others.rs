//! Ids, wake-ups, verdicts, answers and readers.

use crate::mutants::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "id-not-looked-up",
        breaks: "the same id is taken in twice",
        stands_for: "ids",
        file: "protocol/src/node/clients.rs",
        find: "if let Some(first) = self.view.named(&request.id) {",
        replace: "if let Some(first) = self.view.named(&request.id).filter(|_| false) {",
        scenario: "ids",
        invariant: "Decision",
    },
    Mutant {
        name: "lost-id-told-of-winner",
        breaks: "a client whose id another took is told of the other transaction",
        stands_for: "ids",
        file: "protocol/src/node/clients.rs",
        find: "if !same {",
        replace: "if false && !same {",
        scenario: "crowd",
        invariant: "Durability",
    },
    Mutant {
        name: "holder-not-woken",
        breaks: "what concerns a held target does not wake its holder",
        stands_for: "a wake-up",
        file: "protocol/src/node/learn.rs",
        find: "[self.view.commit_head(target), holder].into_iter()",
        replace: "[self.view.commit_head(target), holder.filter(|_| false)].into_iter()",
        scenario: "undermined",
        invariant: "Progress",
    },
    Mutant {
        name: "commit-head-not-woken",
        breaks: "what frees a target does not wake the next entry",
        stands_for: "a wake-up",
        file: "protocol/src/node/learn.rs",
        find: "[self.view.commit_head(target), holder].into_iter()",
        replace: "[self.view.commit_head(target).filter(|_| false), holder].into_iter()",
        scenario: "undermined",
        invariant: "Progress",
    },
    Mutant {
        name: "end-of-session-unnoticed",
        breaks: "the end of a session wakes nobody",
        stands_for: "a wake-up",
        file: "protocol/src/node/learn.rs",
        find: "Op::Session { .. } | Op::EndSession(_) => wakes.extend(self.everything()),",
        replace: r"Op::EndSession(_) => {}
            Op::Session { .. } => wakes.extend(self.everything()),",
        scenario: "burial",
        invariant: "Progress",
    },
    Mutant {
        name: "stale-verdict",
        breaks: "a verdict counts whatever it was reached on",
        stands_for: "Decision",
        file: "protocol/src/node/verdicts.rs",
        find: "if verdict.bases.iter().eq(bases) {",
        replace: "if verdict.bases.iter().eq(bases) || true {",
        scenario: "verdicts",
        invariant: "Decision",
    },
    Mutant {
        name: "withdrawal-leaves-verdicts",
        breaks: "a verdict outlives a withdrawal below what it was reached on",
        stands_for: "Decision",
        file: "protocol/src/view/absorb.rs",
        find: "|| withdrawn",
        replace: "|| (withdrawn && false)",
        scenario: "undermined",
        invariant: "Decision",
    },
    Mutant {
        name: "answer-before-durable",
        breaks: "a client is answered before the write",
        stands_for: "Durability",
        file: "protocol/src/node/append.rs",
        find: "let txn = draft.txn(); self.write(Wake::Append, txn, out);",
        replace: r"let txn = draft.txn();
        for op in &txn.ops {
            if let crate::txn::Op::Transaction(t) = op {
                for waiter in self.desk.waiters.remove(&t.id).into_iter().flatten() {
                    let reply = crate::request::Reply::Transaction { index: t.index, status: t.status };
                    out.push(Command::Answer { client: waiter.client, reply });
                }
            }
        }
        self.write(Wake::Append, txn, out);",
        scenario: "rebind",
        invariant: "Durability",
    },
    Mutant {
        name: "sync-told-at-decision",
        breaks: "a sync client is told at the decision",
        stands_for: "Durability",
        file: "protocol/src/node/clients.rs",
        find: "Until::Outcome => status.is_final(),",
        replace: "Until::Outcome => status != Status::Pending,",
        scenario: "refusals",
        invariant: "Durability",
    },
    Mutant {
        name: "readers-see-open",
        breaks: "readers are served an atomic transaction that is open",
        stands_for: "Isolation",
        file: "protocol/src/view/reading.rs",
        find: ".filter(|holder| holder.status == Status::Committed)",
        replace: ".filter(|holder| holder.status == Status::Reverting)",
        scenario: "firm",
        invariant: "Isolation",
    },
    Mutant {
        name: "absence-only-of-committed",
        breaks: "a cleared subtree forgets what is queued below it",
        stands_for: "explicit absence",
        file: "protocol/src/step/plan.rs",
        find: "trees.chain(deltas.filter(|path| clear.covers(path)))",
        replace: "trees.chain(deltas.filter(|path| clear.covers(path) && false))",
        scenario: "subtree",
        invariant: "Fold",
    },
    Mutant {
        name: "resync-over-withdrawn-head",
        breaks: "a resync is recorded although the head it left alone was withdrawn",
        stands_for: "Convergence",
        file: "protocol/src/node/recording.rs",
        find: "|| over.is_some_and(withdrawn)",
        replace: "|| (over.is_some_and(withdrawn) && false)",
        scenario: "overlay",
        invariant: "InStep",
    },
];
