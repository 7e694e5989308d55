//! What a run must have come across to have shown anything.

use lockstep_protocol::record::{
    Header, Kind, PartStatus, Reason, Status, Transaction, WindowStage,
};

use crate::system::{Commit, System};

/// Something that can be seen in a state of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fact {
    /// A transaction applied everywhere.
    Applied,
    /// An atomic one whose effects are gone.
    Reverted,
    /// A queued one withdrawn somewhere.
    Partial,
    /// One decided against.
    Rejected,
    /// One cancelled.
    Cancelled,
    /// A Rollback applied.
    RolledBack,
    /// A Rollback that was itself reverted.
    RollbackReverted,
    /// A Restore applied.
    Restored,
    /// A Restore that was itself rolled back.
    RestoreRolledBack,
    /// A withdrawal below a Restore that was decided.
    WithdrawnUnderRestore,
    /// A change in its window.
    InWindow,
    /// A change confirmed in its window.
    Confirmed,
    /// A change taken out since it was not confirmed.
    NotConfirmed,
    /// One whose taking out a device refused.
    RevertRefused,
    /// Entries that were forgotten.
    Forgotten,
    /// An entry beyond the horizon that is still needed.
    Needed,
    /// A transaction that a device has on trial.
    Tried,
    /// A trial that every device accepted.
    Confirming,
    /// A trial that was accepted, and taken back for a resync.
    TakenBack,
    /// A trial that a device keeps without having been told.
    KeptUntold,
    /// A target where entries are validated again.
    Recheck,
    /// A device that would not be brought in line.
    ResyncRefused,
    /// A unit the device shows in a form of its own.
    Rewritten,
    /// A withdrawal below a Rollback of the same change.
    WithdrawnUnderRollback,
    /// A wide transaction that had to be prepared again.
    Disturbed,
    /// A configuration that the store has not brought to what the record of a wide transaction says.
    Lagging,
    /// A device whose own configuration was recorded when it was first met.
    Adopted,
    /// One on which something was asked before.
    AdoptedBelow,
    /// A device that was changed behind our back, which was recorded.
    AdoptedOnTop,
    /// A target that came.
    Added,
    /// A target that was bound anew.
    Rebound,
    /// A target that went.
    Removed,
    /// A change withdrawn since its target went.
    RemovedQueued,
    /// A device that was taken over from somebody else.
    TakenOver,
    /// A target that is paused.
    Paused,
    /// A master that is not the first.
    NewTerm,
    /// A node that lost its lease and acts on.
    StaleMaster,
    /// A request that nobody waits for and that may still land.
    Orphan,
}

impl Fact {
    /// Every fact.
    pub const ALL: [Self; 38] = [
        Self::Applied,
        Self::Reverted,
        Self::Partial,
        Self::Rejected,
        Self::Cancelled,
        Self::RolledBack,
        Self::RollbackReverted,
        Self::Restored,
        Self::RestoreRolledBack,
        Self::WithdrawnUnderRestore,
        Self::InWindow,
        Self::Confirmed,
        Self::NotConfirmed,
        Self::RevertRefused,
        Self::Forgotten,
        Self::Needed,
        Self::Tried,
        Self::Confirming,
        Self::TakenBack,
        Self::KeptUntold,
        Self::Recheck,
        Self::ResyncRefused,
        Self::Rewritten,
        Self::WithdrawnUnderRollback,
        Self::Disturbed,
        Self::Lagging,
        Self::Adopted,
        Self::AdoptedBelow,
        Self::AdoptedOnTop,
        Self::Added,
        Self::Rebound,
        Self::Removed,
        Self::RemovedQueued,
        Self::TakenOver,
        Self::Paused,
        Self::NewTerm,
        Self::StaleMaster,
        Self::Orphan,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Reverted => "reverted",
            Self::Partial => "partial",
            Self::Rejected => "rejected",
            Self::Cancelled => "cancelled",
            Self::RolledBack => "rolled back",
            Self::RollbackReverted => "rollback reverted",
            Self::Restored => "restored",
            Self::RestoreRolledBack => "restore rolled back",
            Self::WithdrawnUnderRestore => "withdrawn under restore",
            Self::InWindow => "in window",
            Self::Confirmed => "confirmed",
            Self::NotConfirmed => "not confirmed",
            Self::RevertRefused => "revert refused",
            Self::Forgotten => "forgotten",
            Self::Needed => "needed",
            Self::Tried => "tried",
            Self::Confirming => "confirming",
            Self::TakenBack => "taken back",
            Self::KeptUntold => "kept untold",
            Self::Recheck => "recheck",
            Self::ResyncRefused => "resync refused",
            Self::Rewritten => "rewritten",
            Self::WithdrawnUnderRollback => "withdrawn under rollback",
            Self::Disturbed => "disturbed",
            Self::Lagging => "lagging",
            Self::Adopted => "adopted",
            Self::AdoptedBelow => "adopted below",
            Self::AdoptedOnTop => "adopted on top",
            Self::Added => "added",
            Self::Rebound => "rebound",
            Self::Removed => "removed",
            Self::RemovedQueued => "removed queued",
            Self::TakenOver => "taken over",
            Self::Paused => "paused",
            Self::NewTerm => "new term",
            Self::StaleMaster => "stale master",
            Self::Orphan => "orphan",
        }
    }

    /// Whether it is so in this state.
    #[must_use]
    pub fn holds(self, system: &System) -> bool {
        let store = &system.store;
        let status = |wanted| store.transactions().any(|t| t.status == wanted);
        let rollback = |wanted| store.transactions().any(|t| is_rollback(t) && t.status == wanted);
        let header = |wanted: fn(&Header) -> bool| {
            let stores = system.commits.iter().map(|commit| &commit.after).chain([store]);
            stores.flat_map(|s| s.targets().map(|t| s.header(t))).any(wanted)
        };
        let stage =
            |wanted| store.transactions().any(|t| t.window.is_some_and(|w| w.stage == wanted));
        let adopted =
            |wanted| store.transactions().any(|t| t.kind == Kind::Adopt { first: wanted });
        let done =
            |kind| store.transactions().any(|t| t.kind == kind && t.status == Status::Applied);
        let restores = || store.transactions().filter(|t| is_restore(t));
        match self {
            Self::Applied => status(Status::Applied),
            Self::Reverted => status(Status::Reverted),
            Self::Partial => status(Status::Partial),
            Self::Rejected => status(Status::Rejected),
            Self::Cancelled => status(Status::Cancelled),
            Self::RolledBack => rollback(Status::Applied),
            Self::RollbackReverted => rollback(Status::Reverted),
            Self::Restored => restores().any(|t| t.status == Status::Applied),
            Self::RestoreRolledBack => {
                restores().any(|t| t.targets.values().any(|part| part.rolled_back_by.is_some()))
            }
            Self::WithdrawnUnderRestore => system.commits.iter().any(|commit| {
                let decided = commit.before.open().filter(|t| is_restore(t));
                let decided: Vec<_> = decided.filter(|t| t.status.stands()).collect();
                let withdrawn = |t: &Transaction| {
                    let gone = |target| t.part(target) == PartStatus::Withdrawn;
                    decided
                        .iter()
                        .any(|restore| t.index < restore.index && restore.targets.keys().any(gone))
                };
                commit.before.open().any(|old| {
                    !withdrawn(old) && commit.after.transaction(old.index).is_some_and(withdrawn)
                })
            }),
            Self::InWindow => store.windows().next().is_some(),
            Self::Confirmed => stage(WindowStage::Confirmed),
            Self::NotConfirmed => {
                stage(WindowStage::Reverted)
                    && store.transactions().any(|t| t.is_revert() && t.status == Status::Applied)
            }
            Self::RevertRefused => store
                .transactions()
                .any(|t| t.is_revert() && t.targets.values().any(|part| part.reason.is_some())),
            Self::Forgotten => {
                let first = store.transactions().next().map(|t| t.index);
                first.is_some_and(|first| first.get() > 1)
            }
            Self::Needed => {
                system.is_quiet()
                    && store
                        .transactions()
                        .any(|t| t.index <= store.horizon() && t.status.is_final())
            }
            Self::Tried => store.targets().any(|t| store.on_trial(t).is_some()),
            Self::Confirming => system
                .commits
                .iter()
                .any(|c| c.after.transactions().any(|t| t.status == Status::Confirming)),
            Self::TakenBack => was_accepted(system, PartStatus::Pending),
            Self::KeptUntold => {
                was_accepted(system, PartStatus::Applied)
                    && store.targets().any(|t| store.header(t).trial.is_some())
            }
            Self::Recheck => header(|header| header.recheck.is_some()),
            Self::ResyncRefused => header(|header| header.resync_refused.is_some()),
            Self::Rewritten => {
                store.targets().any(|t| store.marks(t).is_some_and(|marks| !marks.is_empty()))
            }
            Self::WithdrawnUnderRollback => store.transactions().any(|t| {
                t.targets.values().any(|part| {
                    part.status == PartStatus::Withdrawn && part.rolled_back_by.is_some()
                })
            }),
            Self::Disturbed => store.transactions().any(|t| t.disturbed > 0),
            Self::Lagging => store.laggards().next().is_some(),
            Self::Adopted => adopted(true),
            Self::AdoptedBelow => {
                let below = |commit: &Commit| commit.before.open().any(|t| t.status.stands());
                let news = |commit: &Commit| {
                    let last = commit.after.transactions().last();
                    last.is_some_and(|t| commit.before.transaction(t.index).is_none() && is_met(t))
                };
                system.commits.iter().any(|commit| below(commit) && news(commit))
            }
            Self::AdoptedOnTop => adopted(false),
            Self::Added => done(Kind::Add),
            Self::Rebound => done(Kind::Rebind),
            Self::Removed => done(Kind::Remove),
            Self::RemovedQueued => store.transactions().any(|t| {
                let mut parts = t.targets.values();
                parts.any(|part| matches!(part.reason, Some(Reason::Removed(_))))
            }),
            Self::TakenOver => system.scenario.targets.iter().any(|t| {
                let claim = store.header(t).claim;
                store.is_synchronised(t) && store.header(t).synced >= claim && claim.get() > 0
            }),
            Self::Paused => header(|header| header.paused),
            Self::NewTerm => {
                store.targets().any(|t| store.mastership(t).is_some_and(|m| m.term.get() > 1))
            }
            Self::StaleMaster => system.nodes.iter().any(|node| node.is_stale()),
            Self::Orphan => system.requests.iter().any(|request| request.orphan),
        }
    }
}

fn is_rollback(transaction: &Transaction) -> bool {
    matches!(transaction.kind, Kind::Rollback { .. })
}

fn is_met(transaction: &Transaction) -> bool {
    transaction.kind == Kind::Adopt { first: true }
}

/// Whether something that a device had on trial has become this.
fn was_accepted(system: &System, now: PartStatus) -> bool {
    system.commits.iter().any(|commit| {
        commit.before.targets().any(|target| {
            let after = |index| commit.after.transaction(index).map(|t| t.part(target));
            commit.before.on_trial(target).and_then(after) == Some(now)
        })
    })
}

fn is_restore(transaction: &Transaction) -> bool {
    matches!(transaction.kind, Kind::Restore { .. })
}
