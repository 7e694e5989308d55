//! What a run must have come across to have shown anything.

use lockstep_protocol::record::{
    Header, Kind, PartStatus, Reason, Status, Transaction, WindowStage,
};
use lockstep_types::Timestamp;
use stateright::Property;

use crate::explore::Explorer;
use crate::system::{Commit, System};

/// Lists every fact once: as a value, by its name, and as a property that some state must have.
macro_rules! facts {
    ($($(#[$doc:meta])* $fact:ident = $name:literal,)*) => {
        /// Something that can be seen in a state of the system.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Fact {
            $($(#[$doc])* $fact,)*
        }

        impl Fact {
            /// Every fact.
            pub const ALL: &[Self] = &[$(Self::$fact),*];

            /// Its name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$fact => $name,)*
                }
            }

            /// That some state has it.
            #[must_use]
            pub fn property(self) -> Property<Explorer> {
                match self {
                    $(Self::$fact => Property::sometimes($name, |_, state: &System| {
                        state.facts.contains(&Self::$fact)
                    }),)*
                }
            }
        }
    };
}

facts! {
    /// A transaction applied everywhere.
    Applied = "applied",
    /// An atomic one whose effects are gone.
    Reverted = "reverted",
    /// A queued one withdrawn somewhere.
    Partial = "partial",
    /// One decided against.
    Rejected = "rejected",
    /// One cancelled.
    Cancelled = "cancelled",
    /// A Rollback applied.
    RolledBack = "rolled back",
    /// A Rollback that was itself reverted.
    RollbackReverted = "rollback reverted",
    /// A Restore applied.
    Restored = "restored",
    /// A Restore that was itself rolled back.
    RestoreRolledBack = "restore rolled back",
    /// A withdrawal below a Restore that was decided.
    WithdrawnUnderRestore = "withdrawn under restore",
    /// A change in its window.
    InWindow = "in window",
    /// A window that was given another time.
    Extended = "extended",
    /// A change confirmed in its window.
    Confirmed = "confirmed",
    /// A change taken out since it was not confirmed.
    NotConfirmed = "not confirmed",
    /// One whose taking out a device refused.
    RevertRefused = "revert refused",
    /// Entries that were forgotten.
    Forgotten = "forgotten",
    /// An entry beyond the horizon that is still needed.
    Needed = "needed",
    /// An absence that was let go of.
    LetGo = "let go",
    /// An absence that was let go of and came back with the undo of a later change.
    CameBack = "came back",
    /// A transaction that a device has on trial.
    Tried = "tried",
    /// A trial that every device accepted.
    Confirming = "confirming",
    /// A trial that was accepted, and taken back for a resync.
    TakenBack = "taken back",
    /// A trial that a device keeps without having been told.
    KeptUntold = "kept untold",
    /// The answers of several devices that were recorded in one write.
    RecordedTogether = "recorded together",
    /// A target where entries are validated again.
    Recheck = "recheck",
    /// A device that would not be brought in line.
    ResyncRefused = "resync refused",
    /// A unit the device shows in a form of its own.
    Rewritten = "rewritten",
    /// A withdrawal below a Rollback of the same change.
    WithdrawnUnderRollback = "withdrawn under rollback",
    /// A wide transaction that had to be prepared again.
    Disturbed = "disturbed",
    /// A configuration that the store has not brought to what the record of a wide transaction says.
    Lagging = "lagging",
    /// A device whose own configuration was recorded when it was first met.
    Adopted = "adopted",
    /// One on which something was asked before.
    AdoptedBelow = "adopted below",
    /// A device that was changed behind our back, which was recorded.
    AdoptedOnTop = "adopted on top",
    /// A target that came.
    Added = "added",
    /// A target that was bound anew.
    Rebound = "rebound",
    /// A target that went.
    Removed = "removed",
    /// A change withdrawn since its target went.
    RemovedQueued = "removed queued",
    /// A device that was taken over from somebody else.
    TakenOver = "taken over",
    /// A target that was handed over.
    HandedOver = "handed over",
    /// A target that is paused.
    Paused = "paused",
    /// A master that is not the first.
    NewTerm = "new term",
    /// A node that lost its lease and acts on.
    StaleMaster = "stale master",
    /// A request that nobody waits for and that may still land.
    Orphan = "orphan",
}

impl Fact {
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
            Self::Extended => store.transactions().any(|t| {
                let opened = |at: Timestamp| at.after(t.window.map_or(0, |window| window.length));
                t.open_until().is_some_and(|until| Some(until) != t.finished.map(opened))
            }),
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
            Self::LetGo => system.commits.iter().any(|commit| {
                let (before, after) = (&commit.before, &commit.after);
                before.targets().any(|target| {
                    let stands = after.committed(target);
                    let was = before.committed(target);
                    was.absences(before.horizon()).any(|path| stands.unit(path).is_never())
                })
            }),
            Self::CameBack => system.commits.iter().any(|commit| {
                let (before, after) = (&commit.before, &commit.after);
                after.targets().any(|target| {
                    let was = before.committed(target);
                    let stands = after.committed(target);
                    stands.absences(before.horizon()).any(|path| was.get(path).is_some())
                })
            }),
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
            Self::RecordedTogether => system.commits.iter().any(|commit| {
                commit.after.transactions().any(|now| {
                    let before = commit.before.transaction(now.index);
                    before.is_some_and(|before| have_moved(before, now) > 1)
                })
            }),
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
            Self::HandedOver => system.commits.iter().any(|commit| {
                let asked = |t| commit.before.mastership(t).and_then(|m| m.next.clone());
                store.targets().any(|t| {
                    let now = commit.after.mastership(t);
                    let to = asked(t).map(|next| next.session);
                    to.is_some() && now.is_some_and(|m| m.session == to && m.next.is_none())
                })
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

/// On how many targets a device did what was asked of it for a transaction.
fn have_moved(before: &Transaction, now: &Transaction) -> usize {
    let did = [PartStatus::Accepted, PartStatus::Applied, PartStatus::Undone];
    let moved = now
        .targets
        .iter()
        .filter(|(target, part)| did.contains(&part.status) && before.part(target) != part.status);
    moved.count()
}

fn is_restore(transaction: &Transaction) -> bool {
    matches!(transaction.kind, Kind::Restore { .. })
}
