----------------------------- MODULE Operating -----------------------------
(***************************************************************************)
(* What operators ask to be done with a target: to leave its device alone, *)
(* to go on, to have it adopted or claimed; and how it is looked at when   *)
(* somebody else has changed it.  While it is paused nothing is sent to    *)
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

\* The device is to be taken over from whoever it listens to.
OrderClaim(t) ==
  /\ faults.claims < Run.claims
  /\ config' = [config EXCEPT ![t].claim = Run.foreign + 1, ![t].synced = 0, ![t].refused = FALSE]
  /\ faults' = [faults EXCEPT !.claims = @ + 1]
  /\ UNCHANGED <<log, masters, nodes, request, device, stray, clients, kept>>

\* A resync under way stops where it is.
StopResync(n, t) ==
  /\ config[t].paused /\ request[n][t].stage \in {"claimed", "read"}
  /\ request' = [request EXCEPT ![n][t] = Idle]
  /\ UNCHANGED <<store, masters, nodes, device, stray, faults, clients, kept>>

---------------------------------------------------------------------------
\* WHAT SOMEBODY ELSE CHANGED

\* An operator wants what the device has to be what is wanted of it.  Nobody can
\* tell what a device has that is not there, or is left alone.
OrderAdopt(t) ==
  /\ faults.adopts < Run.adopts /\ ~config[t].adopting /\ ~config[t].paused /\ HasMaster(t)
  /\ config' = [config EXCEPT ![t].adopting = TRUE] /\ faults' = [faults EXCEPT !.adopts = @ + 1]
  /\ UNCHANGED <<log, masters, nodes, request, device, stray, clients, kept>>

\* A synchronised device is read though nothing is to be sent: it says that it
\* was changed, or somebody asks.  What is found is adopted, or changed back, or
\* it is as it should be.
ToBeLookedAt(t) == \/ config[t].adopting /\ Rests(t)
                   \/ /\ DOMAIN Drift(t, device[t].values) # {}
                      /\ (Run.drift = "adopt" /\ Rests(t)) \/ Run.drift = "enforce"
LookAt(n, t) ==
  /\ Ready(n, t) /\ InSync(n, t) /\ device[t].on /\ ApplyQueue(t) = {} /\ UndoQueue(t) = {} /\ ToBeLookedAt(t)
  /\ SendDifference(n, t, device[t].values)
  /\ UNCHANGED <<store, masters, nodes, device, stray, faults, clients, kept>>
=============================================================================
