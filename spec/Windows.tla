------------------------------ MODULE Windows ------------------------------
(***************************************************************************)
(* Confirm windows: a change that is taken out again unless it is          *)
(* confirmed in time.  Its window stands in its own record and opens in    *)
(* the write of the outcome.  Confirm and revert compare that record: the  *)
(* first of them wins.  From the asking until it is closed nothing else    *)
(* comes to its targets (`Submit`), so nothing stands in the revert's way. *)
(***************************************************************************)
EXTENDS Deciding

\* The time to confirm i has run out.  There are no clocks here: it may come at
\* any moment, and comes in the end.
RunOut(i) ==
  /\ log[i].window = "open" /\ i \notin ended
  /\ ended' = ended \cup {i}
  /\ UNCHANGED <<store, masters, nodes, request, device, stray, faults, reader, told, kept>>

\* From now on it stays.  No device is needed for that.
Confirm(i) ==
  /\ log[i].item \in Run.confirms /\ log[i].window = "open" /\ i \notin ended
  /\ log' = [log EXCEPT ![i].window = "confirmed"] /\ UNCHANGED config
  /\ UNCHANGED <<masters, nodes, request, device, stray, faults, clients, kept>>

\* The Rollback of i, appended and decided in one write: what it goes back to
\* stood before, so it waits for no verdict.
RevertOf(i) ==
  [item |-> 0, own |-> "revert", of |-> i, status |-> "Committed", reason |-> None,
   proposal |-> [t \in Targets(i) |-> "Pending"], outBy |-> Empty, delta |-> Empty, undo |-> Empty,
   written |-> Targets(i), window |-> None, trial |-> FALSE, origin |-> Nobody]

Free(t) == CommitQueue(t) = {} /\ config[t].holder = 0 /\ config[t].recheck = Checked

Revert(i) ==
  LET r == Len(log) + 1 IN
  /\ log[i].window = "open" /\ \A t \in Targets(i) : Free(t)
  /\ log' = Append(OutBy(Unlinked([log EXCEPT ![i].window = "reverted"], i, Targets(i)), i, Targets(i), r), RevertOf(i))
  /\ config' = [t \in Target |->
       IF t \in Targets(i) THEN [config[t] EXCEPT !.committed = [TakenOut(i, t, @) EXCEPT !.index = r], !.holder = r]
       ELSE config[t]]
  /\ UNCHANGED <<masters, nodes, request, device, stray, faults, clients, kept>>

\* At the end of its time, by the node that took it in while that one lives, or
\* else by any other ...
Carries(n, i) == log[i].origin = <<n, session[n]>> \/ log[i].origin \notin leases
RevertLate(n, i) == <<n, session[n]>> \in Alive /\ i \in ended /\ Carries(n, i) /\ Revert(i)
\* ... or at once, where a client calls it off.
CallOff(i) == log[i].item \in Run.cancels /\ Revert(i)
=============================================================================
