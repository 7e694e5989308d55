----------------------------- MODULE Lifecycle -----------------------------
(***************************************************************************)
(* Targets that come, are bound anew and go.  Each is an entry of the log  *)
(* at its place in the queue of its target; its decision is its outcome,   *)
(* and no device is needed for it.                                         *)
(***************************************************************************)
EXTENDS Windows

\* Every state of t that may come to be the committed one without a decision on
\* it as a whole: as it is, and as withdrawals from the end leave it.  (One from
\* the middle has what is behind it validated again.)
MayStand(t) ==
  {Back(t, config[t].committed, {k \in ApplyQueue(t) : k > last}).units : last \in {0} \cup ApplyQueue(t)}

RefusalOfTarget(i, t) ==
  LET kind == Body(i).kind IN
  IF kind = "Add" THEN (IF Bound(t) THEN "exists" ELSE None)
  ELSE IF ~Bound(t) THEN "no target"
  ELSE IF kind = "Rebind" /\ \E units \in MayStand(t) : ~ValidBy(2, units) THEN "invalid"
  ELSE None

\* Nothing that was ever decided about a target by this name counts for it, and
\* its device is met as for the first time.
Begins(i, binding) ==
  [NewConfig EXCEPT !.binding = binding, !.since = i, !.committed.index = i, !.applied.index = i,
                    !.met = FALSE, !.synced = 0]

\* The device is read again, in the terms of its new models.
BoundAnew(i, c) == [c EXCEPT !.binding = 2, !.committed.index = i, !.synced = 0]

\* With a target that goes go its binding, its values and its master, in one
\* write; the term stays, so that the next one is later.
Bind(i, t) ==
  LET kind == Body(i).kind IN
  /\ log' = [log EXCEPT ![i].status = "Applied", ![i].proposal = [u \in DOMAIN @ |-> "Applied"]]
  /\ config' = [config EXCEPT ![t] = IF kind = "Rebind" THEN BoundAnew(i, @) ELSE Begins(i, IF kind = "Add" THEN 1 ELSE 0)]
  /\ master' = IF kind = "Remove" THEN [master EXCEPT ![t].session = Nobody] ELSE master

\* What still waits for the device of a target that goes is withdrawn first, from
\* the end, so that nothing has to be validated again.
WithdrawLast(t) == Withdraw(Max(ApplyQueue(t)), {t})

DecideTarget(i) ==
  /\ log[i].status = "Pending" /\ IsOfTarget(i) /\ AtCommitHead(i)
  /\ \E t \in Targets(i) :
       LET refusal == RefusalOfTarget(i, t) IN
       IF refusal # None
       THEN /\ log' = [log EXCEPT ![i].status = "Rejected", ![i].reason = refusal]
            /\ config' = [config EXCEPT ![t].committed.index = i] /\ UNCHANGED master
       ELSE IF Body(i).kind = "Remove" /\ ApplyQueue(t) # {} THEN WithdrawLast(t) /\ UNCHANGED master
       ELSE Bind(i, t)
  /\ UNCHANGED <<leases, nodes, request, device, stray, faults, clients, kept>>
=============================================================================
