-------------------------------- MODULE State --------------------------------
(***************************************************************************)
(* What there is: the records of the store, the nodes, the devices, and    *)
(* the queues that the records imply.                                      *)
(***************************************************************************)
EXTENDS Leaves, Sequences, FiniteSets

CONSTANTS
  Node,          \* the processes that run Lockstep
  Scenario       \* a script of transactions and what may go wrong (Scenarios.tla)

\* A substituted constant is computed at every use, a defined name once.
Run == Scenario

Item   == DOMAIN Run.script
Target == UNION {DOMAIN Run.script[k].set : k \in Item}
Path   == UNION {UNION {DOMAIN Run.script[k].set[t] : t \in DOMAIN Run.script[k].set} : k \in Item}

VARIABLES
  \* the store
  log,           \* the transactions, by index
  config,        \* target -> its configuration
  master,        \* target -> its mastership: session, term, link the term was won on
  leases,        \* the session keys that exist
  horizon,       \* entries up to this one are forgotten, or about to be
  \* the nodes
  session,       \* node -> number of its session, a new one with every start of the process
  belief,        \* node -> target -> term and link it thinks it is master with (may be out of date)
  link,          \* node -> target -> its connection to the device: up?, id
  request,       \* node -> target -> what it has outstanding with the device
  \* the world
  device,        \* target -> the device itself
  stray,         \* target -> Sets nobody waits for any more, which may still arrive
  faults,        \* how much has gone wrong so far
  archive,       \* the entries that nobody knows any more, for whoever checks the others
  \* the clients
  reader,        \* what a reader of all targets was last shown
  told,          \* script item -> the answer its client was given
  ended          \* the entries whose time to be confirmed has run out

store   == <<log, config>>
masters == <<master, leases>>
nodes   == <<session, belief, link>>
clients == <<reader, told, ended>>
kept    == <<horizon, archive>>
vars    == <<log, config, horizon, archive, master, leases, session, belief, link, request, device, stray, faults, reader, told, ended>>

None == "none"
Nobody == <<None, 0>>                   \* no session
Idle == [stage |-> "idle"]
Blank == [p \in Path |-> Nothing]

---------------------------------------------------------------------------
\* TRANSACTIONS
\* An entry of the log:
\*   item      the script item it came from: its body, and also its id (0: a node's own)
\*   own       what it is then: "revert" of a window; "met" or "adopt", what a device has of its own
\*   of        what a Rollback rolls back, or a Restore goes back to, as an index (0: unknown)
\*   status    Pending -> Committed | Rejected | Cancelled; or Applied at once, if it is about a target itself
\*             (a node's own begins with Committed, or Applied);
\*             Committed -> Applied | Partial | Cancelled | Confirming | Reverting | Reverted;
\*             Confirming -> Applied; Reverting -> Reverted; Forgotten, long after its outcome
\*   reason    why it was rejected, else None
\*   proposal  target -> Pending | Accepted (on trial) | Applied | Refused | Withdrawn | Undone
\*   outBy     target -> the Rollback, committed or applied, that took this change out there
\*   delta     target -> what a Restore comes to (path -> value), recorded at the decision; or what is adopted
\*   undo      target -> the undo of a Change, Restore or Adopt, recorded at the decision
\*   written   the targets whose edits are in the store: all of them, unless it is wide
\*   window    None, or asked -> open -> confirmed | reverted: it is taken out again unless it is confirmed
\*   trial     it is tried on every device before any of them keeps it
\*   origin    the session that took it in and carries it on, where a scenario asks (that of a window)
\* A body is a Change (target -> path -> value), a Restore or a Rollback
\* ("target" or "path" rule), atomic or queued, sync or async; or it is about a
\* target itself (Add, Rebind, Remove): see Scenarios.tla.

Index == DOMAIN log
Final == {"Applied", "Partial", "Rejected", "Reverted", "Cancelled"}
Open(i) == log[i].status \in {"Committed", "Confirming", "Reverting"}
HasOutcome(i) == log[i].status \in Final \cup {"Forgotten"}

\* What nodes append of their own accord: the Rollback of what was not confirmed
\* in time; what a device had when it was first met ("Met"), or has been made
\* by somebody else since ("Adopt").
OwnBody(own) == [kind |-> IF own = "met" THEN "Met" ELSE IF own = "adopt" THEN "Adopt" ELSE "Rollback",
                 rule |-> IF own = "revert" THEN "window" ELSE None,
                 atomic |-> TRUE, sync |-> TRUE, set |-> Empty, of |-> 0, named |-> {}, window |-> FALSE]

Body(i)      == IF log[i].item = 0 THEN OwnBody(log[i].own) ELSE Run.script[log[i].item]
IsRestore(i) == Body(i).kind = "Restore"
IsMet(i)     == Body(i).kind = "Met"                      \* it lies below everything, whenever it was found
IsRollback(i) == Body(i).kind = "Rollback"
IsOfTarget(i) == Body(i).kind \in {"Add", "Rebind", "Remove"}
IsChange(i)  == Body(i).kind \in {"Change", "Restore", "Adopt"}  \* from its decision on each is like a Change
IsAtomic(i)  == Body(i).atomic
IsWide(i)    == log[i].item \in Run.wide                  \* it has more targets than one write holds
Delta(i, t)  == IF Body(i).kind \in {"Restore", "Met", "Adopt"} THEN log[i].delta[t]
                ELSE IF log[i].item = 0 THEN Empty ELSE Body(i).set[t]
Targets(i)   == DOMAIN log[i].proposal
Source(i)    == IF IsRollback(i) THEN log[i].of ELSE i     \* the change that i puts in or takes out
Paths(i, t)  == DOMAIN Delta(Source(i), t)
Withdrawn(i, t) == t \in Targets(i) /\ log[i].proposal[t] = "Withdrawn"
IsRevert(i)  == Body(i).rule = "window"

\* Nothing else may come to the targets of i: it has a window that is open, or
\* is to be.  So its revert finds nothing in its way.
KeepsOthersOff(i) == log[i].window = "open" \/ (log[i].window = "asked" /\ ~HasOutcome(i))

\* A change is live on t from its decision until it is withdrawn, reverted or
\* rolled back there.  The revision of t is its latest live change.
RolledBack(j, t) == t \in DOMAIN log[j].outBy
Live(t) == {i \in Index : /\ IsChange(i) /\ t \in Targets(i) /\ i > config[t].since
                          /\ log[i].status \in {"Committed", "Confirming", "Applied", "Partial"}
                          /\ log[i].proposal[t] \in {"Pending", "Accepted", "Applied"}
                          /\ ~RolledBack(i, t)}

---------------------------------------------------------------------------
\* CONFIGURATIONS
\* The configuration of a target:
\*   binding     the models it is bound to (1, or 2 once it is bound anew), 0: there is no such target
\*   since       when it came to be, or went: earlier entries do not count here
\*   committed, applied   index (last transaction considered), revision, units
\*   synced      the term in which the device was last synchronised, 0: not
\*   holder      the open atomic transaction that holds the commit queue, 0: none
\*   prepared    the undo that a wide holder recorded here before its decision, else Empty
\*   recheck     entries behind this index wait to be validated again (Checked: none)
\*   refused     the device refused its last resync
\*   met         the device was synchronised at least once: before that, what it holds is its own
\*   paused      operators want the device left alone
\*   claim       operators want the device taken over from somebody else: the next term is this one at least
\*   adopting    operators want what the device has to be what is wanted of it
\*   trial       the last trial, until the device is known to have kept it or taken it back, 0: none
\*   rewritten   path -> <<wanted, made>>: what the device makes of a wanted value

Checked == 99                           \* beyond every index

NewConfig == LET start == [index |-> 0, revision |-> 0, units |-> Blank] IN
  [binding |-> 1, since |-> 0, committed |-> start, applied |-> start, synced |-> 1, holder |-> 0, prepared |-> Empty,
   recheck |-> Checked, refused |-> FALSE, met |-> TRUE, paused |-> FALSE, adopting |-> FALSE, claim |-> 0, trial |-> 0,
   rewritten |-> [p \in Path |-> <<Absent, Absent>>]]

\* Change j taken out of `side` (a committed or applied part of a configuration).
TakenOut(j, t, side) ==
  [side EXCEPT !.units = TakeOut(@, j, log[j].undo[t]),
               !.revision = IF @ = j THEN log[j].undo[t].revision ELSE @]

\* i on top of `side`.  The rollback rules see to it that nobody wrote the paths
\* of j after it, so taking j out never has to look into the middle of a chain.
With(i, t, side) ==
  IF IsChange(i) THEN [side EXCEPT !.units = Put(@, Delta(i, t), i), !.revision = i]
  ELSE TakenOut(log[i].of, t, side)

\* i taken out of `side` again.  A Rollback that is taken out puts its change
\* back, unless that was withdrawn on t in the meantime and must stay out.
\* (Nothing is committed on t after an open Rollback, so "back" is the top.)
\* What a device had when it was first met was there all along.
Without(i, t, side) ==
  LET j == log[i].of IN
  IF IsChange(i) THEN TakenOut(i, t, side)
  ELSE IF ~IsRollback(i) THEN side
  ELSE IF Withdrawn(j, t) THEN side
  ELSE [side EXCEPT !.units = Put(@, Delta(j, t), j), !.revision = IF @ < j THEN j ELSE @]

\* What readers are shown: committed, without an atomic transaction that is
\* still open.  (Once it is Reverting it has left the committed values.)
Visible(t) == LET h == config[t].holder IN
  IF h # 0 /\ log[h].status \in {"Committed", "Confirming"} THEN Without(h, t, config[t].committed).units
  ELSE config[t].committed.units

---------------------------------------------------------------------------
\* QUEUES

\* i is prepared on t: found valid, its undo recorded, the queue held, nothing committed.
Prepared(i, t) == config[t].holder = i /\ log[i].status = "Pending"

\* What waits for its decision on t.  Rejected or cancelled entries are passed over.
CommitQueue(t) == {i \in Index : log[i].status = "Pending" /\ t \in Targets(i)}

\* What is committed and not recorded on t.  Only its head is ever sent, so
\* only its head can have reached the device without our knowing.
ApplyQueue(t) == {i \in Index : /\ log[i].status = "Committed" /\ t \in Targets(i)
                                /\ log[i].proposal[t] = "Pending"}
ApplyHead(t) == IF ApplyQueue(t) = {} THEN 0 ELSE Min(ApplyQueue(t))

\* What takes out a change that was not confirmed, where it is next.
RevertQueue(t) == {i \in {ApplyHead(t)} \ {0} : IsRevert(i)}

\* What is being reverted and still has to be undone on t: the holder, or nothing.
UndoQueue(t) == {i \in {config[t].holder} \ {0} :
                   log[i].status = "Reverting" /\ log[i].proposal[t] \in {"Pending", "Accepted", "Applied"}}

\* What the device is recorded to have on trial; what of it may yet turn, and
\* what it is to keep.
OnTrial(t)      == {i \in {config[t].trial} \ {0} : log[i].proposal[t] = "Accepted"}
Undecided(t)    == {i \in OnTrial(t) : log[i].status = "Committed"}
ConfirmQueue(t) == {i \in OnTrial(t) : log[i].status = "Confirming"}
\* Whether the device is to keep the trial i, as the record says.
Keeps(i) == i # 0 /\ log[i].status \in {"Confirming", "Applied"}

\* A Rollback of a change that was withdrawn on t has nothing to do there (rule 10).
NothingToSend(i, t) == IsRollback(i) /\ Withdrawn(log[i].of, t)

\* Whether the device may have been sent i.
MaybeSent(i, t) == /\ ~NothingToSend(i, t)
                   /\ log[i].proposal[t] = "Applied" \/ ~\E k \in ApplyQueue(t) : k < i

---------------------------------------------------------------------------
\* VALIDITY
\* The models of a target, as far as a scenario needs them: a path that may be
\* set only while another one is.

ValidBy(binding, units) == \A need \in (IF binding = 2 THEN Run.rebound ELSE Run.needs) :
  units[need[1]].value # Absent => units[need[2]].value # Absent
Valid(t, units) == ValidBy(config[t].binding, units)
Bound(t) == config[t].binding # 0

\* The values of t as they stand after k of its apply queue: what is applied,
\* and the queue up to k on top.
RECURSIVE Stack(_, _, _)
Stack(t, side, Q) ==
  IF Q = {} THEN side ELSE LET i == Min(Q) IN Stack(t, With(i, t, side), Q \ {i})
StandsAfter(k, t) == Stack(t, config[t].applied, {i \in ApplyQueue(t) : i <= k})

---------------------------------------------------------------------------
\* MASTERSHIP

\* The sessions of the running processes that have their key.
Alive == {<<n, session[n]>> : n \in Node} \cap leases

\* A mastership counts while the session key of its holder exists.
HasMaster(t) == master[t].session \in leases
Synchronised(t) == HasMaster(t) /\ config[t].synced = master[t].term

\* The compare in every write of a master: it still holds the mastership in the
\* term it thinks it does, and its session key exists.
IsMaster(n, t) == /\ belief[n][t].term > 0
                  /\ master[t].session = <<n, session[n]>> /\ master[t].term = belief[n][t].term
                  /\ HasMaster(t)
=============================================================================
