----------------------------- MODULE Guarantees -----------------------------
(***************************************************************************)
(* What the protocol promises.  Names and order are those of the project's *)
(* list of guarantees; the other names are helpers, each under the         *)
(* guarantee it belongs to.  Invariants and step properties hold in every  *)
(* run; the last two groups need fairness.                                 *)
(***************************************************************************)
EXTENDS Lockstep

WasCommitted(i) == log[i].undo # Empty \/ log[i].status \in {"Committed", "Reverting", "Applied", "Partial", "Reverted"}

---------------------------------------------------------------------------
\* 1. ORDER

\* Committed in log order, applied in commit order, applied <= committed.
Order ==
  \A t \in Target :
    /\ config[t].applied.index <= config[t].committed.index
    /\ \A i \in CommitQueue(t) : i > config[t].committed.index
    /\ \A i \in Index : WasCommitted(i) /\ t \in Targets(i) => i <= config[t].committed.index
    /\ \A i \in ApplyQueue(t), k \in Index :
         /\ k > i /\ t \in Targets(k) /\ log[k].proposal[t] \in {"Applied", "Refused"}
         => NothingToSend(k, t)

\* Nothing goes back: neither index, nor a term, nor the log.
Forward ==
  [][/\ Len(log') >= Len(log) /\ \A i \in Index : log'[i].item = log[i].item
     /\ \A t \in Target : /\ config'[t].committed.index >= config[t].committed.index
                          /\ config'[t].applied.index >= config[t].applied.index
                          /\ master'[t].term >= master[t].term]_vars

---------------------------------------------------------------------------
\* 2. DECISION

\* By one write on all targets, once.
Successors(s) ==
  CASE s = "Pending"   -> {"Committed", "Rejected", "Cancelled"}
    [] s = "Committed" -> {"Applied", "Partial", "Cancelled", "Reverting", "Reverted"}
    [] s = "Reverting" -> {"Reverted"}
    [] OTHER           -> {}
Decision ==
  [][\A i \in Index :
       LET old == log[i].status
           new == log'[i].status
       IN /\ old # new => new \in Successors(old)
          /\ old = "Pending" /\ new = "Committed" =>
               /\ \A t \in Targets(i) : config'[t].committed.index = i
               /\ \A t \in Targets(i) : log[i].proposal[t] = "Pending"
          /\ DOMAIN log'[i].proposal # DOMAIN log[i].proposal => old = "Pending" /\ new = "Committed"]_vars

\* What was not committed left no trace anywhere.
NoTrace(i) == \A t \in Target : \A p \in Path :
  config[t].committed.units[p].writer # i /\ config[t].applied.units[p].writer # i
RejectedEverywhere == \A i \in Index :
  log[i].status = "Rejected" \/ (log[i].status = "Cancelled" /\ ~WasCommitted(i)) =>
    NoTrace(i) /\ \A t \in Targets(i) : log[i].proposal[t] = "Pending"

\* The same id is one entry.
OnePerId == \A i, k \in Index : log[i].item = log[k].item => i = k

---------------------------------------------------------------------------
\* 3. ALL OR NOTHING

AllOrNothing ==
  \A i \in Index : IsAtomic(i) =>
    /\ log[i].status \notin {"Partial"}
    /\ log[i].status = "Applied" => \A t \in Targets(i) : log[i].proposal[t] = "Applied"
    /\ log[i].status = "Reverted" =>
         /\ IsChange(i) => NoTrace(i)
         /\ \A t \in Targets(i) : log[i].proposal[t] \in {"Refused", "Undone"}
    /\ log[i].status = "Reverting" /\ IsChange(i) =>
         \A t \in Targets(i), p \in Path : config[t].committed.units[p].writer # i

\* Nothing else commits on its targets in between.
Held ==
  /\ \A i \in Index : IsAtomic(i) /\ Open(i) =>
       \A t \in Targets(i) : config[t].holder = i /\ config[t].committed.index = i
  /\ \A t \in Target : config[t].holder # 0 => Open(config[t].holder) /\ t \in Targets(config[t].holder)

---------------------------------------------------------------------------
\* 5. FOLD  (Isolation, the fourth, needs it)

\* The changes in S on top of each other.
FoldOf(t, S) == [p \in Path |->
  LET W == Latest({i \in S : p \in DOMAIN Set(i, t)}) IN IF W = 0 THEN Nothing ELSE Unit(Set(W, t)[p], W)]

\* The changes that are applied on t and not taken back there.
AppliedLive(t) ==
  LET done(kind) == {i \in Index : Body(i).kind = kind /\ t \in Targets(i) /\ log[i].proposal[t] = "Applied"}
  IN done("Change") \ {log[r].of : r \in done("Rollback")}

Fold ==
  \A t \in Target :
    /\ config[t].committed.units = FoldOf(t, Live(t))
    /\ config[t].committed.revision = Latest(Live(t))
    /\ config[t].applied.units = FoldOf(t, AppliedLive(t))
    /\ config[t].applied.revision = Latest(AppliedLive(t))

Settled == \A t \in Target : ApplyQueue(t) = {} /\ UndoQueue(t) = {} =>
  /\ config[t].committed.units = config[t].applied.units
  /\ config[t].committed.revision = config[t].applied.revision

\* A value that was refused, withdrawn or reverted is never sent again, by
\* anything.  (In the scripts no two changes write the same value to a path.)
Sends(n, t) == request'[n][t].stage = "sent" /\ request[n][t].stage # "sent"
Dead(k, t, p) == /\ IsChange(k) /\ t \in Targets(k) /\ log[k].proposal[t] \in {"Refused", "Withdrawn", "Undone"}
                 /\ p \in Paths(k, t) /\ Set(k, t)[p] # Absent
NeverAgain ==
  [][\A n \in Node, t \in Target : Sends(n, t) =>
       \A p \in DOMAIN request'[n][t].delta, k \in Index :
         Dead(k, t, p) => request'[n][t].delta[p] # Set(k, t)[p]]_vars

\* What is committed is valid, except while a recheck is under way; what is
\* applied is valid always.
StaysValid == \A t \in Target : /\ config[t].recheck = 0 => Valid(config[t].committed.units)
                                /\ Valid(config[t].applied.units)

---------------------------------------------------------------------------
\* 4. ISOLATION

\* What a reader may see: a queued change from its decision on, an atomic one
\* only once it is applied everywhere; and neither once its rollback is.
Shown(t) == {i \in Index :
  /\ IsChange(i) /\ t \in Targets(i)
  /\ log[i].status \in (IF IsAtomic(i) THEN {"Applied"} ELSE {"Committed", "Applied", "Partial"})
  /\ log[i].proposal[t] \in {"Pending", "Applied"}
  /\ ~\E r \in Index : ~IsChange(r) /\ log[r].of = i /\ t \in Targets(r) /\ log[r].status = "Applied"}

\* On all targets, at every revision of the store; and what a reader was
\* shown of an atomic transaction was all of it, and is not taken back.
Isolation ==
  /\ \A t \in Target : Visible(t) = FoldOf(t, Shown(t))
  /\ \A i \in Index : IsAtomic(i) /\ IsChange(i) =>
       \A t \in Targets(i), p \in Path : reader[t][p].writer = i =>
         /\ log[i].status = "Applied"
         /\ \A u \in Targets(i) : \A q \in Paths(i, u) :
              \/ reader[u][q].writer >= i
              \/ \E r \in Index : /\ ~IsChange(r) /\ log[r].of = i /\ u \in Targets(r) /\ log[r].status = "Applied"
                                  /\ t \notin Targets(r)

---------------------------------------------------------------------------
\* 6. UNDO

\* What a live change would give back is exactly what stood before it.
Undo == \A t \in Target : \A i \in Live(t) :
  LET before == {k \in Live(t) : k < i} IN
  /\ log[i].undo[t].revision = Latest(before)
  /\ \A p \in Paths(i, t) : log[i].undo[t].units[p] = FoldOf(t, before)[p]

---------------------------------------------------------------------------
\* 7. FENCING

\* A node whose term has passed, or whose session has ended, changes nothing
\* in the store; and no device that has seen a newer one.
Fencing ==
  [][\A t \in Target :
       /\ \A n \in Node : request[n][t].stage = "answered" /\ request'[n][t] = Idle /\ store' # store => IsMaster(n, t)
       /\ device[t].on /\ device'[t].on =>
            /\ device'[t].election >= device[t].election
            /\ device'[t].values # device[t].values =>
                 \/ \E n \in Node : request[n][t].stage = "sent" /\ request[n][t].term = device'[t].election
                 \/ \E s \in stray[t] : s.term = device'[t].election]_vars
OneMaster == \A t \in Target : /\ device[t].election <= master[t].term
                               /\ Cardinality({n \in Node : IsMaster(n, t)}) <= 1

---------------------------------------------------------------------------
\* 8. CONVERGENCE

\* A connected, synchronised device holds the applied values, or what it makes
\* of them, or already what the head of a queue is about to bring.
Connected(t) == device[t].on /\ \E n \in Node : IsMaster(n, t) /\ Usable(n, t) /\ request[n][t] = Idle
Pushing(t) == ({ApplyHead(t)} \ {0}) \cup UndoQueue(t)
Holds(t, p, units) == device[t].values[p] \in {units[p].value, Made(units[p].value)}
InStep ==
  \A t \in Target : Connected(t) /\ Synchronised(t) =>
    \A p \in Path :
      \/ Holds(t, p, config[t].applied.units)
      \/ \E i \in Pushing(t) : /\ p \in Paths(i, t)
                               /\ \/ Holds(t, p, With(i, t, config[t].applied).units)
                                  \/ Holds(t, p, AfterUndo(i, t).units)

\* A resync never takes a path away from what the head is about to make it,
\* and does not push what the device is known to rewrite.
NoFlap ==
  [][\A n \in Node, t \in Target : Sends(n, t) /\ request'[n][t].what = "sync" /\ IsMaster(n, t) =>
       LET delta == request'[n][t].delta
           seen  == IF request[n][t].stage = "read" THEN request[n][t].seen ELSE device[t].values
           head  == ApplyHead(t)
       IN \A p \in DOMAIN delta :
            /\ head # 0 /\ p \in Paths(head, t) => seen[p] # Delta(head, t)[p]
            /\ config[t].rewritten[p] # <<delta[p], seen[p]>>]_vars

\* In the end every device that is not gone for good is there.
Convergence == <>[](\A t \in Target \ Run.gone :
  /\ Connected(t) /\ Synchronised(t)
  /\ config[t].committed.units = config[t].applied.units
  /\ \A p \in Path : Holds(t, p, config[t].applied.units))

---------------------------------------------------------------------------
\* 9. DURABILITY

\* What a client was told stays true, whoever crashes.
Durability ==
  \A k \in Item : told[k] # None =>
    LET i == IndexOf(k, log) IN
    /\ i # 0
    /\ told[k] \in Final => log[i].status = told[k]
    /\ told[k] \notin Final => WasCommitted(i)
    /\ Run.script[k].sync => told[k] \in Final

---------------------------------------------------------------------------
\* 10. PROGRESS

\* Every transaction in the log gets its outcome, except a queued one that
\* waits for a device that is gone; and every one is decided.
Progress == <>[](\A i \in Index :
  /\ log[i].status # "Pending"
  /\ IsAtomic(i) \/ Targets(i) \cap Run.gone = {} => HasOutcome(i))
=============================================================================
