----------------------------- MODULE Scenarios -----------------------------
(***************************************************************************)
(* The runs: a script of transactions, and what may go wrong.              *)
(***************************************************************************)
EXTENDS Guarantees, TLC

---------------------------------------------------------------------------
\* SCRIPTS

Atomic(s) == [kind |-> "Change", atomic |-> TRUE, sync |-> TRUE, set |-> s, of |-> 0, rule |-> None, named |-> {}]
Queued(s) == [Atomic(s) EXCEPT !.atomic = FALSE]
RollBack(j, rule) == [Atomic(Empty) EXCEPT !.kind = "Rollback", !.of = j, !.rule = rule]
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
\* b may be set only while a is: what a withdrawal leaves behind may no longer be valid.
Dependent == << Queued([t1 |-> [a |-> "1"]]), Queued([t1 |-> [b |-> "2"]]), Atomic([t1 |-> [b |-> "3"], t2 |-> [a |-> "3"]]) >>
DependentChain == << Queued([t1 |-> [a |-> "1"]]), Queued([t1 |-> [b |-> "2"]]), Queued([t1 |-> [a |-> "3"]]), Queued([t1 |-> [a |-> "4"]]) >>
DependentRollback == << Queued([t1 |-> [a |-> "1"]]), Queued([t1 |-> [b |-> "2"]]), RollBack(2, "target"), RollBack(1, "path") >>
\* t2 may be gone for good: what concerns t1 alone must go on.
Bystander == << Atomic([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]]), Queued([t1 |-> [a |-> "2"], t2 |-> [a |-> "2"]]), Atomic([t1 |-> [a |-> "3"]]) >>
\* One change after the other, which a device may dislike.
Steps == << Queued([t1 |-> [a |-> "1"]]), Queued([t1 |-> [b |-> "bad"]]), Atomic([t1 |-> [b |-> "3"]]) >>
StepsA == << Queued([t1 |-> [a |-> "1"]]), Queued([t1 |-> [b |-> "2"]]), Atomic([t1 |-> [b |-> "3"]]) >>
RewrittenScript == << Queued([t1 |-> [a |-> "1"]]), Queued([t1 |-> [b |-> "2"]]), Atomic([t1 |-> [a |-> "3"]]) >>
Clients == << Async(Atomic([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]])), Async(Queued([t1 |-> [a |-> "2"], t2 |-> [a |-> "2"]])), RollBack(1, "path") >>
\* A rollback of one target only, then of the rest; and all the refusals.
Piecemeal == << Atomic([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]]), Only(RollBack(1, "target"), {"t1"}), RollBack(1, "target"), RollBack(1, "target") >>

---------------------------------------------------------------------------
\* SCENARIOS

Quiet(script) == [
  script |-> script, inLog |-> Len(script), anyOrder |-> FALSE,
  rejects |-> FALSE, latePending |-> FALSE, deadline |-> "unreachable", cancels |-> {}, needs |-> {},
  refuses |-> {}, refusesUndo |-> {}, dislikes |-> {}, picky |-> {}, resyncRefusals |-> 0, rewrites |-> Empty,
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
PathRb == [Quiet(QueuedRollback) EXCEPT !.refuses = Both, !.cancels = {1, 3}]
PathRbCut == [Quiet(QueuedRollback) EXCEPT !.refuses = Both, !.refusesUndo = {"t2"}, !.cuts = {"t1"}, !.terms = 2]
MixedRb == [Quiet(MixedRollback) EXCEPT !.refuses = Both, !.cuts = {"t1"}, !.terms = 2, !.deadline = "any"]
Needy == {<<"b", "a">>}
DependentRun == [Quiet(Dependent) EXCEPT !.needs = Needy, !.refuses = Both, !.cancels = {1, 2}, !.cuts = {"t1"}, !.terms = 2]
DependentChainRun == [Quiet(DependentChain) EXCEPT !.needs = Needy, !.refuses = {"t1"}, !.cancels = {1, 2, 3}]
DependentRbRun == [Quiet(DependentRollback) EXCEPT !.needs = Needy, !.refuses = {"t1"}, !.cancels = {1, 2}, !.cuts = {"t1"}, !.terms = 2]
Gone == [Quiet(Bystander) EXCEPT !.refuses = {"t1"}, !.stops = {"t2"}, !.restarts = 1, !.silent = {"t2"}, !.gone = {"t2"}]
Bad == [Quiet(Steps) EXCEPT !.dislikes = {"bad"}, !.resyncRefusals = 1, !.stops = {"t1"}, !.restarts = 1]
Picky == [Quiet(StepsA) EXCEPT !.picky = {"t1"}, !.stops = {"t1"}, !.restarts = 1, !.boot = {Absent, "1"}, !.cancels = {3}, !.inLog = 0]
Rewriting == [Quiet(RewrittenScript) EXCEPT !.rewrites = ("2" :> "2!") @@ ("3" :> "3!"), !.cuts = {"t1"}, !.terms = 2, !.stops = {"t1"}, !.restarts = 1, !.refuses = {"t1"}, !.boot = {Absent, "2"}]
Reading == [Quiet(TwoAtomic) EXCEPT !.reads = TRUE, !.refuses = Both, !.deadline = "any"]
ReadingRb == [Quiet(Clients) EXCEPT !.reads = TRUE, !.refuses = Both]
Answering == [Quiet(Clients) EXCEPT !.answers = TRUE, !.refuses = Both, !.crashes = 1]
PiecemealRun == [Quiet(Piecemeal) EXCEPT !.refuses = Both, !.deadline = "any"]
SubmitRun == [Quiet(MixedScript) EXCEPT !.inLog = 0, !.anyOrder = TRUE, !.latePending = TRUE, !.cancels = {1, 2, 3}, !.refuses = {"t1"}]
Nodes == Permutations(Node)
=============================================================================
