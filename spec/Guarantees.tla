----------------------------- MODULE Guarantees -----------------------------
(***************************************************************************)
(* What the protocol promises.  The section titles are the guarantees; an  *)
(* operator of the same name states each, and helpers with names of their  *)
(* own stand beside it.  All of them hold in every run; Convergence and    *)
(* Progress need the nodes to keep working.                                *)
(***************************************************************************)
EXTENDS Lockstep

\* i was decided Committed at some time.
WasCommitted(i) == \/ log[i].status \in {"Committed", "Confirming", "Reverting", "Applied", "Partial", "Reverted"}
                   \/ log[i].undo # Empty

\* What the device had when it was first met.  It counts as having been there all along.
Base(t) ==
  LET met == {i \in Index : IsMet(i) /\ t \in Targets(i) /\ i > config[t].since} IN
  IF met = {} THEN Blank ELSE LET i == Max(met) IN Put(Blank, Delta(i, t), i)

\* The changes in S on top of each other, in log order.
FoldOf(t, S) == [p \in Path |->
  LET last == Latest({i \in S : p \in DOMAIN Delta(i, t)}) IN
  IF last = 0 THEN Base(t)[p] ELSE Unit(Delta(last, t)[p], last)]

\* Units of t as far as the store has to know them: without absences that it may have let go of, recorded
\* by changes behind the horizon.
Known(t, units) == [p \in DOMAIN units |->
  LET i == units[p].writer IN
  IF units[p].value = Absent /\ i \in 1..horizon /\ log[i].proposal[t] = "Applied" THEN Nothing ELSE units[p]]

\* No configuration holds anything that i wrote.
NoTrace(i) == \A t \in Target : \A p \in Path :
  config[t].committed.units[p].writer # i /\ config[t].applied.units[p].writer # i

\* A Set leaves node n for t in this step.
Sends(n, t) == request'[n][t].stage = "sent" /\ request[n][t].stage # "sent"

\* What k wrote to p of t was refused, withdrawn or reverted.  (In the scripts
\* no two changes write the same value to a path; a Restore writes what others did.)
Dead(k, t, p) == /\ IsChange(k) /\ ~IsRestore(k) /\ t \in Targets(k) /\ k > config[t].since
                 /\ log[k].proposal[t] \in {"Refused", "Withdrawn", "Undone"}
                 /\ p \in Paths(k, t) /\ Delta(k, t)[p] # Absent

---------------------------------------------------------------------------
\* ORDER

\* Committed in log order, applied in commit order, applied <= committed.  What
\* a device had when it was first met has no place in that, and what is about a
\* target itself waits for no device.
Order ==
  \A t \in Target :
    /\ config[t].applied.index <= config[t].committed.index
    /\ \A i \in CommitQueue(t) : i > config[t].committed.index
    /\ \A i \in Index : WasCommitted(i) /\ ~IsMet(i) /\ t \in Targets(i) => i <= config[t].committed.index
    /\ \A i \in ApplyQueue(t), k \in Index :
         /\ k > i /\ t \in Targets(k) /\ log[k].proposal[t] \in {"Applied", "Refused"}
         => NothingToSend(k, t) \/ IsMet(k) \/ IsOfTarget(k)

\* Nothing goes back: neither index, nor a term, nor the log, nor the horizon.  A
\* new term is at least the one that was claimed.
OrderForward ==
  [][/\ Len(log') >= Len(log) /\ \A i \in Index : log'[i].item = log[i].item
     /\ horizon' >= horizon
     /\ \A t \in Target : /\ config'[t].committed.index >= config[t].committed.index
                          /\ config'[t].applied.index >= config[t].applied.index
                          /\ master'[t].term >= master[t].term
                          /\ master'[t].term # master[t].term => master'[t].term >= config[t].claim]_vars

---------------------------------------------------------------------------
\* DECISION

\* Once, and on all targets in the write that decides.  What is given up
\* before its decision touches no configuration.
Successors(s) ==
  CASE s = "Pending"   -> {"Committed", "Applied", "Rejected", "Cancelled"}
    [] s = "Committed" -> {"Applied", "Partial", "Cancelled", "Confirming", "Reverting", "Reverted"}
    [] s = "Confirming" -> {"Applied"}
    [] s = "Reverting" -> {"Reverted"}
    [] OTHER           -> {}
Decision ==
  [][\A i \in Index :
       LET old == log[i].status
           new == log'[i].status
           givenUp == new = "Cancelled" \/ log'[i].reason = "deadline" \/ (new = "Rejected" /\ IsWide(i))
       IN /\ old # new => new \in Successors(old)
          /\ old = "Pending" /\ new # "Pending" =>
               IF givenUp THEN \A t \in Target : config'[t].committed = config[t].committed
               ELSE \A t \in Targets(i) : (IsWide(i) => t \in DOMAIN log'[i].proposal) => config'[t].committed.index = i
          /\ Targets(i) # DOMAIN log'[i].proposal => old = "Pending" /\ new = "Committed"]_vars

\* What was not committed left no trace anywhere.
RejectedEverywhere == \A i \in Index :
  log[i].status = "Rejected" \/ (log[i].status = "Cancelled" /\ ~WasCommitted(i)) =>
    NoTrace(i) /\ \A t \in Targets(i) : log[i].proposal[t] = "Pending"

\* The same id is one entry.
OnePerId == \A i, k \in Index : log[i].item = log[k].item /\ log[i].item # 0 => i = k

---------------------------------------------------------------------------
\* ALL OR NOTHING

AllOrNothing ==
  \A i \in Index : IsAtomic(i) =>
    /\ log[i].status # "Partial"
    /\ log[i].status = "Applied" => \A t \in Targets(i) : log[i].proposal[t] = "Applied"
    /\ log[i].status = "Confirming" => \A t \in Targets(i) : log[i].proposal[t] \in {"Accepted", "Applied"}
    /\ log[i].status = "Reverted" =>
         /\ IsChange(i) => NoTrace(i)
         /\ \A t \in Targets(i) : log[i].proposal[t] \in {"Refused", "Undone"}
    /\ log[i].status = "Reverting" /\ IsChange(i) =>
         \A t \in Targets(i), p \in Path : config[t].committed.units[p].writer # i

\* Nothing else commits on its targets in between.
Held ==
  /\ \A i \in Index : IsAtomic(i) /\ Open(i) =>
       \A t \in Targets(i) : config[t].holder = i /\ config[t].committed.index = i
  /\ \A t \in Target : LET h == config[t].holder IN h # 0 => (Open(h) \/ Prepared(h, t)) /\ t \in Targets(h)

\* A device that still holds something of a reverted change is sent nothing
\* else before that is gone.
GoneFirst ==
  [][\A n \in Node, t \in Target :
       Sends(n, t) /\ IsMaster(n, t) /\ request'[n][t].what \in {"apply", "try", "undo"} =>
         \A k \in Index, p \in Path : Dead(k, t, p) /\ log[k].status = "Reverted" =>
           device[t].values[p] \notin {Delta(k, t)[p], Made(Delta(k, t)[p])}]_vars

---------------------------------------------------------------------------
\* ISOLATION

\* What a reader may see: a queued change from its decision on, an atomic one
\* only once it is applied everywhere; and neither once its Rollback is.
ShownAfter(k, t) == {i \in Index :
  /\ i <= k /\ IsChange(i) /\ t \in Targets(i) /\ i > config[t].since
  /\ log[i].status \in (IF IsAtomic(i) THEN {"Applied"} ELSE {"Committed", "Applied", "Partial"})
  /\ log[i].proposal[t] \in {"Pending", "Applied"}
  /\ ~\E r \in Index : r <= k /\ ~IsChange(r) /\ log[r].of = i /\ t \in Targets(r) /\ log[r].status = "Applied"}
Shown(t) == ShownAfter(Len(log), t)

\* On all targets, at every revision of the store; and what a reader was
\* shown of an atomic change was all of it, and is not taken back.
Isolation ==
  /\ \A t \in Target : Known(t, Visible(t)) = Known(t, FoldOf(t, Shown(t)))
  /\ \A i \in Index : IsAtomic(i) /\ IsChange(i) =>
       \A t \in Targets(i), p \in Path : reader[t][p].writer = i =>
         /\ log[i].status = "Applied"
         /\ \A u \in Targets(i) : \A q \in Paths(i, u) :
              \/ reader[u][q].writer >= i \/ config[u].since > i \/ (i <= horizon /\ reader[u][q] = Nothing)
              \/ \E r \in Index : /\ ~IsChange(r) /\ log[r].of = i /\ log[r].status = "Applied"
                                  /\ u \in Targets(r) /\ t \notin Targets(r)

\* How a target stood after any entry is the fold of the changes up to there that were not taken out by
\* then: none that was withdrawn or reverted, whenever that was, and none that is open.
History == \A t \in Target : \A k \in Max({horizon, config[t].since})..Len(log) :
  Known(t, AsOf(t, k)) = Known(t, FoldOf(t, ShownAfter(k, t)))

---------------------------------------------------------------------------
\* FOLD

\* The changes that are applied on t and not taken back there.
AppliedLive(t) ==
  LET done == {i \in Index : t \in Targets(i) /\ i > config[t].since /\ log[i].proposal[t] = "Applied"}
      out  == {log[r].of : r \in {k \in done : IsRollback(k)}}
  IN {i \in done : IsChange(i)} \ out

\* What clients asked with the changes in S, one after the other; a Restore asks for all that was asked up to its entry.
RECURSIVE AskedBy(_, _)
AskedBy(t, S) ==
  IF S = {} THEN Values(Base(t)) ELSE
  LET i == Max(S) IN
  IF IsRestore(i) THEN AskedBy(t, ShownAfter(log[i].of, t)) ELSE Overlay(AskedBy(t, S \ {i}), Delta(i, t))

\* The record of each change says who took it out.
OutIsMarked == \A j \in Index : DOMAIN log[j].outBy =
  UNION {Targets(r) : r \in {k \in Index : /\ log[k].of = j /\ ~IsChange(k)
                                            /\ log[k].status \in {"Committed", "Applied"}}}

Fold ==
  /\ OutIsMarked
  /\ \A t \in Target :
      /\ Known(t, config[t].committed.units) = Known(t, FoldOf(t, Live(t)))
      /\ config[t].committed.revision = Latest(Live(t))
      /\ Known(t, config[t].applied.units) = Known(t, FoldOf(t, AppliedLive(t)))
      /\ config[t].applied.revision = Latest(AppliedLive(t))
      /\ (\E i \in Index : IsRestore(i)) =>
           /\ Values(config[t].committed.units) = AskedBy(t, Live(t))
           /\ Values(config[t].applied.units) = AskedBy(t, AppliedLive(t))

Settled == \A t \in Target : ApplyQueue(t) = {} /\ UndoQueue(t) = {} /\ OnTrial(t) = {} =>
  /\ config[t].committed.units = config[t].applied.units
  /\ config[t].committed.revision = config[t].applied.revision

\* What was refused, withdrawn or reverted is never sent again, by anything.
NeverAgain ==
  [][\A n \in Node, t \in Target : Sends(n, t) =>
       \A p \in DOMAIN request'[n][t].delta, k \in Index :
         Dead(k, t, p) => request'[n][t].delta[p] # Delta(k, t)[p]]_vars

\* What is applied is valid, and so is what is committed, except while a
\* recheck is under way.
StaysValid == \A t \in Target : /\ Valid(t, config[t].applied.units)
                                /\ config[t].recheck = Checked => Valid(t, config[t].committed.units)

---------------------------------------------------------------------------
\* GONE

\* Of a target that was removed nothing stands, nothing waits for its device, and
\* nobody is its master.  One that comes by the same name later has no part in
\* what was decided before.
Gone ==
  \A t \in Target :
    LET sides == {config[t].committed, config[t].applied}
        later(i) == i = 0 \/ i > config[t].since
    IN /\ ~Bound(t) => /\ \A side \in sides : side.units = Blank
                       /\ ApplyQueue(t) = {} /\ UndoQueue(t) = {} /\ config[t].holder = 0
                       /\ ~HasMaster(t)
       /\ \A side \in sides : later(side.revision) /\ \A p \in Path : later(side.units[p].writer)

---------------------------------------------------------------------------
\* UNDO

\* What a live change would give back is exactly what stood before it.
Undo == \A t \in Target : \A i \in Live(t) :
  LET before == {k \in Live(t) : k < i} IN
  /\ log[i].undo[t].revision = Latest(before)
  /\ LET stood == Known(t, FoldOf(t, before)) IN
     \A p \in Paths(i, t) : Known(t, log[i].undo[t].units)[p] = stood[p]

---------------------------------------------------------------------------
\* FENCING

\* A node whose term has passed, or whose session has ended, records nothing;
\* and no device takes a Set from below the highest term it has seen.
Rightful(n, t, term) == /\ master[t].session = <<n, session[n]>> /\ <<n, session[n]>> \in leases
                        /\ master[t].term = term
Fencing ==
  [][\A t \in Target :
       /\ \A n \in Node : request[n][t].stage = "answered" /\ request'[n][t] = Idle /\ store' # store =>
            Rightful(n, t, request[n][t].term)
       /\ device[t].on /\ device'[t].on =>
            /\ device'[t].election >= device[t].election
            /\ device'[t].values # device[t].values =>
                 \/ \E n \in Node : request[n][t].stage = "sent" /\ request[n][t].term = device'[t].election
                 \* With a claim, or by itself, it takes back what it had on trial.
                 \/ /\ device[t].trial # 0 /\ device'[t].values = device[t].before
                    /\ \/ faults' # faults \/ device[t].trial # config[t].trial
                       \/ \E n \in Node : request'[n][t] # Idle /\ request'[n][t].term = device'[t].election
                 \/ \E s \in stray[t] : s.term = device'[t].election
                 \/ device'[t].theirs # device[t].theirs       \* somebody else
    ]_vars

\* The device listens to somebody else, and operators have not claimed it.
ListensToOthers(t) == faults.usurpers > 0 /\ device[t].election = Run.foreign
IsLeftToOthers(t)  == /\ ListensToOthers(t) /\ device[t].election > master[t].term
                      /\ config[t].claim <= device[t].election

OneMaster == \A t \in Target : /\ device[t].election <= master[t].term \/ ListensToOthers(t)
                               /\ config[t].synced <= master[t].term
                               /\ Cardinality({n \in Node : IsMaster(n, t)}) <= 1

---------------------------------------------------------------------------
\* CONVERGENCE

Connected(t) == device[t].on /\ \E n \in Node : IsMaster(n, t) /\ Usable(n, t) /\ request[n][t] = Idle
Holds(t, p, units) == device[t].values[p] \in {units[p].value, Made(units[p].value)}

\* A connected, synchronised device holds the applied values, or what it makes
\* of them, or already what the head of a queue is about to bring; except for
\* what somebody else changed and nobody has dealt with.
Pushing(t) == ({ApplyHead(t)} \ {0}) \cup UndoQueue(t) \cup OnTrial(t)
InStep ==
  \A t \in Target : Connected(t) /\ Synchronised(t) =>
    \A p \in Path :
      \/ Holds(t, p, config[t].applied.units)
      \/ p \in device[t].theirs
      \/ \E i \in Pushing(t) : /\ p \in Paths(i, t)
                               /\ \/ Holds(t, p, With(i, t, config[t].applied).units)
                                  \/ Holds(t, p, AfterUndo(i, t).units)

\* A connected, synchronised device has nothing on trial but what the store says
\* it may have; and what the store says it has, unless it took that back by itself.
Trials == \A t \in Target : Connected(t) /\ Synchronised(t) =>
  /\ device[t].trial \in {0, config[t].trial}
  /\ faults.timers = 0 => \A i \in OnTrial(t) : device[t].trial = i

\* A resync never takes a path away from what the head is about to make it,
\* does not push what the device is known to rewrite, and does not begin with
\* bringing back what is being reverted.
NoFlap ==
  [][\A n \in Node, t \in Target : Sends(n, t) /\ IsMaster(n, t) /\ request'[n][t].what = "sync" =>
       LET delta == request'[n][t].delta
           seen  == IF request[n][t].stage = "read" THEN request[n][t].seen ELSE device[t].values
           head  == Overlaid(t)
       IN \A p \in DOMAIN delta :
            /\ head # 0 /\ p \in Paths(head, t) => seen[p] # Push(head, t)[p]
            /\ config[t].rewritten[p] # <<delta[p], seen[p]>>
            /\ request[n][t] = Idle => \A i \in UndoQueue(t) : p \in Paths(i, t) => delta[p] = UndoPush(i, t)[p]]_vars

\* A device that operators want left alone is sent nothing, not even to read it.
Paused ==
  [][\A n \in Node, t \in Target :
       config[t].paused /\ request'[n][t] # request[n][t] => request'[n][t].stage \in {"idle", "answered"}]_vars

\* A device that has a configuration of its own is sent nothing before that was
\* recorded.  What is recorded later without anyone ordering it is what somebody
\* else changed, never what the device lost.
HandsOff ==
  [][/\ \A n \in Node, t \in Target : Sends(n, t) /\ IsMaster(n, t) => config[t].met
     /\ \A i \in DOMAIN log' \ Index : log'[i].own = "adopt" =>
          \A t \in DOMAIN log'[i].delta : \/ config[t].adopting
                                         \/ \A p \in DOMAIN log'[i].delta[t] : log'[i].delta[t][p] = Theirs]_vars

\* In the end every device that is not gone for good, or left alone, is there.
Convergence == <>[](\A t \in {u \in Target \ Run.gone : Bound(u) /\ ~config[u].paused /\ ~IsLeftToOthers(u)} :
  /\ Connected(t) /\ Synchronised(t)
  /\ config[t].committed.units = config[t].applied.units
  /\ \A p \in Path : Holds(t, p, config[t].applied.units) \/ (Run.drift = "report" /\ p \in device[t].theirs))

---------------------------------------------------------------------------
\* DURABILITY

\* What a client was told stays true, whoever crashes.
Durability ==
  \A k \in Item : told[k] # None =>
    LET i == IndexOf(k, log) IN
    /\ i # 0
    /\ IF told[k] \in Final THEN log[i].status = told[k] ELSE WasCommitted(i)
    /\ Run.script[k].sync => told[k] \in Final

---------------------------------------------------------------------------
\* WINDOW

\* A change with a window is seen while that is open, and is taken out by one
\* revert, which does not turn, or not at all.  Until it is closed nothing comes
\* behind it that has or may yet have an effect on its targets.
Window ==
  \A i \in Index :
    LET reverts == {r \in Index : IsRevert(r) /\ log[r].of = i} IN
    /\ log[i].window \in {"open", "confirmed", "reverted"} => log[i].status = "Applied"
    /\ IF log[i].window = "reverted"
       THEN \E r \in Index : /\ reverts = {r} /\ Targets(r) = Targets(i)
                             /\ log[r].status \in {"Committed", "Applied"}
       ELSE reverts = {}
    /\ log[i].window = "open" => \A t \in Targets(i) : i \in Shown(t)
    /\ KeepsOthersOff(i) => \A k \in Index : /\ k > i /\ Targets(k) \cap Targets(i) # {}
                                            => log[k].status \in {"Rejected", "Cancelled"}

\* How it goes on: with the outcome of its change, and then one way or the
\* other: confirmed while there is time, or taken out when that has run out or
\* a client calls it off.
WindowForward ==
  [][/\ \A i \in Index :
          LET old == log[i].window
              new == log'[i].window
          IN \/ new = old
             \/ old = "asked" /\ new = "open"
             \/ old = "open" /\ new = "confirmed" /\ i \notin ended
             \/ old = "open" /\ new = "reverted" /\ (i \in ended \/ log[i].item \in Run.cancels)
     /\ \A i \in DOMAIN log' \ Index : log'[i].window \in {None, "asked"}]_vars

---------------------------------------------------------------------------
\* PROGRESS

\* Everything in the log is decided and gets its outcome, except that a queued
\* transaction waits for a device that is gone, left alone or somebody else's; and every window is closed.
Progress == <>[](\A i \in Index :
  /\ log[i].status # "Pending" /\ log[i].window # "open"
  /\ IsAtomic(i) \/ (\A t \in Targets(i) : t \notin Run.gone /\ ~config[t].paused /\ ~IsLeftToOthers(t)) => HasOutcome(i))
=============================================================================
