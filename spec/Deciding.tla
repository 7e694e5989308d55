------------------------------ MODULE Deciding ------------------------------
(***************************************************************************)
(* What happens in the store alone: Submit, Decide, deadlines, Cancel, the *)
(* turn of an atomic transaction, the withdrawal of a queued one, and the  *)
(* checks that follow a withdrawal.  Any node may take these steps; each   *)
(* is ONE compare-and-set over everything it reads and writes.             *)
(***************************************************************************)
EXTENDS Retention

\* Every write that changes a transaction goes through here: the write that
\* records its last proposal also writes its outcome, and lets go of its
\* targets.  `l` and `c` are the new log and configurations.
Outcome(e) ==
  LET answers == {e.proposal[t] : t \in DOMAIN e.proposal} IN
  IF e.status \in {"Committed", "Confirming"} /\ answers = {"Applied"} THEN "Applied"
  ELSE IF e.status = "Committed" /\ "Pending" \notin answers /\ "Accepted" \in answers THEN "Confirming"
  ELSE IF e.status = "Committed" /\ "Pending" \notin answers THEN "Partial"
  ELSE IF e.status = "Reverting" /\ answers \subseteq {"Refused", "Undone"} THEN "Reverted"
  ELSE e.status

\* A window opens with the outcome of its change, if that went well.
Opened(e) == IF e.window = "asked" /\ e.status = "Applied" THEN [e EXCEPT !.window = "open"] ELSE e

Write(l, c) ==
  LET done == [i \in DOMAIN l |-> Opened([l[i] EXCEPT !.status = Outcome(l[i])])] IN
  /\ log' = done
  /\ config' = [t \in Target |->
       IF c[t].holder # 0 /\ done[c[t].holder].status \in Final THEN [c[t] EXCEPT !.holder = 0] ELSE c[t]]

---------------------------------------------------------------------------
\* SUBMIT

\* Where item k is in log l.  A client knows the index it was told, also when nobody else does any more.
IndexOf(k, l) ==
  LET S == {i \in DOMAIN l : l[i].item = k \/ (i \in DOMAIN archive /\ archive[i].item = k)} IN
  IF S = {} THEN 0 ELSE Min(S)

\* Script item k as a new entry of log l.  A Rollback that names no targets
\* stands in the queues of all targets of what it rolls back, a Restore in those
\* of all that came later, as far as they are there.  `origin` is the session that takes it in.
TargetsSince(j, l) == UNION {DOMAIN l[i].proposal : i \in {k \in DOMAIN l :
  k > j /\ l[k].status \notin {"Rejected", "Reverted", "Cancelled"}}}

Entry(k, l, origin) ==
  LET e == Run.script[k]
      j == IF e.kind \in {"Rollback", "Restore"} THEN IndexOf(e.of, l) ELSE 0
      T == IF e.kind \notin {"Rollback", "Restore"} THEN DOMAIN e.set
           ELSE IF e.named # {} THEN e.named
           ELSE IF j = 0 THEN {}
           ELSE {t \in IF e.kind = "Restore" THEN TargetsSince(j, l) ELSE DOMAIN l[j].proposal : Bound(t)}
  IN [item |-> k, own |-> None, of |-> j, status |-> "Pending", reason |-> None,
      proposal |-> [t \in T |-> "Pending"], outBy |-> Empty, delta |-> Empty, undo |-> Empty,
      written |-> IF e.kind = "Change" /\ k \in Run.wide THEN {} ELSE T,
      window |-> IF e.window THEN "asked" ELSE None, trial |-> FALSE,
      origin |-> IF e.window THEN origin ELSE Nobody]

\* The id is compared with those in the log in the append itself: a client
\* that asks again gets the first outcome, not a second entry.  Whoever appends
\* has the whole log before it, so nothing gets into the log behind a window.
KeptOff(T) == \E i \in Index : KeepsOthersOff(i) /\ Targets(i) \cap T # {}
\* What names an entry that is forgotten, or would concern no target, is turned away.
TurnedAway(e) == ~WithinHorizon(e) \/ (e.of # 0 /\ DOMAIN e.proposal = {})

Submit(k) ==
  /\ IndexOf(k, log) = 0
  /\ Run.anyOrder \/ \A before \in 1..(k - 1) :
       IndexOf(before, log) # 0 \/ TurnedAway(Entry(before, log, Nobody))
  /\ \E origin \in IF Run.script[k].window THEN Alive ELSE {Nobody} :
       LET e == Entry(k, log, origin) IN
       /\ ~KeptOff(DOMAIN e.proposal) /\ ~TurnedAway(e)
       /\ log' = Append(log, e) /\ horizon' = HorizonWith(e)
  /\ UNCHANGED archive
  /\ UNCHANGED <<config, masters, nodes, request, device, stray, faults, clients>>

---------------------------------------------------------------------------
\* DECIDE

AtCommitHead(i) == \A t \in Targets(i) :
  i = Min(CommitQueue(t)) /\ config[t].holder = 0 /\ config[t].recheck = Checked

\* A Rollback concerns those of its targets where its change is still live,
\* and must find it to be the latest there: as a whole, or path by path.  A
\* Restore asks for every path, also where it finds it as it is to be.
Concerned(i) == IF IsChange(i) THEN Targets(i) ELSE {t \in Targets(i) : log[i].of \in Live(t)}
IsLatest(j, t, rule) ==
  IF rule = "target" THEN config[t].committed.revision = j
  ELSE /\ \A p \in Paths(j, t) : config[t].committed.units[p].writer = j
       /\ \A k \in Live(t) : k > j => ~IsRestore(k)

RefusalOfRollback(i) ==
  LET j == log[i].of IN
  IF j = 0 THEN "unknown"
  ELSE IF ~IsChange(j) THEN "not a change"
  ELSE IF log[j].undo = Empty THEN "not committed"
  ELSE IF Concerned(i) = {} THEN "live nowhere"
  ELSE IF \E t \in Concerned(i) : ~IsLatest(j, t, Body(i).rule) THEN "superseded"
  ELSE None

\* i on top of what is committed on t, if it is decided now.
OnTop(i, t, side) ==
  IF IsChange(i) THEN [side EXCEPT !.units = Put(@, Comes(i, t), i), !.revision = i] ELSE With(i, t, side)

\* What is wrong with i on t alone.
VerdictOn(i, t) == IF Valid(t, OnTop(i, t, config[t].committed).units) THEN None ELSE "invalid"

\* Before a target came to be there was none, or another one by its name.
RefusalOfRestore(i) ==
  IF log[i].of = 0 THEN "unknown"
  ELSE IF \E t \in Targets(i) : log[i].of < config[t].since THEN "beyond"
  ELSE None

Verdict(i) ==
  LET refusal == IF ~IsRollback(i) /\ \E t \in Targets(i) : ~Bound(t) THEN "no target"
                 ELSE IF IsRestore(i) THEN RefusalOfRestore(i)
                 ELSE IF IsChange(i) THEN None ELSE RefusalOfRollback(i) IN
  IF refusal # None THEN refusal
  ELSE IF \E t \in Concerned(i) : VerdictOn(i, t) # None THEN "invalid"
  ELSE None

\* Change i leaves the chain of t: whoever names it names what was before it.
Unlinked(l, i, T) ==
  [k \in DOMAIN l |->
     [l[k] EXCEPT !.undo = [t \in DOMAIN @ |-> IF t \in T /\ k # i THEN Relink(@[t], i, log[i].undo[t]) ELSE @[t]]]]

\* Says in the record of change j who took it out on T; or that nobody did after all.
OutBy(l, j, T, r) == [l EXCEPT ![j].outBy = [t \in DOMAIN @ \cup T |-> IF t \in T THEN r ELSE @[t]]]
NotOut(l, j, T)   == [l EXCEPT ![j].outBy = [t \in DOMAIN @ \ T |-> @[t]]]

\* The log `l` in which i was decided on T: a Rollback takes its change out of the chain.
Linked(l, i, T) == LET j == log[i].of IN IF IsChange(i) THEN l ELSE OutBy(Unlinked(l, j, T), j, T, i)

\* i is tried first, where all its devices can and have nothing of an earlier trial.
IsTried(i, T) == log[i].item \in Run.tried /\ \A t \in T : config[t].trial = 0

Commit(i) ==
  LET T == Concerned(i)
      tried == IsTried(i, T)
      decided == [log EXCEPT
        ![i].status = "Committed",
        ![i].trial = tried,
        ![i].proposal = [t \in T |-> "Pending"],
        ![i].delta = IF IsRestore(i) THEN [t \in T |-> Comes(i, t)] ELSE @,
        ![i].undo = IF IsChange(i)
                    THEN [t \in T |-> UndoFor(config[t].committed.units, config[t].committed.revision, Comes(i, t))]
                    ELSE @]
  IN
  /\ Verdict(i) = None
  /\ log' = Linked(decided, i, T)
  /\ config' = [t \in Target |->
       IF t \in T THEN [config[t] EXCEPT !.committed = [OnTop(i, t, @) EXCEPT !.index = i],
                                         !.trial = IF tried THEN i ELSE @,
                                         !.holder = IF IsAtomic(i) THEN i ELSE 0]
       ELSE IF t \in Targets(i) THEN [config[t] EXCEPT !.committed.index = i]
       ELSE config[t]]

\* Rejected on all its targets, by the verdict on any of them.
Reject(i) ==
  /\ Verdict(i) # None \/ Run.rejects
  /\ log' = [log EXCEPT ![i].status = "Rejected", ![i].reason = IF Verdict(i) # None THEN Verdict(i) ELSE "invalid"]
  /\ config' = [t \in Target |->
       IF t \in Targets(i) THEN [config[t] EXCEPT !.committed.index = i] ELSE config[t]]

Decide(i) ==
  /\ log[i].status = "Pending" /\ AtCommitHead(i) /\ ~IsWide(i) /\ ~IsOfTarget(i)
  /\ Commit(i) \/ Reject(i)
  /\ UNCHANGED <<masters, nodes, request, device, stray, faults, clients, kept>>

---------------------------------------------------------------------------
\* MANY TARGETS: a wide transaction is written, and then prepared, target by
\* target.  One write to its record decides it.  (Its configurations follow in
\* writes of their own, but whoever reads them takes the rest from the record:
\* here they are what a reader makes of them.  The same for turn and outcome.)

\* Nobody is held by i any more.
LetGo(i) == [t \in Target |->
  IF config[t].holder = i THEN [config[t] EXCEPT !.holder = 0, !.prepared = Empty] ELSE config[t]]

Gather(i, t) ==
  /\ log[i].status = "Pending" /\ t \notin log[i].written
  /\ log' = [log EXCEPT ![i].written = @ \cup {t}] /\ UNCHANGED config
  /\ UNCHANGED <<masters, nodes, request, device, stray, faults, clients, kept>>

\* The node that took it in is gone, and with it the edits that are not written.
GiveUpUnwritten(i) ==
  /\ log[i].status = "Pending" /\ log[i].written # Targets(i) /\ faults.crashes > 0
  /\ log' = [log EXCEPT ![i].status = "Rejected", ![i].reason = "incomplete"] /\ UNCHANGED config
  /\ UNCHANGED <<masters, nodes, request, device, stray, faults, clients, kept>>

IsNext(i, t) == i = Min(CommitQueue(t)) /\ config[t].holder = 0 /\ config[t].recheck = Checked

Prepare(i, t) ==
  /\ log[i].status = "Pending" /\ IsWide(i) /\ log[i].written = Targets(i)
  /\ t \in Concerned(i) /\ IsNext(i, t) /\ VerdictOn(i, t) = None
  /\ IF IsChange(i) THEN TRUE ELSE IsLatest(log[i].of, t, Body(i).rule)
  /\ config' = [config EXCEPT ![t].holder = i,
       ![t].prepared = UndoFor(config[t].committed.units, config[t].committed.revision, Delta(Source(i), t))]
  /\ UNCHANGED log
  /\ UNCHANGED <<masters, nodes, request, device, stray, faults, clients, kept>>

\* Prepared wherever it has something to do; elsewhere it is next, so nothing comes to concern it there.
AllPrepared(i) ==
  /\ \A t \in Concerned(i) : Prepared(i, t)
  /\ \A t \in Targets(i) \ Concerned(i) : IsNext(i, t)

CommitPrepared(i) ==
  LET T == Concerned(i)
      decided == [log EXCEPT
        ![i].status = "Committed",
        ![i].proposal = [t \in T |-> "Pending"],
        ![i].undo = IF IsChange(i) THEN [t \in T |-> config[t].prepared] ELSE @]
  IN
  /\ T # {}
  /\ log' = Linked(decided, i, T)
  /\ config' = [t \in Target |->
       IF t \in T THEN [config[t] EXCEPT !.committed = [With(i, t, @) EXCEPT !.index = i],
                                         !.prepared = Empty,
                                         !.holder = IF IsAtomic(i) THEN i ELSE 0]
       ELSE config[t]]

\* The verdict on one of its targets rejects it on all, and lets go of those that were prepared.
RejectWide(i) ==
  /\ \/ Run.rejects
     \/ ~IsChange(i) /\ (\A t \in Targets(i) : IsNext(i, t) \/ Prepared(i, t)) /\ RefusalOfRollback(i) # None
     \/ \E t \in Concerned(i) : IsNext(i, t) /\ log[i].written = Targets(i) /\ VerdictOn(i, t) # None
  /\ log' = [log EXCEPT ![i].status = "Rejected", ![i].reason = "invalid"]
  /\ config' = LetGo(i)

DecideWide(i) ==
  /\ log[i].status = "Pending" /\ IsWide(i)
  /\ (AllPrepared(i) /\ CommitPrepared(i)) \/ RejectWide(i)
  /\ UNCHANGED <<masters, nodes, request, device, stray, faults, clients, kept>>

---------------------------------------------------------------------------
\* THE TURN: an atomic transaction leaves the committed values of all its
\* targets in the write that says Reverting, and is then undone target by
\* target.  It goes on holding their commit queues until that is done.

\* A Rollback that turns gives its change back its place in the chain of revisions.
LinkedBack(l, i) ==
  LET j == log[i].of
      next(t) == {k \in Live(t) : k > j}
  IN [k \in DOMAIN l |->
        [l[k] EXCEPT !.undo = [t \in DOMAIN @ |->
           IF t \in Targets(i) /\ ~Withdrawn(j, t) /\ next(t) # {} /\ k = Min(next(t))
           THEN [@[t] EXCEPT !.revision = j] ELSE @[t]]]]

LogTurned(i) ==
  LET l == [log EXCEPT ![i].status = "Reverting"] IN IF IsChange(i) THEN l ELSE LinkedBack(NotOut(l, log[i].of, Targets(i)), i)
ConfigTurned(i) ==
  [t \in Target |-> IF t \in Targets(i) THEN [config[t] EXCEPT !.committed = Without(i, t, @)] ELSE config[t]]

\* What takes out a change that was not confirmed has no way back.
MayTurn(i) == log[i].status = "Committed" /\ IsAtomic(i) /\ ~IsRevert(i)
Turn(i) == MayTurn(i) /\ Write(LogTurned(i), ConfigTurned(i))

---------------------------------------------------------------------------
\* THE WITHDRAWAL: a queued transaction leaves one target, as if it had never
\* been there.  Later writers keep their values and are linked to what was
\* before it.  If it was the head of the apply queue the device may hold it,
\* so the target is read again before anything else is sent (rule 2).  What
\* stands behind it in the queue has to be validated again (rule 9), and a
\* Restore there is worked out again.

LogWithdrawn(i, T) ==
  LET marked == [log EXCEPT ![i].proposal = [t \in DOMAIN @ |-> IF t \in T THEN "Withdrawn" ELSE @[t]]]
  IN DecidedAnew(Unlinked(marked, i, T), i, [t \in {u \in T : Joins(i, u)} |-> Anew(i, t)])
CommittedWithout(i, t) ==
  LET left == Without(i, t, config[t].committed) IN
  IF Joins(i, t) THEN [left EXCEPT !.units = Anew(i, t).units] ELSE left

\* What is prepared on values that change below it is void.
Disturbed(t) ==
  IF config[t].holder # 0 /\ log[config[t].holder].status = "Pending"
  THEN [config[t] EXCEPT !.holder = 0, !.prepared = Empty] ELSE config[t]

ConfigWithdrawn(i, T) ==
  [t \in Target |->
     IF t \notin T THEN config[t]
     ELSE LET head == i = ApplyHead(t)
              behind == \E k \in ApplyQueue(t) : k > i
          IN [Disturbed(t) EXCEPT
                       !.committed = CommittedWithout(i, t),
                       !.applied.index = IF head THEN i ELSE @,
                       !.synced = IF head THEN 0 ELSE @,
                       !.recheck = IF behind THEN Min({@, i}) ELSE @]]

Withdraw(i, T) == Write(LogWithdrawn(i, T), ConfigWithdrawn(i, T))

\* Rule 9.  The commit queue of t is held, and what was not validated again is
\* not sent, until this is through; no device is needed for it.
Recheck(t) ==
  LET behind == {k \in ApplyQueue(t) : k > config[t].recheck}
      k == Min(behind)
  IN
  /\ config[t].recheck # Checked
  /\ IF behind = {} THEN config' = [config EXCEPT ![t].recheck = Checked] /\ UNCHANGED log
     ELSE IF Valid(t, StandsAfter(k, t).units) THEN config' = [config EXCEPT ![t].recheck = k] /\ UNCHANGED log
     ELSE IF IsAtomic(k) THEN Turn(k)
     ELSE Withdraw(k, {t})
  /\ UNCHANGED <<masters, nodes, request, device, stray, faults, clients, kept>>

\* Rule 10.  The Rollback of a change that was withdrawn on t has nothing to do there.
RecordNothing(i, t) ==
  /\ log[i].status = "Committed" /\ t \in Targets(i) /\ log[i].proposal[t] = "Pending" /\ NothingToSend(i, t)
  /\ Write([log EXCEPT ![i].proposal[t] = "Applied"], config)
  /\ UNCHANGED <<masters, nodes, request, device, stray, faults, clients, kept>>

---------------------------------------------------------------------------
\* DEADLINES AND CANCEL

\* A Pending entry that is given up is marked in its own record; queues pass over it.
GiveUpPending(i, status, reason) ==
  /\ log[i].status = "Pending"
  /\ log' = [log EXCEPT ![i].status = status, ![i].reason = reason] /\ config' = LetGo(i)

\* An atomic transaction waits for a target that cannot be reached.
Unreachable(i) == /\ log[i].status = "Committed" /\ IsAtomic(i)
                  /\ \E t \in Targets(i) : log[i].proposal[t] = "Pending" /\ ~Synchronised(t)

Deadline(i) ==
  /\ \/ Run.latePending /\ GiveUpPending(i, "Rejected", "deadline")
     \/ (Run.deadline = "any" \/ Unreachable(i)) /\ Turn(i)
  /\ UNCHANGED <<masters, nodes, request, device, stray, faults, clients, kept>>

\* A queued one is withdrawn wherever it is not recorded Applied.
CancelQueued(i) ==
  LET T == {t \in Targets(i) : log[i].proposal[t] = "Pending"}
      l == LogWithdrawn(i, T)
      all == \A t \in Targets(i) : l[i].proposal[t] = "Withdrawn"
  IN /\ log[i].status = "Committed" /\ ~IsAtomic(i)
     /\ Write(IF all THEN [l EXCEPT ![i].status = "Cancelled"] ELSE l, ConfigWithdrawn(i, T))

Cancel(i) ==
  /\ log[i].item \in Run.cancels
  /\ GiveUpPending(i, "Cancelled", None) \/ Turn(i) \/ CancelQueued(i)
  /\ UNCHANGED <<masters, nodes, request, device, stray, faults, clients, kept>>
=============================================================================
