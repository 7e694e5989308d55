----------------------------- MODULE Landmarks -----------------------------
(***************************************************************************)
(* Places a run has to come to, so that what it shows is not shown of an   *)
(* empty stage.  Each is written as an invariant that is always true and   *)
(* prints its name the first time its condition is met; a configuration    *)
(* lists those it must reach, and `spec/run` fails if one was not printed. *)
(***************************************************************************)
EXTENDS Retained, TLC

Landmark(k, name, met) == TLCGet(k) \/ (met => TLCSet(k, TRUE) /\ PrintT(name))
ASSUME \A k \in 1..80 : TLCSet(k, FALSE)

Some(status) == \E i \in Index : log[i].status = status
Because(reason) == \E i \in Index : log[i].reason = reason
Proposed(answer) == {x \in Index \X Target : x[2] \in Targets(x[1]) /\ log[x[1]].proposal[x[2]] = answer}

\* Outcomes.
ReachesReverted  == Landmark(1, "ReachesReverted", Some("Reverted"))
ReachesPartial   == Landmark(2, "ReachesPartial", Some("Partial"))
ReachesCancelled == Landmark(3, "ReachesCancelled", Some("Cancelled"))
ReachesInvalid   == Landmark(4, "ReachesInvalid", Because("invalid"))
ReachesDeadline  == Landmark(5, "ReachesDeadline", Because("deadline"))
\* Every reason to refuse a Rollback.
ReachesUnknown      == Landmark(6, "ReachesUnknown", Because("unknown"))
ReachesNotCommitted == Landmark(7, "ReachesNotCommitted", Because("not committed"))
ReachesNotAChange   == Landmark(8, "ReachesNotAChange", Because("not a change"))
ReachesLiveNowhere  == Landmark(9, "ReachesLiveNowhere", Because("live nowhere"))
ReachesSuperseded   == Landmark(10, "ReachesSuperseded", Because("superseded"))
\* A Rollback that was turned, and one that concerned fewer targets than its change.
ReachesRollbackReverted == Landmark(11, "ReachesRollbackReverted",
  \E i \in Index : IsRollback(i) /\ log[i].status = "Reverted")
ReachesPiecemeal == Landmark(12, "ReachesPiecemeal",
  \E i \in Index : IsRollback(i) /\ log[i].status = "Applied" /\ Targets(i) # Targets(log[i].of))
\* A change withdrawn from under a later writer of the same path.
ReachesRelinked == Landmark(13, "ReachesRelinked",
  \E x \in Proposed("Withdrawn"), k \in Index :
    /\ k > x[1] /\ x[2] \in Targets(k) /\ k \in Live(x[2]) /\ Paths(x[1], x[2]) \cap Paths(k, x[2]) # {})
\* Rule 9: what stood behind a withdrawal is no longer valid, queued or atomic.
Invalidated(t) == {k \in ApplyQueue(t) : /\ k > config[t].recheck
                                         /\ ~Valid(t, StandsAfter(k, t).units)}
ReachesInvalidQueued == Landmark(14, "ReachesInvalidQueued", \E t \in Target : \E k \in Invalidated(t) : ~IsAtomic(k))
ReachesInvalidAtomic == Landmark(15, "ReachesInvalidAtomic", \E t \in Target : \E k \in Invalidated(t) : IsAtomic(k))
\* Rule 10: a Rollback with nothing to do on one of its targets.
ReachesNothing == Landmark(16, "ReachesNothing",
  \E x \in Proposed("Applied") : NothingToSend(x[1], x[2]) /\ log[x[1]].status \in {"Applied", "Reverting"})
\* Rule 4: an undo that is in the store and not yet on the device.
ReachesUndoAhead == Landmark(17, "ReachesUndoAhead",
  \E x \in Proposed("Undone") : ~Synchronised(x[2]) /\ \E p \in Path : Dead(x[1], x[2], p)
     /\ device[x[2]].values[p] = Delta(x[1], x[2])[p])
\* Rule 7: a Set that nobody waits for arrives, or would if it were not fenced.
ReachesLanded == Landmark(18, "ReachesLanded", faults.strays > 0 /\ \A t \in Target : stray[t] = {})
ReachesStrayFenced == Landmark(19, "ReachesStrayFenced",
  \E t \in Target : \E s \in stray[t] : device[t].on /\ Fenced(t, s.term) /\ Synchronised(t))
\* A master that does not know it is none, with a Set on its way.
ReachesStale == Landmark(20, "ReachesStale",
  \E n \in Node, t \in Target : request[n][t].stage = "sent" /\ Usable(n, t) /\ ~IsMaster(n, t))
\* A new term though no connection or session is new.
ReachesHandedOver == Landmark(72, "ReachesHandedOver",
  \E t \in Target : /\ master[t].term > 1 /\ Synchronised(t) /\ leases = {<<n, 1>> : n \in Node}
                    /\ \A n \in Node : link[n][t] = [up |-> TRUE, id |-> 1])
\* Rule 8: resync and head as one Set, taken; a value that the device rewrites.
ReachesJoint == Landmark(21, "ReachesJoint",
  \E n \in Node, t \in Target : request[n][t].stage = "answered" /\ request[n][t].what = "both" /\ request[n][t].ok)
ReachesRewritten == Landmark(22, "ReachesRewritten",
  \E t \in Target, p \in Path : config[t].rewritten[p][1] # Absent)
\* A committed head that was taken by the device, and whose record was lost.
ReachesUnrecorded == Landmark(23, "ReachesUnrecorded",
  \E t \in Target : LET i == ApplyHead(t) IN
    /\ i # 0 /\ IsChange(i) /\ ~Synchronised(t) /\ \A n \in Node : request[n][t] = Idle
    /\ \A p \in Paths(i, t) : Delta(i, t)[p] # Absent /\ device[t].values[p] = Delta(i, t)[p])
\* A client that was told "decided" of what was then reverted.
ReachesToldThenReverted == Landmark(24, "ReachesToldThenReverted",
  \E i \in Index : log[i].item # 0 /\ told[log[i].item] = "Committed" /\ log[i].status = "Reverted")
\* A reader that was shown an atomic change.
ReachesShown == Landmark(25, "ReachesShown",
  \E t \in Target, p \in Path : reader[t][p].writer # 0 /\ IsAtomic(reader[t][p].writer))
\* A wide transaction that is prepared on one target and not on another; one whose preparation became
\* void; one whose edits were lost.
ReachesPrepared == Landmark(26, "ReachesPrepared",
  \E i \in Index : \E t, u \in Targets(i) : Prepared(i, t) /\ ~Prepared(i, u))
ReachesDisturbed == Landmark(27, "ReachesDisturbed",
  \E i, k \in Index : \E t, u \in Targets(i) : Prepared(i, t) /\ Withdrawn(k, u) /\ ~Prepared(i, u))
ReachesIncomplete == Landmark(28, "ReachesIncomplete", Because("incomplete"))
\* A change that was confirmed; one that was not; and what is kept off its target meanwhile.
InWindow(stage) == {i \in Index : log[i].window = stage}
ReachesConfirmed    == Landmark(29, "ReachesConfirmed", InWindow("confirmed") # {})
ReachesNotConfirmed == Landmark(30, "ReachesNotConfirmed",
  \E i \in Index : IsRevert(i) /\ log[i].status = "Applied")
ReachesKeptOff == Landmark(31, "ReachesKeptOff",
  \E i \in InWindow("open"), k \in Item : /\ IndexOf(k, log) = 0
                                          /\ DOMAIN Entry(k, log, Nobody).proposal \cap Targets(i) # {})
\* A device that refuses to have it taken out; one that is not asked; a node that is gone when it has to be.
ReachesRevertRefused == Landmark(32, "ReachesRevertRefused",
  \E n \in Node, t \in Target : LET r == request[n][t] IN
    r.stage = "answered" /\ r.what = "apply" /\ r.i # 0 /\ IsRevert(r.i) /\ ~r.ok)
ReachesRevertAhead == Landmark(33, "ReachesRevertAhead",
  \E x \in Proposed("Applied") : IsRevert(x[1]) /\ ~HasMaster(x[2]))
ReachesRevertTakenOver == Landmark(34, "ReachesRevertTakenOver",
  \E i \in InWindow("reverted") : log[i].origin \notin leases)
\* A Restore; one that was taken back; one that something was withdrawn from under, and that came to something else.
ReachesRestored == Landmark(35, "ReachesRestored", \E i \in Index : IsRestore(i) /\ log[i].status = "Applied")
ReachesRestoreTakenBack == Landmark(36, "ReachesRestoreTakenBack",
  \E r \in Index : IsRollback(r) /\ log[r].of # 0 /\ IsRestore(log[r].of) /\ log[r].status = "Applied")
ReachesDecidedAnew == Landmark(37, "ReachesDecidedAnew",
  \E x \in Proposed("Withdrawn"), k \in Index :
    k > x[1] /\ IsRestore(k) /\ k \in Live(x[2]) /\ log[k].of >= x[1] /\ x[2] \in Targets(log[k].of))
\* A device that is left alone: while something waits; in the middle of a resync, or at its end; and what is undone meanwhile.
ReachesPaused == Landmark(38, "ReachesPaused", \E t \in Target : config[t].paused /\ ApplyQueue(t) # {})
ReachesPausedResync == Landmark(39, "ReachesPausedResync",
  \E n \in Node, t \in Target : config[t].paused /\ request[n][t].stage = "read")
ReachesPausedAnswer == Landmark(40, "ReachesPausedAnswer",
  \E n \in Node, t \in Target : config[t].paused /\ request[n][t].stage = "answered" /\ request[n][t].what = "sync")
ReachesPausedUndone == Landmark(41, "ReachesPausedUndone",
  \E x \in Proposed("Undone") : config[x[2]].paused /\ HasMaster(x[2])
     /\ \E p \in Path : Dead(x[1], x[2], p) /\ device[x[2]].values[p] = Delta(x[1], x[2])[p])
ReachesRevertPaused == Landmark(42, "ReachesRevertPaused",
  \E x \in Proposed("Applied") : IsRevert(x[1]) /\ config[x[2]].paused /\ HasMaster(x[2])
     /\ \E p \in Paths(x[1], x[2]) : device[x[2]].values[p] = Delta(log[x[1]].of, x[2])[p])
\* What is forgotten; what is behind the horizon and needed still; and what is asked for behind it.
ReachesForgotten == Landmark(43, "ReachesForgotten", Forgotten # {})
ReachesNeeded == Landmark(44, "ReachesNeeded",
  \E i \in Index : i < horizon /\ i \notin Forgotten /\ IsNeeded(i) /\ HasOutcome(i))
ReachesBeyond == Landmark(45, "ReachesBeyond",
  \E k \in Item : IndexOf(k, log) = 0 /\ ~WithinHorizon(Entry(k, log, Nobody)))
\* An absence that was let go of; one that came back after its place was let go of or written over.
ReachesAbsenceGone == Landmark(73, "ReachesAbsenceGone", \E t \in Target, p \in Path :
  config[t].committed.units[p] = Nothing /\ Archive!FoldOf(t, Archive!Live(t))[p].writer # 0)
ReachesAbsenceBack == Landmark(74, "ReachesAbsenceBack", \E t \in Target, p \in Path, r \in Index :
  /\ IsIdle(t, p) /\ log[r].of # 0 /\ IsRollback(r) /\ log[r].status = "Applied"
  /\ p \in Archive!Paths(log[r].of, t))
\* A trial that every device accepted; one that was taken back and is tried again; one that a device is recorded
\* to keep without having been told; one that a device has lost.
ReachesConfirming == Landmark(50, "ReachesConfirming", Some("Confirming"))
ReachesTriedAgain == Landmark(51, "ReachesTriedAgain",
  \E i \in Index, t \in Target : /\ config[t].trial = i /\ log[i].proposal[t] = "Pending" /\ Synchronised(t)
                                 /\ config[t].synced > 1)
ReachesKeptUntold == Landmark(52, "ReachesKeptUntold",
  \E x \in Proposed("Applied") : config[x[2]].trial = x[1] /\ ~Synchronised(x[2]))
ReachesLost == Landmark(53, "ReachesLost",
  \E n \in Node, t \in Target : LET r == request[n][t] IN
    r.stage = "answered" /\ r.what = "confirm" /\ ~r.ok)
\* A device that is met: with nothing waiting, below what was decided before, or before it is decided; on top of
\* which something is valid no more.
ReachesMet == Landmark(46, "ReachesMet", \E i \in Index : IsMet(i) /\ \E t \in Targets(i) : config[t].committed.index = i)
ReachesMetBelow == Landmark(47, "ReachesMetBelow",
  \E i, k \in Index : IsMet(i) /\ k < i /\ \E t \in Targets(i) : /\ k \in Live(t) /\ t \in DOMAIN log[k].undo
    /\ \E p \in DOMAIN log[k].undo[t].units : log[k].undo[t].units[p].writer = i)
ReachesMetPending == Landmark(48, "ReachesMetPending",
  \E i, k \in Index : IsMet(i) /\ k < i /\ log[k].status = "Pending" /\ Targets(i) \cap Targets(k) # {})
ReachesMetInvalid == Landmark(49, "ReachesMetInvalid",
  \E t \in Target : config[t].recheck = 0 /\ Invalidated(t) # {})
\* What somebody else changed: adopted, and taken back again; not adopted, since something is under way by now.
ReachesAdopted == Landmark(54, "ReachesAdopted", \E i \in Index : log[i].own = "adopt")
ReachesAdoptionTakenBack == Landmark(55, "ReachesAdoptionTakenBack",
  \E r \in Index : IsRollback(r) /\ log[r].of # 0 /\ log[log[r].of].own = "adopt" /\ log[r].status = "Applied")
ReachesNotAdopted == Landmark(56, "ReachesNotAdopted",
  \E n \in Node, t \in Target : /\ request[n][t].stage = "answered" /\ request[n][t].what = "adopt"
                                /\ config[t].met /\ ~Rests(t))
\* A synchronised device that is changed back.
ReachesChangedBack == Landmark(57, "ReachesChangedBack",
  \E n \in Node, t \in Target : request[n][t].stage = "sent" /\ request[n][t].what = "sync" /\ InSync(n, t))
\* A target that goes: with something waiting for its device, or with a Set on its way; what is asked of it then; one
\* that comes by its name; and one of two that share a change.
Removed == {i \in Index : Body(i).kind = "Remove" /\ log[i].status = "Applied"}
ReachesRemovedQueued == Landmark(60, "ReachesRemovedQueued",
  \E r \in Removed, x \in Proposed("Withdrawn") : x[1] < r /\ x[2] \in Targets(r))
ReachesRemovedUnderWay == Landmark(61, "ReachesRemovedUnderWay",
  \E n \in Node, t \in Target : ~Bound(t) /\ request[n][t].stage = "sent" /\ Usable(n, t))
ReachesNoTarget == Landmark(62, "ReachesNoTarget", Because("no target"))
ReachesAddedAgain == Landmark(63, "ReachesAddedAgain",
  \E r \in Removed : \E t \in Targets(r) : Bound(t) /\ \E k \in Live(t) : log[k].status = "Applied")
ReachesRemovedShared == Landmark(64, "ReachesRemovedShared",
  \E r \in Removed, k \in Index : \E t \in Targets(r), u \in Targets(k) : k < r /\ t \in Targets(k) /\ k \in Live(u))
\* A target that is bound to other models; and one that is not, since what may come to stand is not valid by them.
ReachesRebound == Landmark(65, "ReachesRebound", \E t \in Target : config[t].binding = 2 /\ Live(t) # {})
ReachesNotRebound == Landmark(66, "ReachesNotRebound",
  \E i \in Index : /\ Body(i).kind = "Rebind" /\ log[i].reason = "invalid"
                   /\ \A t \in Targets(i) : ValidBy(2, config[t].committed.units))
\* A device that listens to somebody else, and one that was taken over.
ReachesForeign == Landmark(70, "ReachesForeign",
  \E t \in Target : IsLeftToOthers(t) /\ config[t].synced = 0 /\ ApplyQueue(t) # {})
ReachesClaimed == Landmark(71, "ReachesClaimed",
  \E t \in Target : faults.usurpers > 0 /\ Synchronised(t) /\ master[t].term > Run.foreign)

---------------------------------------------------------------------------
\* These must FAIL: they say that nothing of interest ever happens.

NeverApplied  == ~Some("Applied")
NeverReverted == ~Some("Reverted")
Vacuous       == <>FALSE
=============================================================================
