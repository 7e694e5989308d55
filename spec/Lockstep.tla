------------------------------ MODULE Lockstep ------------------------------
(***************************************************************************)
(* The Lockstep protocol: the clients, and everything put together.        *)
(*                                                                         *)
(* One log of transactions.  A transaction is DECIDED on all its targets   *)
(* by one store write, then APPLIED to each target by that target's        *)
(* master.  An atomic transaction holds its targets until it has an        *)
(* outcome and is undone in place if a target refuses it or cannot be      *)
(* reached in time.  A queued one does not hold; a refusal withdraws it on *)
(* that target alone.                                                      *)
(***************************************************************************)
EXTENDS Mastership, Operating

---------------------------------------------------------------------------
\* CLIENTS

\* A reader of all targets is shown what is visible, at one revision of the store.
Look ==
  /\ Run.reads /\ reader' = [t \in Target |-> Visible(t)]
  /\ UNCHANGED <<store, masters, nodes, request, device, stray, faults, told, ended, kept>>

\* A client is told what the store says: at the outcome, or, if it did not
\* want to wait, from the decision on.  It may ask as often as it likes.
Answer(k) ==
  LET i == IndexOf(k, log) IN
  /\ Run.answers /\ i # 0
  /\ IF Run.script[k].sync THEN HasOutcome(i) ELSE log[i].status # "Pending"
  /\ told' = [told EXCEPT ![k] = log[i].status]
  /\ UNCHANGED <<store, masters, nodes, request, device, stray, faults, reader, ended, kept>>

---------------------------------------------------------------------------
\* START
\* Some node is the master of every target and has synchronised it, unless its
\* device has something of its own and is yet to be met.  The
\* first `Run.inLog` items of the script are in the log already: a Pending
\* entry may be left alone for as long as one likes, so this leaves out
\* nothing but the other orders in which clients might have submitted them.

RECURSIVE FirstEntries(_, _)
FirstEntries(k, origin) ==
  IF k = 0 THEN << >> ELSE LET l == FirstEntries(k - 1, origin) IN Append(l, Entry(k, l, origin))

Init ==
  /\ horizon = 0 /\ archive = Empty
  /\ config = [t \in Target |-> IF t \in DOMAIN Run.own THEN [NewConfig EXCEPT !.met = FALSE, !.synced = 0] ELSE NewConfig]
  /\ leases = {<<n, 1>> : n \in Node}
  /\ session = [n \in Node |-> 1]
  /\ \E first \in Node :
       /\ log = FirstEntries(Run.inLog, <<first, 1>>)
       /\ master = [t \in Target |-> [session |-> <<first, 1>>, term |-> 1, link |-> 1]]
       /\ belief = [n \in Node |-> [t \in Target |->
            IF n = first THEN [term |-> 1, link |-> 1] ELSE [term |-> 0, link |-> 0]]]
  /\ link = [n \in Node |-> [t \in Target |-> [up |-> TRUE, id |-> 1]]]
  /\ request = [n \in Node |-> [t \in Target |-> Idle]]
  /\ device = [t \in Target |->
       [on |-> TRUE, theirs |-> {}, election |-> 1, picky |-> FALSE, trial |-> 0, before |-> Empty,
        values |-> Overlay(Values(Blank), IF t \in DOMAIN Run.own THEN Run.own[t] ELSE Empty)]]
  /\ stray = [t \in Target |-> {}]
  /\ faults = [restarts |-> 0, crashes |-> 0, expiries |-> 0, strays |-> 0, resyncs |-> 0, orders |-> 0, timers |-> 0,
               tampers |-> 0, adopts |-> 0, usurpers |-> 0, claims |-> 0]
  /\ reader = [t \in Target |-> Blank]
  /\ told = [k \in Item |-> None]
  /\ ended = {}

---------------------------------------------------------------------------
\* STEPS

\* What the nodes do of their own accord in the store ...
StoreStep ==
  \/ \E i \in Index : Decide(i) \/ (Unreachable(i) /\ Deadline(i)) \/ \E t \in Targets(i) : RecordNothing(i, t)
  \/ \E i \in Index : DecideWide(i) \/ GiveUpUnwritten(i) \/ \E t \in Targets(i) : Gather(i, t) \/ Prepare(i, t)
  \/ \E t \in Target : Recheck(t)
  \/ \E i \in Index : DecideTarget(i) \/ Forget(i)
  \/ \E t \in Target, p \in Path : ForgetAbsence(t, p)
  \/ \E i \in Index : RunOut(i) \/ \E n \in Node : RevertLate(n, i)
  \/ ExpireDead
  \/ \E n \in Node : Rejoin(n)
\* ... and for one target.
TargetStep(t) ==
  \/ UndoInStore(t) \/ RevertInStore(t) \/ ConfirmInStore(t) \/ TakesBack(t)
  \/ t \notin Run.gone /\ Start(t)
  \/ \E n \in Node :
       \/ SendProposal(n, t) \/ SendUndo(n, t) \/ SendConfirm(n, t) \/ TryAgain(n, t) \/ LookAt(n, t)
       \/ Resync(n, t) \/ Claim(n, t) \/ Read(n, t) \/ SendRead(n, t)
       \/ Deliver(n, t) \/ Record(n, t) \/ StopResync(n, t)
       \/ Lose(n, t) \/ LearnFenced(n, t) \/ DropWork(n, t) \/ (~device[t].on /\ GiveUp(n, t)) \/ Notice(n, t)
       \/ Connect(n, t) \/ Elect(n, t) \/ Release(n, t) \/ Part(n, t)
\* What the clients and operators do.
ClientStep ==
  \/ \E k \in Item : Submit(k) \/ Answer(k)
  \/ \E i \in Index : Cancel(i) \/ CallOff(i) \/ Confirm(i)
  \/ \E t \in Target : Pause(t) \/ Resume(t) \/ OrderAdopt(t) \/ OrderClaim(t)
  \/ Look
\* What time and misfortune do.
Fault ==
  \/ \E i \in Index : Deadline(i)
  \/ \E n \in Node : Crash(n) \/ Expire(n)
  \/ \E t \in Target : Stop(t) \/ Start(t) \/ Tamper(t) \/ Usurp(t) \/ Land(t) \/ TimeOut(t)
  \/ \E n \in Node, t \in Target : Cut(n, t) \/ GiveUp(n, t) \/ \E m \in Node : HandOver(n, m, t)

Next == StoreStep \/ (\E t \in Target : TargetStep(t)) \/ ClientStep \/ Fault

\* The nodes keep working, in the store and for each target.  Nothing is
\* assumed of clients, of faults, or of a device that is gone for good.
Fairness == WF_vars(StoreStep) /\ \A t \in Target : WF_vars(TargetStep(t))

Safety == Init /\ [][Next]_vars
Spec   == Safety /\ Fairness
=============================================================================
