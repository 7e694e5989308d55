//! What a transaction would do to the committed values if it were decided now.

use std::collections::BTreeMap;

use lockstep_types::{Delta, Edit, Index, Patch, Target};

use crate::record::{Kind, Reason, Rule, Transaction};
use crate::request::Body;
use crate::view::View;

/// A transaction's effect on one target.
#[derive(Clone, Debug, Default)]
pub(crate) struct Planned {
    /// By unit of state; empty for a Rollback, which has no delta of its own.
    pub(crate) delta: Delta,
    /// The units of the committed tree that change.
    pub(crate) committed: Patch,
}

/// A transaction's effect, target by target; for a Rollback only the targets it concerns.
pub(crate) type Plan = BTreeMap<Target, Planned>;

/// Plans `transaction`, or says why it cannot be.
pub(crate) fn plan(
    view: &View,
    transaction: &Transaction,
    edits: &BTreeMap<Target, Edit>,
) -> Result<Plan, Reason> {
    match transaction.kind {
        // What is adopted is known, not planned; what is about a target itself changes no values.
        Kind::Adopt { .. } | Kind::Add | Kind::Rebind | Kind::Remove => Ok(Plan::new()),
        Kind::Change => Ok(changes(view, transaction.index, edits)),
        Kind::Rollback { of, rule } => rollback(view, transaction.targets.keys(), of, rule),
        Kind::Restore { to } => transaction
            .targets
            .keys()
            .map(|target| Ok((target.clone(), restore(view, transaction.index, target, to)?)))
            .collect(),
    }
}

impl View {
    /// What a request would make of the committed values of each target it concerns, if it were decided now;
    /// or why it would not be. Nobody has looked whether that is valid.
    pub fn preview(&self, body: &Body) -> Result<BTreeMap<Target, Patch>, Reason> {
        let index = self.head().index.next();
        let concerned = self.asked_of(body);
        let planned = match body.kind {
            Kind::Adopt { .. } | Kind::Add | Kind::Rebind | Kind::Remove => Plan::new(),
            Kind::Change => changes(self, index, &body.edits),
            Kind::Rollback { of, rule } => rollback(self, concerned.iter(), of, rule)?,
            Kind::Restore { to } => {
                let each = concerned.iter();
                each.map(|target| Ok((target.clone(), restore(self, index, target, to)?)))
                    .collect::<Result<_, Reason>>()?
            }
        };
        Ok(planned.into_iter().map(|(target, planned)| (target, planned.committed)).collect())
    }
}

/// The plan of a Change.
pub(crate) fn changes(view: &View, index: Index, edits: &BTreeMap<Target, Edit>) -> Plan {
    let each = edits.iter();
    each.map(|(target, edit)| (target.clone(), change(view, index, target, edit))).collect()
}

fn change(view: &View, index: Index, target: &Target, edit: &Edit) -> Planned {
    let delta = resolve(view, target, edit);
    let committed = delta.written_by(index);
    Planned { delta, committed }
}

/// A cleared subtree becomes an explicit absence of everything that stands there, or may stand there
/// again when something queued is withdrawn. What is added joins what is committed by now.
fn resolve(view: &View, target: &Target, edit: &Edit) -> Delta {
    let (committed, applied) = (view.committed(target), view.applied(target));
    // However much is queued, it costs only those who clear something.
    let queued = view.apply_queue(target).take_while(|_| !edit.clear.is_empty());
    let queued: Vec<_> = queued.filter_map(|index| view.proposal(index, target)).collect();
    let standing = edit.clear.iter().flat_map(|clear| {
        let trees = committed.under(clear).chain(applied.under(clear));
        let trees = trees.filter(|(_, unit)| unit.content.is_some()).map(|(path, _)| path);
        let deltas = queued.iter().flat_map(|proposal| proposal.delta.paths());
        trees.chain(deltas.filter(|path| clear.covers(path)))
    });
    edit.resolve(&committed, standing)
}

/// What differs from how the target stood then. Only at the decision is it known what stands.
fn restore(view: &View, index: Index, target: &Target, to: Index) -> Result<Planned, Reason> {
    let known = view.horizon().max(view.header(target).since);
    let stood = view.as_of(target, to).ok_or(Reason::BeyondRetention(known))?;
    let delta = view.committed(target).diff(&stood);
    Ok(Planned { committed: delta.written_by(index), delta })
}

fn rollback<'t>(
    view: &View,
    targets: impl Iterator<Item = &'t Target>,
    of: Index,
    rule: Rule,
) -> Result<Plan, Reason> {
    if of <= view.horizon() {
        return Err(Reason::BeyondRetention(view.horizon()));
    }
    let change = view.transaction(of).filter(|change| change.status.stands());
    let change = change.ok_or(Reason::NotCommitted(of))?;
    let concerned: Vec<_> = targets.filter(|target| view.is_live(change, target)).collect();
    if concerned.is_empty() {
        return Err(Reason::NotLive(of));
    }
    let mut plan = Plan::new();
    for target in concerned {
        if let Some(by) = in_the_way(view, of, rule, target) {
            return Err(Reason::Superseded { target: target.clone(), by });
        }
        let committed = view
            .proposal(of, target)
            .map(|proposal| view.committed(target).without(of, &proposal.undo))
            .unwrap_or_default();
        plan.insert(target.clone(), Planned { delta: Delta::default(), committed });
    }
    Ok(plan)
}

/// The latest live change after `of` that asked for something at a path of its delta which stood so already. It wrote nothing
/// there, and is not the writer; but it asked that nothing be there, or, as a Restore, for all that stands.
fn asked_later(view: &View, of: Index, target: &Target, delta: &Delta) -> Option<Index> {
    view.live(target).take_while(|later| *later > of).find(|later| {
        let restores = |entry: &Transaction| matches!(entry.kind, Kind::Restore { .. });
        let edit = view.proposal(*later, target).map(|proposal| &proposal.edit);
        let clears = edit.is_some_and(|edit| {
            !edit.clear.is_empty() && delta.paths().any(|path| edit.clears(path))
        });
        clears || view.transaction(*later).is_some_and(restores)
    })
}

/// The later change that keeps `of` from counting as the latest on `target`.
fn in_the_way(view: &View, of: Index, rule: Rule, target: &Target) -> Option<Index> {
    match rule {
        Rule::Window => None,
        Rule::Target => Some(view.header(target).committed.revision).filter(|latest| *latest != of),
        Rule::Path => {
            let delta = &view.proposal(of, target)?.delta;
            let committed = view.committed(target);
            let writers = delta.paths().map(|path| committed.unit(path).writer);
            let mut later = writers.filter(|writer| *writer != of);
            later.next().or_else(|| asked_later(view, of, target, delta))
        }
    }
}
