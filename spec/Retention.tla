----------------------------- MODULE Retention -----------------------------
(***************************************************************************)
(* How far back the log is kept, and which of its entries are not needed   *)
(* any more.                                                               *)
(*                                                                         *)
(*   1 ... j ... h   h+1 ...... end    h  the HORIZON: how things stood    *)
(*   forgotten,      kept                 after it is known, and after     *)
(*   by and by                            every later entry                *)
(*                                                                         *)
(* History goes back by the undos of later entries, so nothing has to be   *)
(* kept for the horizon itself, except what entries beyond it speak of.    *)
(***************************************************************************)
EXTENDS History

---------------------------------------------------------------------------
\* THE HORIZON only grows, with an append, and so meets no entry that was not looked at.

\* i keeps its place whatever happens: it has its outcome, or waits for devices
\* alone; and it is in no window.
IsSettled(i) == /\ HasOutcome(i) \/ (log[i].status = "Committed" /\ ~IsAtomic(i))
                /\ ~KeepsOthersOff(i)

\* The last entry that must stay before the horizon for an open one.
Names(i) == IF IsRestore(i) THEN log[i].of ELSE log[i].of - 1
Named == {Names(i) : i \in {k \in Index : ~HasOutcome(k) /\ log[k].of # 0}}

\* The furthest that the horizon may go with an append.
NextHorizon ==
  LET wanted == Min({Len(log) + 1 - Run.keeps, Len(log)} \cup Named)
  IN Max({horizon} \cup {h \in horizon..wanted : \A i \in (horizon + 1)..h : IsSettled(i)})

\* What a request names is still known.
WithinHorizon(e) == \/ e.of = 0
                    \/ e.of > horizon
                    \/ Run.script[e.item].kind = "Restore" /\ e.of = horizon

\* Where the horizon is after the append of `e`.  One that names another does not move it: the next does.
HorizonWith(e) == IF Run.keeps = 0 \/ e.of # 0 THEN horizon ELSE NextHorizon

---------------------------------------------------------------------------
\* FORGETTING

\* No later change up to the horizon stands on t for good: i is what t goes back to.
IsBase(i, t) == ~\E k \in Live(t) : i < k /\ k <= horizon /\ log[k].proposal[t] = "Applied"

\* i is still spoken of: by a later Rollback, which history puts it back for; or
\* by its targets, as what stands there once everything later is taken out.
\* (What is open is needed: where it waits, nothing later was applied.)
IsNeeded(i) == \E t \in Targets(i) :
  \/ t \in DOMAIN log[i].outBy /\ log[i].outBy[t] > horizon
  \/ i \in Live(t) /\ IsBase(i, t)

\* All that is left of an entry is its place.
LeftOver == [item |-> 0, own |-> None, of |-> 0, status |-> "Forgotten", reason |-> None, proposal |-> Empty,
             outBy |-> Empty, delta |-> Empty, undo |-> Empty, written |-> {}, window |-> None, trial |-> FALSE, origin |-> Nobody]

\* In writes of bounded size, here of one record: first the proposals of an
\* entry, and last its own record, so that what is left of it is always found.
Forgettable == {i \in 1..horizon : log[i].status # "Forgotten" /\ ~IsNeeded(i)}

Forget(i) ==
  /\ Forgettable # {} /\ i = Min(Forgettable)
  /\ log' = IF DOMAIN log[i].undo # {}
            THEN LET gone == CHOOSE t \in DOMAIN log[i].undo : TRUE IN
                 [log EXCEPT ![i].undo = [t \in DOMAIN @ \ {gone} |-> @[t]],
                             ![i].delta = [t \in DOMAIN @ \ {gone} |-> @[t]]]
            ELSE [log EXCEPT ![i] = LeftOver]
  /\ archive' = IF i \in DOMAIN archive THEN archive ELSE Extend(archive, i, log[i])
  /\ UNCHANGED <<config, masters, nodes, request, device, stray, faults, clients, horizon>>

---------------------------------------------------------------------------
\* ABSENCES name their writer, so that it can be taken out again.

\* Nothing takes out what lies behind the horizon and is recorded on t, and no history goes back so far.
\* Where both sides hold the absence it is recorded, and nothing that may be withdrawn lies on it.
IsIdle(t, p) == LET unit == config[t].committed.units[p] IN
  /\ unit.value = Absent /\ unit.writer \in 1..horizon
  /\ unit = config[t].applied.units[p]

\* An undo may bring it back; then it goes again.
ForgetAbsence(t, p) ==
  /\ IsIdle(t, p)
  /\ config' = [config EXCEPT ![t].committed.units[p] = Nothing, ![t].applied.units[p] = Nothing]
  /\ UNCHANGED <<log, archive, masters, nodes, request, device, stray, faults, clients, horizon>>
=============================================================================
