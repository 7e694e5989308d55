------------------------------ MODULE History ------------------------------
(***************************************************************************)
(* How a target stood after an earlier entry of the log, and what a        *)
(* Restore to it comes to.                                                 *)
(*                                                                         *)
(* Nothing is kept for this.  History goes back from what is visible by    *)
(* the undos of what came later, so what was withdrawn or reverted is in   *)
(* no history, whichever entry is asked for.                               *)
(***************************************************************************)
EXTENDS State

\* i has its place in the history of t.  What was withdrawn there, or is still
\* open, is not in what history begins with: going back by it changes nothing.
IsHistory(i, t) == log[i].status \in {"Committed", "Confirming", "Applied", "Partial"} /\ t \in Targets(i)

\* `side` without the entries S, the latest first.
RECURSIVE Back(_, _, _)
Back(t, side, S) == IF S = {} THEN side ELSE LET i == Max(S) IN Back(t, Without(i, t, side), S \ {i})

\* From `side`, which is how t stands before entry `from`, to how it stood after entry k.
Before(t, from, k, side) == Back(t, side, {i \in Index : k < i /\ i < from /\ IsHistory(i, t)})

\* The units of t after entry k, as readers are served.
AsOf(t, k) == Before(t, Len(log) + 1, k, [config[t].committed EXCEPT !.units = Visible(t)]).units

\* What has to be set so that `units` come to the values of `wanted`.
Changed(units, wanted) ==
  [p \in {q \in Path : units[q].value # wanted[q].value} |-> wanted[p].value]

\* What i comes to on t if it is decided now.  Only then is it known what stands.
Comes(i, t) == IF IsRestore(i) THEN Changed(config[t].committed.units, AsOf(t, log[i].of)) ELSE Delta(i, t)

---------------------------------------------------------------------------
\* DECIDED ANEW: when i is withdrawn on t, a Restore behind it may hold some of
\* what is gone; and when a device is first met, all that was decided before
\* comes to lie on what it has.  The entries behind come to what they would have
\* come to with that below them; none of them was ever sent.

Behind(i, t) == {k \in ApplyQueue(t) : k > i}
Joins(i, t) == \E k \in Behind(i, t) : IsRestore(k)

\* How t stood after entry k, had i never been there.  `stood` has the units from i on.
StoodAfter(i, t, k, stood) ==
  IF k >= i THEN stood[Max({x \in DOMAIN stood : x <= k})]
  ELSE Before(t, i, k, [config[t].committed EXCEPT !.units = stood[i]]).units

\* The entries Q one after the other: the units they come to, and of each change its delta and what it covers.
RECURSIVE Replay(_, _, _, _)
Replay(i, t, Q, done) ==
  IF Q = {} THEN done ELSE
  LET k == Min(Q)
      j == log[k].of
      delta == IF IsRestore(k) THEN Changed(done.units, StoodAfter(i, t, j, done.stood)) ELSE Delta(Source(k), t)
      covered == IF j \in DOMAIN done.covers THEN done.covers[j] ELSE log[j].undo[t].units
      units == IF IsChange(k) THEN Put(done.units, delta, k) ELSE TakeOut(done.units, j, [units |-> covered])
  IN Replay(i, t, Q \ {k},
       [units |-> units, stood |-> Extend(done.stood, k, units), deltas |-> Extend(done.deltas, k, delta),
        covers |-> Extend(done.covers, k, [p \in DOMAIN delta |-> done.units[p]])])

\* The entries behind i on t, with `below` after i.
Redone(i, t, below) ==
  Replay(i, t, Behind(i, t), [units |-> below, stood |-> Extend(Empty, i, below), deltas |-> Empty, covers |-> Empty])
Anew(i, t) == Redone(i, t, TakenOut(i, t, Back(t, config[t].committed, Behind(i, t))).units)

\* The log `l` in which the entries behind i are redone so, by target.  (Revisions do not hang on what they come to.)
DecidedAnew(l, i, redone) ==
  LET is(k, t) == t \in DOMAIN redone /\ k \in Behind(i, t) IN
  [k \in DOMAIN l |-> [l[k] EXCEPT
        !.delta = [t \in DOMAIN @ |-> IF is(k, t) THEN redone[t].deltas[k] ELSE @[t]],
        !.undo = [t \in DOMAIN @ |-> IF is(k, t) THEN [@[t] EXCEPT !.units = redone[t].covers[k]] ELSE @[t]]]]
=============================================================================
