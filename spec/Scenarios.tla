----------------------------- MODULE Scenarios -----------------------------
(***************************************************************************)
(* The runs: a script of transactions, and what may go wrong.              *)
(***************************************************************************)
EXTENDS Guarantees, TLC

---------------------------------------------------------------------------
\* SCRIPTS

Atomic(s) == [kind |-> "Change", atomic |-> TRUE, sync |-> TRUE, set |-> s, of |-> 0, rule |-> None, named |-> {}]
Queued(s) == [Atomic(s) EXCEPT !.atomic = FALSE]
RollBack(j, rule) == [Atomic(<< >>) EXCEPT !.kind = "Rollback", !.of = j, !.rule = rule]
Only(e, T) == [e EXCEPT !.named = T]           \* a Rollback that names its targets
Async(e) == [e EXCEPT !.sync = FALSE]

\* An atomic change on two targets, then one that builds on one of them.
TwoAtomic == << Atomic([t1 |-> [a |-> "1", b |-> "1"], t2 |-> [a |-> "1"]]), Atomic([t1 |-> [a |-> "2"]]) >>
\* One target: an atomic delete over an atomic set.
OneAtomic == << Atomic([t1 |-> [a |-> "1", b |-> "1"]]), Atomic([t1 |-> [a |-> Absent]]) >>
\* Three queued writers of one path, each of which may be withdrawn.
QueuedChain == << Queued([t1 |-> [a |-> "1", b |-> "1"]]), Queued([t1 |-> [a |-> "2"]]), Queued([t1 |-> [a |-> Absent]]) >>
\* Queued work that waits under an atomic change that may turn.
MixedScript == << Queued([t1 |-> [a |-> "1"]]), Atomic([t1 |-> [a |-> "2", b |-> "2"], t2 |-> [a |-> "2"]]), Queued([t1 |-> [a |-> "3"]]) >>
\* An atomic change on two targets and its rollback.
AtomicRollback == << Atomic([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]]), RollBack(1, "target") >>
\* Queued on two targets, so perhaps withdrawn on one; then rolled back from under a later change.
QueuedRollback == << Queued([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]]), Queued([t1 |-> [b |-> "2"]]), RollBack(1, "path") >>
\* Queued work under a rollback.
MixedRollback == << Queued([t1 |-> [a |-> "1"]]), Queued([t1 |-> [a |-> "2"], t2 |-> [a |-> "2"]]), RollBack(2, "target"), Queued([t1 |-> [a |-> "3"]]) >>

---------------------------------------------------------------------------
\* SCENARIOS

Quiet(script) == [
  script |-> script, inLog |-> Len(script), anyOrder |-> FALSE,
  rejects |-> FALSE, latePending |-> FALSE, deadline |-> "unreachable", cancels |-> {}, needs |-> {},
  refuses |-> {}, refusesUndo |-> {}, dislikes |-> {}, picky |-> {}, resyncRefusals |-> 0, rewrites |-> << >>,
  cuts |-> {}, terms |-> 1, crashes |-> 0, expiries |-> 0, strays |-> 0, stepwise |-> FALSE,
  stops |-> {}, restarts |-> 0, silent |-> {}, gone |-> {}, boot |-> {Absent},
  reads |-> FALSE, answers |-> FALSE]

Both == {"t1", "t2"}
Calm == [Quiet(TwoAtomic) EXCEPT !.rejects = TRUE, !.refuses = Both, !.refusesUndo = Both, !.deadline = "any"]
One == [Quiet(OneAtomic) EXCEPT !.refuses = {"t1"}, !.refusesUndo = {"t1"}, !.deadline = "any",
   !.cuts = {"t1"}, !.terms = 2, !.crashes = 1, !.stops = {"t1"}, !.restarts = 1]
Stale == [Quiet(OneAtomic) EXCEPT !.refuses = {"t1"}, !.refusesUndo = {"t1"}, !.deadline = "any",
   !.cuts = {"t1"}, !.terms = 2, !.expiries = 1]
Late == [Quiet(OneAtomic) EXCEPT !.refuses = {"t1"}, !.deadline = "any", !.strays = 1, !.expiries = 1, !.stepwise = TRUE]
LateRestart == [Quiet(OneAtomic) EXCEPT !.refuses = {"t1"}, !.deadline = "any", !.strays = 1, !.stops = {"t1"}, !.restarts = 1, !.stepwise = TRUE]
Chain == [Quiet(QueuedChain) EXCEPT !.refuses = {"t1"}, !.cuts = {"t1"}, !.terms = 2, !.stops = {"t1"}, !.restarts = 1, !.boot = {Absent, "1"}]
CancelChain == [Quiet(QueuedChain) EXCEPT !.refuses = {"t1"}, !.cancels = {1, 2, 3}, !.cuts = {"t1"}, !.terms = 2]
Mixed == [Quiet(MixedScript) EXCEPT !.refuses = Both, !.deadline = "any", !.cuts = {"t1"}, !.terms = 2, !.stops = {"t1"}, !.restarts = 1]
CancelMixed == [Quiet(MixedScript) EXCEPT !.refuses = Both, !.cancels = {1, 2, 3}, !.cuts = {"t1"}, !.terms = 2]
RollbackRun == [Quiet(AtomicRollback) EXCEPT !.refuses = Both, !.refusesUndo = Both, !.rejects = TRUE, !.deadline = "any", !.cuts = Both, !.terms = 2]
PathRb == [Quiet(QueuedRollback) EXCEPT !.refuses = Both, !.refusesUndo = {"t2"}, !.cuts = {"t1"}, !.terms = 2, !.cancels = {1,2,3}]
MixedRb == [Quiet(MixedRollback) EXCEPT !.refuses = Both, !.cuts = {"t1"}, !.terms = 2, !.deadline = "any"]
Nodes == Permutations(Node)
=============================================================================
