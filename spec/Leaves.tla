------------------------------- MODULE Leaves -------------------------------
(***************************************************************************)
(* Values, and how a change enters and leaves a configuration.             *)
(*                                                                         *)
(* A configuration maps every path to a UNIT: a value and the index of the *)
(* change that wrote it.  The UNDO of a change keeps the units that stood  *)
(* at its paths before it, and the revision before it.  Through those      *)
(* undos the writers of one path form a chain, newest first:               *)
(*                                                                         *)
(*     units[p] = (v3, 3)    undo of 3: (v1, 1)    undo of 1: (absent, 0)  *)
(*                                                                         *)
(* so a change can leave from the top of a chain (the unit before it comes *)
(* back) or from the middle (the writer after it is linked to the one      *)
(* before it).  Nothing here knows of transactions, stores or devices.     *)
(***************************************************************************)
EXTENDS Naturals

Absent  == "absent"                     \* what a path holds when nothing is there
Unit(value, writer) == [value |-> value, writer |-> writer]
Nothing == Unit(Absent, 0)
Empty   == [x \in {} |-> Nothing]       \* the function of nothing: no delta, no undo yet

Min(S) == CHOOSE x \in S : \A y \in S : x <= y
Max(S) == CHOOSE x \in S : \A y \in S : x >= y
Latest(S) == IF S = {} THEN 0 ELSE Max(S)

\* Function f, with v at x.
Extend(f, x, v) == [y \in DOMAIN f \cup {x} |-> IF y = x THEN v ELSE f[y]]

\* The plain values of some units.
Values(units) == [p \in DOMAIN units |-> units[p].value]

\* `delta` (path -> value) written by change i.
Put(units, delta, i) ==
  [p \in DOMAIN units |-> IF p \in DOMAIN delta THEN Unit(delta[p], i) ELSE units[p]]

\* What Put will have to be undone with: the units it covers, and the revision.
UndoFor(units, revision, delta) ==
  [units |-> [p \in DOMAIN delta |-> units[p]], revision |-> revision]

\* Change i leaves: where it is the last writer, the unit before it comes back.
TakeOut(units, i, undo) ==
  [p \in DOMAIN units |->
     IF p \in DOMAIN undo.units /\ units[p].writer = i THEN undo.units[p] ELSE units[p]]

\* The other half, for an undo that names i: it names what was before i.
Relink(undo, i, undoOfI) ==
  [units |-> [p \in DOMAIN undo.units |->
                IF p \in DOMAIN undoOfI.units /\ undo.units[p].writer = i
                THEN undoOfI.units[p] ELSE undo.units[p]],
   revision |-> IF undo.revision = i THEN undoOfI.revision ELSE undo.revision]

\* A device takes a Set whole: `delta` laid over what it has.
Overlay(values, delta) ==
  [p \in DOMAIN values |-> IF p \in DOMAIN delta THEN delta[p] ELSE values[p]]
=============================================================================
