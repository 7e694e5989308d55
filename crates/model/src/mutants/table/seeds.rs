//! Flaws of the documents the protocol comes from.

use crate::mutants::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "commit-overwrites",
        breaks: "a commit replaces all committed values by its own",
        stands_for: "seeds 000 and 003",
        file: "protocol/src/step/plan.rs",
        find: "let committed = delta.written_by(index);",
        replace: r"let mut committed = delta.written_by(index);
    let others = view.committed(target);
    let others = others.units().filter(|(path, _)| delta.get(path).is_none());
    committed.extend(others.map(|(path, _)| (path.clone(), lockstep_types::Unit::NEVER)));",
        scenario: "firm",
        invariant: "Fold",
    },
    Mutant {
        name: "apply-overwrites",
        breaks: "an apply replaces all applied values by its own",
        stands_for: "seed 000",
        file: "protocol/src/step/recording.rs",
        find: "staged.applied = patch;",
        replace: r"let mut patch = patch;
    for (path, _) in view.applied(target).units() {
        if patch.get(path).is_none() {
            patch.insert(path.clone(), lockstep_types::Unit::NEVER);
        }
    }
    staged.applied = patch;",
        scenario: "verdicts",
        invariant: "Fold",
    },
    Mutant {
        name: "applied-index-unguarded",
        breaks: "an undo sets the applied index without a guard",
        stands_for: "seed 000",
        file: "protocol/src/step/undoing.rs",
        find: "if sent {",
        replace: "if sent || before.index > Index::ZERO {",
        scenario: "invalid",
        invariant: "Order",
    },
    Mutant {
        name: "pass-over-moves-applied",
        breaks: "what was never committed moves the applied index past the committed one",
        stands_for: "seed 000",
        file: "protocol/src/step/decision.rs",
        find: "pub(crate) fn pass_over(draft: &mut Draft<'_>, index: Index, reason: Reason, now: Timestamp) {",
        replace: r"pub(crate) fn pass_over(draft: &mut Draft<'_>, index: Index, reason: Reason, now: Timestamp) {
    let targets: Vec<Target> = draft.transaction(index).map(|t| t.targets.keys().cloned().collect()).unwrap_or_default();
    for target in targets {
        draft.configuration(&target).header.applied.index = index;
    }",
        scenario: "refusals",
        invariant: "Order",
    },
    Mutant {
        name: "undo-is-own-value",
        breaks: "the undo of a change records what the change sets",
        stands_for: "seed 000",
        file: "protocol/src/step/decision.rs",
        find: "let before = draft.view.committed(target).before(&planned.delta);",
        replace: "let before = draft.view.committed(target).patched(&planned.committed).before(&planned.delta);",
        scenario: "verdicts",
        invariant: "Undo",
    },
    Mutant {
        name: "added-path-not-removed",
        breaks: "taking an added path out sends nothing to the device",
        stands_for: "seed 002",
        file: "protocol/src/effect.rs",
        find: "paths(view, transaction, target).map(|path| (path.clone(), tree.get(path).cloned())).collect()",
        replace: r"paths(view, transaction, target)
        .filter_map(|path| Some((path.clone(), Some(tree.get(path)?.clone()))))
        .collect()",
        scenario: "refusals",
        invariant: "InStep",
    },
    Mutant {
        name: "resync-never-deletes",
        breaks: "a resync never removes what is not wanted",
        stands_for: "seed 002",
        file: "protocol/src/node/resync.rs",
        find: "!soon && !marked",
        replace: "!soon && !marked && wanted.is_some()",
        scenario: "verdicts",
        invariant: "InStep",
    },
    Mutant {
        name: "rollback-of-delete-void",
        breaks: "rolling back a delete brings nothing back",
        stands_for: "seed 002",
        file: "types/src/configuration/change.rs",
        find: "self.units.get(path).is_some_and(|unit| unit.writer == writer);",
        replace: "self.units.get(path).is_some_and(|unit| unit.writer == writer && unit.content.is_some());",
        scenario: "subtree",
        invariant: "Fold",
    },
    Mutant {
        name: "rollback-without-device",
        breaks: "a Rollback counts as applied with the device untouched",
        stands_for: "seed 001",
        file: "protocol/src/effect.rs",
        find: "view.transaction(of).is_some_and(|change| change.part(target) == PartStatus::Withdrawn)",
        replace: "view.transaction(of).is_some_and(|change| change.part(target) != PartStatus::Undone)",
        scenario: "refusals",
        invariant: "Settled",
    },
    Mutant {
        name: "rejection-moves-no-index",
        breaks: "a failed validation does not move on",
        stands_for: "seeds 001 and 004",
        file: "protocol/src/step/decision.rs",
        find: "for target in targets.keys() { draft.depends_on(Key::Binding(target.clone())); draft.configuration(target).header.committed.index = index; }",
        replace: r"for target in targets.keys() {
        draft.depends_on(Key::Binding(target.clone()));
    }",
        scenario: "verdicts",
        invariant: "Order",
    },
    Mutant {
        name: "rejection-never-written",
        breaks: "a failed validation is never written",
        stands_for: "seed 004",
        file: "protocol/src/node/transaction.rs",
        find: "Decision::Reject(reason) => step::reject(&mut draft, index, reason, self.desk.now),",
        replace: "Decision::Reject(_) => return,",
        scenario: "rebind",
        invariant: "Progress",
    },
    Mutant {
        name: "rollback-waits",
        breaks: "a Rollback of a change that is not the latest waits instead of being refused",
        stands_for: "seed 001",
        file: "protocol/src/node/verdicts.rs",
        find: "Err(reason) => return Decision::Reject(reason),",
        replace: r"Err(Reason::Superseded { .. }) => return Decision::Queue,
            Err(reason) => return Decision::Reject(reason),",
        scenario: "refusals",
        invariant: "Progress",
    },
    Mutant {
        name: "new-master-trusts-old-sync",
        breaks: "a change of master does not lead to a resync",
        stands_for: "seed 002",
        file: "protocol/src/node/target.rs",
        find: "let synced = self.view.header(target).synced == term;",
        replace: "let synced = self.view.header(target).synced != Term::ZERO;",
        scenario: "lease",
        invariant: "Convergence",
    },
    Mutant {
        name: "refusal-is-no-turn",
        breaks: "a refusal leaves the transaction standing on its other targets",
        stands_for: "seed 003; rule 1",
        file: "protocol/src/step/recording.rs",
        find: "turn_at(draft, index, target, reason.clone());",
        replace: "let _ = turn_at;",
        scenario: "firm",
        invariant: "AllOrNothing",
    },
    Mutant {
        name: "recorded-without-sending",
        breaks: "the device write and its record are one step",
        stands_for: "every seed",
        file: "protocol/src/node/target.rs",
        find: "self.send(target, term, Ask::Set(delta), Work::Applying(index), out);",
        replace: r"let _ = (term, delta, Work::Applying(index));
            self.set_work(target, Work::Answered(super::link::Outcome::Applied(index)));
            self.wake_target(target, out);",
        scenario: "verdicts",
        invariant: "InStep",
    },
];
