----------------------------- MODULE Operating -----------------------------
(***************************************************************************)
(* What operators ask to be done with a target: to leave its device alone, *)
(* to go on, to look at it again.  While it is paused nothing is sent to   *)
(* the device, a resync under way stops where it is, undos are recorded in *)
(* the store alone, and what is queued waits.                              *)
(***************************************************************************)
EXTENDS Applying

\* Whatever is ordered, the device is read before anything else is sent: nobody
\* looked at it while it was left alone.
Ordered(t, paused) == config' = [config EXCEPT ![t].paused = paused, ![t].synced = 0]

Pause(t) ==
  /\ t \in Run.operated /\ faults.orders < Run.orders /\ ~config[t].paused
  /\ Ordered(t, TRUE) /\ faults' = [faults EXCEPT !.orders = @ + 1]
  /\ UNCHANGED <<log, masters, nodes, request, device, stray, clients, kept>>

Resume(t) ==
  /\ config[t].paused
  /\ Ordered(t, FALSE)
  /\ UNCHANGED <<log, masters, nodes, request, device, stray, faults, clients, kept>>

\* A resync under way stops where it is.
StopResync(n, t) ==
  /\ config[t].paused /\ request[n][t].stage \in {"claimed", "read"}
  /\ request' = [request EXCEPT ![n][t] = Idle]
  /\ UNCHANGED <<store, masters, nodes, device, stray, faults, clients, kept>>
=============================================================================
