------------------------------ MODULE Retained ------------------------------
(***************************************************************************)
(* What is promised of a log that is forgotten by and by.  `archive` has   *)
(* every entry as it was when it began to be forgotten; no node can read   *)
(* it.  With it the log is whole again, and what is promised of a whole    *)
(* log must hold of it still.                                              *)
(***************************************************************************)
EXTENDS Guarantees

Whole == [i \in Index |-> IF i \in DOMAIN archive THEN archive[i] ELSE log[i]]
Archive == INSTANCE Guarantees WITH log <- Whole

WholeOrder        == Archive!Order
WholeAllOrNothing == Archive!AllOrNothing
WholeFold         == Archive!Fold
WholeIsolation    == Archive!Isolation
WholeHistory      == Archive!History
WholeUndo         == Archive!Undo
WholeWindow       == Archive!Window
WholeDecision     == Archive!Decision
WholeOrderForward == Archive!OrderForward

---------------------------------------------------------------------------
\* RETENTION

\* The horizon never passes what is within the retention, what may yet be
\* decided, turn or be reverted, nor what an open entry names.
HorizonWaits ==
  /\ horizon # 0 => horizon <= Len(log) - Run.keeps
  /\ \A i \in Index : ~HasOutcome(i) =>
       /\ i > horizon \/ (log[i].status = "Committed" /\ ~IsAtomic(i))
       /\ log[i].of # 0 => log[i].of > horizon \/ (IsRestore(i) /\ log[i].of = horizon)
  /\ \A i \in Index : KeepsOthersOff(i) => i > horizon

\* What t may come to stand on is known: its latest changes, and what each that
\* may yet be taken out was put on.
Forgotten == {i \in Index : log[i].status = "Forgotten"}
BaseIsKnown == \A t \in Target :
  /\ config[t].committed.revision \notin Forgotten /\ config[t].applied.revision \notin Forgotten
  /\ \A i \in Live(t) : i > horizon \/ log[i].proposal[t] = "Pending" => log[i].undo[t].revision \notin Forgotten

\* Only what lies behind the horizon and has its outcome is forgotten.  How
\* things stood after the horizon, or after any later entry, stays known.
Retention ==
  /\ HorizonWaits /\ BaseIsKnown
  /\ \A i \in DOMAIN archive : i <= horizon /\ archive[i].status \in Final
  /\ \A t \in Target : \A k \in horizon..Len(log) : AsOf(t, k) = Archive!AsOf(t, k)
=============================================================================
