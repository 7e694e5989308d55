------------------------------ MODULE Adopting ------------------------------
(***************************************************************************)
(* What a device has of its own: when it is first met, or because somebody *)
(* else changed it.  Its master reads it and appends an entry that is its  *)
(* own outcome; nothing is sent.  Recorded like an answer, so here without *)
(* connections (see Applying.tla).                                         *)
(*                                                                         *)
(*   first met    below everything: what was decided before lies on top,   *)
(*                worked out anew and validated again                      *)
(*   later        on top, and only where nothing is under way: otherwise   *)
(*                nobody could tell whose change it is                     *)
(***************************************************************************)
EXTENDS Lifecycle

\* Nothing is under way on t, waits, or may yet be taken back by itself.
Rests(t) == Free(t) /\ ApplyQueue(t) = {} /\ UndoQueue(t) = {} /\ OnTrial(t) = {} /\ ~KeptOff({t})

\* All that a device has; and what of it is neither as applied nor what the
\* device makes of that.
Own(seen) == [p \in {q \in Path : seen[q] # Absent} |-> seen[p]]
Drift(t, seen) ==
  LET want(p) == config[t].applied.units[p].value IN
  [p \in {q \in Path : seen[q] # want(q) /\ config[t].rewritten[q] # <<want(q), seen[q]>>} |-> seen[p]]

\* What is to be adopted of a device that has `seen`.  One that was met and is
\* being synchronised was away: what differs then is not what somebody wanted,
\* unless an operator says so.
ToAdopt(t, seen) ==
  IF ~config[t].met THEN Own(seen)
  ELSE IF config[t].adopting \/ (Run.drift = "adopt" /\ Synchronised(t))
  THEN IF Rests(t) THEN Drift(t, seen) ELSE Empty
  ELSE Empty

\* The device holds the applied values, and with that its last trial was dealt
\* with, unless it is yet to be sent.
InLine(t, c, term) ==
  [c EXCEPT !.synced = term, !.refused = FALSE, !.met = TRUE, !.adopting = FALSE,
            !.trial = IF @ # 0 /\ log[@].proposal[t] \in {"Pending", "Accepted"} THEN @ ELSE 0]

Adoption(own, t, delta, undo) ==
  [item |-> 0, own |-> own, of |-> 0, status |-> "Applied", reason |-> None, proposal |-> [u \in {t} |-> "Applied"],
   outBy |-> Empty, delta |-> [u \in {t} |-> delta], undo |-> undo, written |-> {t}, window |-> None,
   trial |-> FALSE, origin |-> Nobody]

\* The queues stay where they are while anything waits: the entry counts as
\* having been there all along, not as considered after them.
AdoptBelow(t, delta, term) ==
  LET i == Len(log) + 1
      above == ApplyQueue(t)
      place == IF above = {} THEN Len(log) ELSE Min(above) - 1
      ground == Put(Blank, delta, i)
      redone == Redone(place, t, ground)
      waits == above # {} \/ ~Free(t)
      moved(side) == [side EXCEPT !.index = IF waits THEN @ ELSE i]
  IN /\ log' = Append(DecidedAnew(log, place, [u \in {t} |-> redone]), Adoption("met", t, delta, Empty))
     /\ config' = [config EXCEPT ![t] = [InLine(t, Disturbed(t), term) EXCEPT
          !.committed = [moved(@) EXCEPT !.units = redone.units],
          !.applied = [moved(@) EXCEPT !.units = ground],
          !.recheck = IF above = {} THEN @ ELSE 0]]

AdoptOnTop(t, delta, term) ==
  LET i == Len(log) + 1
      undo == UndoFor(config[t].committed.units, config[t].committed.revision, delta)
      with(side) == [index |-> i, revision |-> i, units |-> Put(side.units, delta, i)]
  IN /\ log' = Append(log, Adoption("adopt", t, delta, [u \in {t} |-> undo]))
     /\ config' = [config EXCEPT ![t] = [InLine(t, @, term) EXCEPT !.committed = with(@), !.applied = with(@)]]

\* What was seen is looked at once more, as things are now.  An undo comes first.
RecordAdopted(t, r) ==
  LET delta == ToAdopt(t, r.seen) IN
  IF config[t].paused \/ UndoQueue(t) # {} \/ DOMAIN delta = {} THEN UNCHANGED store
  ELSE IF config[t].met THEN AdoptOnTop(t, delta, r.term) ELSE AdoptBelow(t, delta, r.term)
=============================================================================
