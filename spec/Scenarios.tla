----------------------------- MODULE Scenarios -----------------------------
(***************************************************************************)
(* The runs: a script of transactions, and what may go wrong.  Each .cfg   *)
(* file names one scenario, the number of nodes, and what must hold.       *)
(***************************************************************************)
EXTENDS Landmarks

NodesAlike == Permutations(Node)    \* for runs without liveness
Both  == {"t1", "t2"}

---------------------------------------------------------------------------
\* BODIES

Atomic(s) == [kind |-> "Change", atomic |-> TRUE, sync |-> TRUE, set |-> s,
              of |-> 0, rule |-> None, named |-> {}, window |-> FALSE]
Queued(s) == [Atomic(s) EXCEPT !.atomic = FALSE]
RollBack(k, rule) == [Atomic(Empty) EXCEPT !.kind = "Rollback", !.of = k, !.rule = rule]
RestoreTo(k) == [Atomic(Empty) EXCEPT !.kind = "Restore", !.of = k]
Only(e, T) == [e EXCEPT !.named = T]           \* a Rollback or Restore that names its targets
InQueue(e) == [e EXCEPT !.atomic = FALSE]        \* a Restore that is queued
Async(e) == [e EXCEPT !.sync = FALSE]
AboutTarget(kind, t) == [Atomic([u \in {t} |-> Empty]) EXCEPT !.kind = kind]   \* Add, Rebind, Remove
Confirmed(e) == [e EXCEPT !.window = TRUE]     \* taken out again unless it is confirmed

---------------------------------------------------------------------------
\* WHAT MAY GO WRONG: nothing, unless a scenario says so.

Quiet(script) == [
  script   |-> script,
  inLog    |-> Len(script),      \* how many of them are in the log from the start
  anyOrder |-> FALSE,            \* clients may submit the others in any order
  wide     |-> {},               \* items with more targets than one write holds
  keeps    |-> 0,                \* how many of the latest entries are kept (0: all)
  tried    |-> {},               \* items that are tried on all their devices first

  rejects     |-> FALSE,         \* validation may fail for any reason
  needs       |-> {},            \* <<b, a>>: path b may be set only while path a is
  rebound     |-> {},            \* the same for a target that is bound anew
  cancels     |-> {},            \* items that may be cancelled, at any moment
  confirms    |-> {},            \* items with a window that may be confirmed
  latePending |-> FALSE,         \* the deadline of a Pending entry may pass
  deadline    |-> "unreachable", \* that of an atomic one: while a target is unreachable, or at "any" moment

  refuses        |-> {},         \* devices that may refuse a proposal
  refusesUndo    |-> {},         \* ... an undo
  resyncRefusals |-> 0,          \* how often resyncs may be refused
  dislikes       |-> {},         \* values that every device always refuses
  picky          |-> {},         \* devices that after a restart take no resync on its own
  rewrites       |-> Empty,      \* value -> what devices make of it

  cuts     |-> {},               \* devices whose connection may be lost ...
  shares   |-> {},               \* devices that may be handed over ...
  terms    |-> 1,                \* ... as long as their term is below this
  crashes  |-> 0,                \* how many processes may crash
  expiries |-> 0,                \* how many leases may end under a running process
  strays   |-> 0,                \* how many Sets may hang, or be abandoned, and arrive later
  stepwise |-> FALSE,            \* a resync claims, reads and sends in separate steps

  timers   |-> 0,                \* how often a device may take back a trial by itself
  stops    |-> {},               \* devices that may stop
  restarts |-> 0,                \* how often
  silent   |-> {},               \* without their connections breaking at once
  gone     |-> {},               \* possibly for good
  boot     |-> {Absent},         \* what a path may hold after a restart

  own      |-> Empty,            \* device -> what it has when it is first met
  tampered |-> {},               \* paths that somebody else may change on a device ...
  tampers  |-> 0,                \* ... how often
  drift    |-> "report",         \* it is left so, or "enforce": changed back, or "adopt": adopted
  adopts   |-> 0,                \* how often operators have a device adopted
  usurpers |-> 0,                \* how often somebody else becomes the master of a device ...
  foreign  |-> 0,                \* ... with this election id
  claims   |-> 0,                \* how often operators claim one

  operated |-> {},               \* devices that operators may want left alone ...
  orders   |-> 0,                \* ... how often

  reads    |-> FALSE,            \* there is a reader
  answers  |-> FALSE]            \* clients wait for answers

---------------------------------------------------------------------------
\* ATOMIC TRANSACTIONS

\* An atomic change on two targets, then one that builds on one of them.
TwoAtomicScript == << Atomic([t1 |-> [a |-> "1", b |-> "1"], t2 |-> [a |-> "1"]]),
                Atomic([t1 |-> [a |-> "2"]]) >>
CalmRun == [Quiet(TwoAtomicScript) EXCEPT !.rejects = TRUE, !.refuses = Both, !.refusesUndo = Both, !.deadline = "any"]
RestartRun == [CalmRun EXCEPT !.rejects = FALSE, !.stops = {"t1"}, !.restarts = 1, !.cuts = {"t1"}, !.terms = 2]

\* The same tried first, from two targets up: refused, late, or taken back by a device; a connection that is lost, a
\* node that crashes, a device that restarts or is gone for good; and what hangs and lands later.
TryRun == [Quiet(TwoAtomicScript) EXCEPT !.tried = {1}, !.refuses = Both, !.deadline = "any", !.timers = 1,
           !.cuts = {"t1"}, !.terms = 2]
TryCrashRun == [TryRun EXCEPT !.refuses = {"t2"}, !.timers = 0, !.crashes = 1]
TryGoneRun == [Quiet(TwoAtomicScript) EXCEPT !.tried = {1}, !.stops = {"t2"}, !.restarts = 1, !.gone = {"t2"}]
TryAlwaysScript == << Atomic([t1 |-> [a |-> "1"]]), Atomic([t1 |-> [a |-> "2"]]) >>
TryLateRun == [Quiet(TryAlwaysScript) EXCEPT !.tried = {1, 2}, !.strays = 1, !.stepwise = TRUE, !.deadline = "any",
               !.timers = 1, !.stops = {"t1"}, !.restarts = 1, !.boot = {Absent, "1"}]

\* One target, an atomic delete over an atomic set, and every fault of nodes and connections.
OneAtomicScript == << Atomic([t1 |-> [a |-> "1", b |-> "1"]]), Atomic([t1 |-> [a |-> Absent]]) >>
OneCalmRun == [Quiet(OneAtomicScript) EXCEPT !.refuses = {"t1"}, !.refusesUndo = {"t1"}, !.deadline = "any"]
OneRun     == [OneCalmRun EXCEPT !.cuts = {"t1"}, !.terms = 2, !.crashes = 1, !.stops = {"t1"}, !.restarts = 1]
CrashRun   == [OneCalmRun EXCEPT !.crashes = 1, !.cuts = {"t1"}, !.terms = 2]
StaleRun   == [OneCalmRun EXCEPT !.expiries = 1, !.cuts = {"t1"}, !.terms = 2]
\* Sets that hang and arrive late: while another node takes over, or after the device restarted.
LateRun == [OneCalmRun EXCEPT !.strays = 1, !.expiries = 1, !.stepwise = TRUE, !.refusesUndo = {}]
LateRestartRun == [LateRun EXCEPT !.expiries = 0, !.stops = {"t1"}, !.restarts = 1]

---------------------------------------------------------------------------
\* QUEUED TRANSACTIONS

\* Three queued writers of one path, any of which may be withdrawn.
ChainScript == << Queued([t1 |-> [a |-> "1", b |-> "1"]]),
                  Queued([t1 |-> [a |-> "2"]]),
                  Queued([t1 |-> [a |-> Absent]]) >>
ChainRun  == [Quiet(ChainScript) EXCEPT !.refuses = {"t1"}, !.cuts = {"t1"}, !.terms = 2,
                                     !.stops = {"t1"}, !.restarts = 1, !.boot = {Absent, "1"}]
CancelRun == [Quiet(ChainScript) EXCEPT !.refuses = {"t1"}, !.cuts = {"t1"}, !.terms = 2, !.cancels = {1, 2, 3}]

\* Queued work that waits under an atomic change that may turn.
MixedScript == << Queued([t1 |-> [a |-> "1"]]),
                  Atomic([t1 |-> [a |-> "2", b |-> "2"], t2 |-> [a |-> "2"]]),
                  Queued([t1 |-> [a |-> "3"]]) >>
MixedRun   == [Quiet(MixedScript) EXCEPT !.refuses = Both, !.deadline = "any", !.cuts = {"t1"}, !.terms = 2,
                                      !.stops = {"t1"}, !.restarts = 1]
CancelAtomicRun == [Quiet(MixedScript) EXCEPT !.refuses = Both, !.cuts = {"t1"}, !.terms = 2, !.cancels = {1, 2, 3}]

\* The same three, submitted in any order, some of them given up before they are decided.
SubmitRun == [Quiet(MixedScript) EXCEPT !.inLog = 0, !.anyOrder = TRUE, !.latePending = TRUE, !.cancels = {1, 2},
                                      !.refuses = {"t1"}]

---------------------------------------------------------------------------
\* ROLLBACKS

\* An atomic change on two targets and its rollback.
RollbackScript == << Atomic([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]]), RollBack(1, "target") >>
RollbackRun == [Quiet(RollbackScript) EXCEPT !.refuses = Both, !.refusesUndo = Both, !.rejects = TRUE,
                                             !.deadline = "any", !.cuts = {"t1"}, !.terms = 2]
HandoverRun  == [Quiet(RollbackScript) EXCEPT !.refuses = {"t2"}, !.expiries = 1]
HandedOverRun == [Quiet(RollbackScript) EXCEPT !.refuses = {"t2"}, !.shares = {"t1"}, !.cuts = {"t1"}, !.terms = 2]

\* Queued on two targets, so perhaps withdrawn on one; then rolled back from under a later change.
RollbackPathScript == << Queued([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]]),
                         Queued([t1 |-> [b |-> "2"]]),
                         RollBack(1, "path") >>
RollbackPathRun == [Quiet(RollbackPathScript) EXCEPT !.refuses = Both, !.cancels = {1, 3}]
RollbackCutRun  == [Quiet(RollbackPathScript) EXCEPT !.refuses = Both, !.cuts = {"t1"}, !.terms = 2]

\* Queued work under a rollback, and after it.
RollbackMixedScript == << Queued([t1 |-> [a |-> "1"]]),
                          Queued([t1 |-> [a |-> "2"], t2 |-> [a |-> "2"]]),
                          RollBack(2, "target"),
                          Queued([t1 |-> [a |-> "3"]]) >>
RollbackMixedRun == [Quiet(RollbackMixedScript) EXCEPT !.refuses = {"t1"}, !.deadline = "any",
                                                       !.cuts = {"t1"}, !.terms = 2]

\* Rolled back on one target, then on the rest, then once more.
PiecemealScript == << Atomic([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]]),
                      Only(RollBack(1, "target"), {"t1"}),
                      RollBack(1, "target"),
                      RollBack(1, "target") >>
PiecemealRun == [Quiet(PiecemealScript) EXCEPT !.refuses = Both, !.deadline = "any", !.reads = TRUE]

\* A delete under another that finds nothing any more: rolled back by path only once that is gone.
TwiceScript == << Atomic([t1 |-> [a |-> "1"]]),
                  Atomic([t1 |-> [a |-> Absent]]),
                  Atomic([t1 |-> [a |-> Absent]]),
                  RollBack(2, "path"),
                  RollBack(3, "path"),
                  RollBack(2, "path") >>
TwiceRun == [Quiet(TwiceScript) EXCEPT !.refuses = {"t1"}]

\* Every reason to refuse one.
RefusalScript == << Queued([t1 |-> [a |-> "1"]]),
                    Queued([t1 |-> [b |-> "2"]]),
                    RollBack(1, "target"),                       \* superseded
                    RollBack(1, "path"),
                    RollBack(1, "path"),                         \* live nowhere
                    RollBack(4, "path"),                         \* not a change
                    RollBack(99, "path") >>                      \* unknown
RefusalRun == [Quiet(RefusalScript) EXCEPT !.rejects = TRUE, !.refuses = {"t1"}]

---------------------------------------------------------------------------
\* RESTORES

\* Two targets taken back to an earlier entry, and that taken back in turn.
RestoreScript == << Atomic([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]]),
                    Atomic([t1 |-> [a |-> "2", b |-> "2"]]),
                    Only(RestoreTo(1), Both),
                    RollBack(3, "target") >>
RestoreRun == [Quiet(RestoreScript) EXCEPT !.refuses = Both, !.refusesUndo = {"t1"}]
\* A change that a later Restore found as it wanted it: rolled back by path only once that is gone.
RestoredScript == << Atomic([t1 |-> [a |-> "1"]]),
                     Atomic([t1 |-> [b |-> "2"]]),
                     Only(RestoreTo(1), {"t1"}),
                     RollBack(1, "path"),
                     RollBack(3, "target"),
                     RollBack(1, "path") >>
RestoredRun == [Quiet(RestoredScript) EXCEPT !.refuses = {"t1"}]

\* Queued Restores behind work that may be withdrawn: below, at and above their entry.
ReturnScript == << Queued([t1 |-> [a |-> "1"]]),
                   Queued([t1 |-> [a |-> "2", b |-> "2"]]),
                   Queued([t1 |-> [a |-> Absent]]),
                   InQueue(RestoreTo(2)),
                   InQueue(RestoreTo(1)) >>
ReturnRun == [Quiet(ReturnScript) EXCEPT !.refuses = {"t1"}, !.cancels = {1, 2}]
\* A Restore that is rolled back before it is applied.
ReturnRollbackScript == << Queued([t1 |-> [a |-> "1"]]),
                           Queued([t1 |-> [a |-> "2"]]),
                           Queued([t1 |-> [a |-> "3"]]),
                           InQueue(RestoreTo(1)),
                           RollBack(4, "path") >>
ReturnRollbackRun == [Quiet(ReturnRollbackScript) EXCEPT !.refuses = {"t1"}, !.cancels = {3, 4}]
\* To before a Rollback; to what is not there.
PastScript == << Queued([t1 |-> [a |-> "1"]]),
                 Atomic([t1 |-> [a |-> "2", b |-> "2"]]),
                 RollBack(2, "target"),
                 RestoreTo(2),
                 Only(RestoreTo(99), {"t1"}) >>
PastRun == [Quiet(PastScript) EXCEPT !.refuses = {"t1"}, !.deadline = "any", !.cuts = {"t1"}, !.terms = 2]

---------------------------------------------------------------------------
\* VALID NO MORE: b may be set only while a is.

Needs == {<<"b", "a">>}
\* A queued and an atomic change that build on one which may be withdrawn.
DependentScript == << Queued([t1 |-> [a |-> "1"]]),
                      Queued([t1 |-> [b |-> "2"]]),
                      Atomic([t1 |-> [b |-> "3"], t2 |-> [a |-> "3"]]) >>
DependentRun == [Quiet(DependentScript) EXCEPT !.needs = Needs, !.refuses = {"t1"}, !.cancels = {1, 2},
                                               !.cuts = {"t1"}, !.terms = 2]
\* Four queued ones, to be cancelled while the others are checked again.
DependentChainScript == << Queued([t1 |-> [a |-> "1"]]),
                           Queued([t1 |-> [b |-> "2"]]),
                           Queued([t1 |-> [a |-> "3"]]),
                           Queued([t1 |-> [a |-> "4"]]) >>
DependentChainRun == [Quiet(DependentChainScript) EXCEPT !.needs = Needs, !.refuses = {"t1"}, !.cancels = {1, 2, 3}]
\* A Rollback behind it; and one that would itself leave b without a.
DependentRollbackScript == << Queued([t1 |-> [a |-> "1"]]),
                              Queued([t1 |-> [b |-> "2"]]),
                              RollBack(2, "target"),
                              RollBack(1, "path") >>
DependentRollbackRun == [Quiet(DependentRollbackScript) EXCEPT !.needs = Needs, !.refuses = {"t1"}, !.cancels = {1, 2},
                                                               !.cuts = {"t1"}, !.terms = 2]

---------------------------------------------------------------------------
\* MORE TARGETS THAN ONE WRITE HOLDS: where that is one, two are too many.

\* An atomic one: refused, late, its node gone between any two of its writes.
WideScript == << Atomic([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]]), Queued([t1 |-> [a |-> "2"]]) >>
WideRun == [Quiet(WideScript) EXCEPT !.wide = {1}, !.rejects = TRUE, !.refuses = Both, !.deadline = "any",
                                     !.latePending = TRUE, !.cancels = {1}]
WideCrashRun == [Quiet(WideScript) EXCEPT !.wide = {1}, !.refuses = {"t2"}, !.crashes = 1]
\* What it is prepared on may be withdrawn before it is decided.
WideDisturbedScript == << Queued([t1 |-> [a |-> "1"]]), Atomic([t1 |-> [b |-> "2"], t2 |-> [a |-> "2"]]) >>
WideDisturbedRun == [Quiet(WideDisturbedScript) EXCEPT !.wide = {2}, !.needs = Needs, !.refuses = {"t1"},
                                                       !.cancels = {1}]
\* A queued one and its rollback, itself wide; others behind them.
WideRollbackScript == << Queued([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]]),
                         RollBack(1, "target"),
                         Queued([t1 |-> [b |-> "3"]]) >>
WideRollbackRun == [Quiet(WideRollbackScript) EXCEPT !.wide = {1, 2}, !.refuses = Both, !.cancels = {1}]

---------------------------------------------------------------------------
\* CONFIRM WINDOWS

\* A change with a window behind a queued one, and a change that has to wait for its end.
WindowScript == << Queued([t1 |-> [a |-> "1"]]),
                   Confirmed(Atomic([t1 |-> [a |-> "2", b |-> "2"]])),
                   Atomic([t1 |-> [a |-> "3"]]) >>
WindowRun == [Quiet(WindowScript) EXCEPT !.inLog = 2, !.confirms = {2}, !.cancels = {2},
                !.refuses = {"t1"}, !.cuts = {"t1"}, !.terms = 2]
\* The node that took it in may be gone when its time has run out.
ExpiryRun == [Quiet(<< Confirmed(Atomic([t1 |-> [a |-> "1"]])) >>) EXCEPT !.inLog = 0, !.confirms = {1},
                !.refuses = {"t1"}, !.crashes = 1]
\* Two targets, one of which may never come back.
UnconfirmedScript == << Confirmed(Atomic([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]])), Queued([t1 |-> [b |-> "2"]]) >>
UnconfirmedRun == [Quiet(UnconfirmedScript) EXCEPT !.inLog = 1, !.refuses = {"t1"},
                     !.stops = {"t2"}, !.restarts = 1, !.silent = {"t2"}, !.gone = {"t2"}]

---------------------------------------------------------------------------
\* PAUSED TARGETS

\* A device is left alone at any moment: under an atomic and a queued change, and during a resync.
PausedScript == << Atomic([t1 |-> [a |-> "1"]]), Queued([t1 |-> [a |-> "2"]]) >>
PausedRun == [Quiet(PausedScript) EXCEPT !.operated = {"t1"}, !.orders = 1, !.refuses = {"t1"}, !.stepwise = TRUE,
                                         !.cuts = {"t1"}, !.terms = 2, !.stops = {"t1"}, !.restarts = 1]
\* One of two is paused when a window ends.
PausedWindowRun == [Quiet(UnconfirmedScript) EXCEPT !.inLog = 1, !.operated = {"t2"}, !.orders = 1, !.refuses = {"t1"}]

---------------------------------------------------------------------------
\* WHAT DEVICES HAVE OF THEIR OWN

\* First met under a queued change, an open one and a Rollback.
MetScript == << Queued([t1 |-> [a |-> "1"]]),
                Atomic([t1 |-> [a |-> "2", b |-> "2"]]),
                RollBack(1, "path") >>
MetRun == [Quiet(MetScript) EXCEPT !.own = [t1 |-> [a |-> "own"]], !.refuses = {"t1"}, !.stepwise = TRUE,
                                   !.cuts = {"t1"}, !.terms = 2]
\* What was decided before may not be valid on top of what the device has.
MetInvalidScript == << Queued([t1 |-> [a |-> Absent]]),
                       Queued([t1 |-> [a |-> Absent, b |-> Absent]]),
                       Queued([t1 |-> [a |-> "3"]]) >>
MetInvalidRun == [Quiet(MetInvalidScript) EXCEPT !.own = [t1 |-> [a |-> "own", b |-> "own"]], !.needs = Needs,
                                                 !.refuses = {"t1"}, !.cancels = {2}]
\* A Restore to before everything that waits: to what the device had all along.
MetRestoreScript == << Queued([t1 |-> [b |-> "1"]]),
                       Queued([t1 |-> [a |-> "2", b |-> "2"]]),
                       InQueue(RestoreTo(1)) >>
MetRestoreRun == [Quiet(MetRestoreScript) EXCEPT !.own = [t1 |-> [a |-> "own"]], !.cancels = {1, 2}, !.refuses = {"t1"}]
\* ... under what is prepared, of more targets than one write holds.
MetWideRun == [Quiet(<< Atomic([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]]) >>) EXCEPT !.wide = {1},
                                   !.own = [t1 |-> [a |-> "own"]], !.refuses = {"t2"}]
\* Changed by somebody else, whatever is under way; adopted, and that taken back; or lost in a restart.
AdoptedScript == << Queued([t1 |-> [a |-> "1", b |-> "1"]]),
                    Atomic([t1 |-> [b |-> "2"]]),
                    RollBack(0, "target") >>
AdoptedRun == [Quiet(AdoptedScript) EXCEPT !.inLog = 1, !.drift = "adopt", !.tampered = {"a"}, !.tampers = 1,
                                           !.refuses = {"t1"}, !.stops = {"t1"}, !.restarts = 1]
\* ... while a change is to be confirmed; and it is an operator who orders it.
TamperedRun == [Quiet(<< Confirmed(Atomic([t1 |-> [a |-> "1"]])) >>) EXCEPT !.tampered = {"a"}, !.tampers = 1, !.adopts = 1,
                  !.confirms = {1}, !.refuses = {"t1"}, !.stops = {"t1"}, !.restarts = 1]
\* Changed back, which the device may refuse for a while.
EnforcedScript == << Atomic([t1 |-> [a |-> "1"]]), Queued([t1 |-> [b |-> "2"]]) >>
EnforcedRun == [Quiet(EnforcedScript) EXCEPT !.drift = "enforce", !.tampered = {"a"}, !.tampers = 1, !.resyncRefusals = 1,
                                             !.refuses = {"t1"}]

---------------------------------------------------------------------------
\* TARGETS THAT COME AND GO

\* A target goes while changes are open and queued on it.
RemovedScript == << Queued([t1 |-> [a |-> "1"]]),
                    Atomic([t1 |-> [a |-> "2", b |-> "2"]]),
                    AboutTarget("Remove", "t1"),
                    Queued([t1 |-> [a |-> "3"]]) >>
RemovedRun == [Quiet(RemovedScript) EXCEPT !.refuses = {"t1"}, !.deadline = "any", !.cuts = {"t1"}, !.terms = 2]
\* It comes again by the same name, with a Set of the old one still on its way.
AddedAgainScript == << Queued([t1 |-> [a |-> "1", b |-> "1"]]),
                       AboutTarget("Remove", "t1"),
                       AboutTarget("Add", "t1"),
                       RollBack(1, "target"),
                       Atomic([t1 |-> [a |-> "2"]]) >>
AddedAgainRun == [Quiet(AddedAgainScript) EXCEPT !.refuses = {"t1"}, !.strays = 1, !.stepwise = TRUE]
\* One of two goes; what they share goes on at the other, and is rolled back there.
SharedScript == << Queued([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]]),
                   AboutTarget("Remove", "t1"),
                   RollBack(1, "target") >>
SharedRun == [Quiet(SharedScript) EXCEPT !.refuses = Both]
\* Bound to models by which b needs a, with b alone or both of them applied or waiting.
ReboundScript == << Queued([t1 |-> [b |-> "1"]]),
                    Queued([t1 |-> [a |-> "2"]]),
                    AboutTarget("Rebind", "t1"),
                    Queued([t1 |-> [a |-> Absent]]) >>
ReboundRun == [Quiet(ReboundScript) EXCEPT !.rebound = Needs, !.refuses = {"t1"}, !.cancels = {1, 2}]

---------------------------------------------------------------------------
\* DEVICES THAT LISTEN TO SOMEBODY ELSE

\* At any moment, also while something is under way; claimed at any moment too, or never.
ClaimedScript == << Atomic([t1 |-> [a |-> "1"]]), Queued([t1 |-> [a |-> "2"]]) >>
ClaimedRun == [Quiet(ClaimedScript) EXCEPT !.usurpers = 1, !.foreign = 5, !.claims = 1, !.refuses = {"t1"},
                                           !.strays = 1, !.stepwise = TRUE]

---------------------------------------------------------------------------
\* A LOG OF WHICH ONLY THE END IS KEPT

\* Rolled back, restored to, in a window; and what lies behind.
HorizonScript == << Atomic([t1 |-> [a |-> "1"]]),
                    Atomic([t1 |-> [b |-> "2"]]),
                    RollBack(2, "target"),
                    Confirmed(Atomic([t1 |-> [b |-> "4"]])),
                    Atomic([t1 |-> [a |-> "5"]]),
                    RestoreTo(4),
                    RollBack(1, "target"),
                    Atomic([t1 |-> [b |-> "8"]]) >>
HorizonRun == [Quiet(HorizonScript) EXCEPT !.inLog = 2, !.keeps = 2, !.confirms = {4}]
\* Queued work that the horizon passes before it is applied, or withdrawn.
QueueBeyondScript == << Queued([t1 |-> [a |-> "1"]]),
                        Queued([t1 |-> [a |-> "2"]]),
                        Queued([t1 |-> [a |-> "3"]]) >>
QueueBeyondRun == [Quiet(QueueBeyondScript) EXCEPT !.inLog = 2, !.keeps = 1, !.refuses = {"t1"}, !.cancels = {1}]
\* A change of two targets that is rolled back on one, and is what the other goes back to.
SillScript == << Atomic([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]]),
                 Only(RollBack(1, "target"), {"t1"}),
                 Confirmed(Atomic([t1 |-> [a |-> "3"]])),
                 Atomic([t2 |-> [b |-> "4"]]),
                 RollBack(4, "target"),
                 Atomic([t2 |-> [b |-> "6"]]) >>
SillRun == [Quiet(SillScript) EXCEPT !.inLog = 1, !.keeps = 1]
\* Absences: let go of, brought back by an undo, gone back by.
AbsencesScript == << Atomic([t1 |-> [a |-> "1", b |-> "1"]]),
                     Atomic([t1 |-> [a |-> Absent]]),
                     Atomic([t1 |-> [a |-> "3"]]),
                     Atomic([t1 |-> [b |-> Absent]]),
                     RollBack(3, "path"),
                     RestoreTo(4),
                     Atomic([t1 |-> [b |-> "7"]]) >>
AbsencesRun == [Quiet(AbsencesScript) EXCEPT !.inLog = 2, !.keeps = 2]
\* Absences that are not recorded, or lie below what is queued.
AbsencesQueuedScript == << Queued([t1 |-> [a |-> "1"]]),
                           Queued([t1 |-> [a |-> Absent]]),
                           Queued([t1 |-> [a |-> "3"]]),
                           Queued([t1 |-> [b |-> "4"]]) >>
AbsencesQueuedRun == [Quiet(AbsencesQueuedScript) EXCEPT !.inLog = 2, !.keeps = 1, !.refuses = {"t1"}]

---------------------------------------------------------------------------
\* DEVICES THAT MISBEHAVE

\* t2 falls silent, possibly for good: what concerns t1 alone goes on.
BystanderScript == << Atomic([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]]),
                      Queued([t1 |-> [a |-> "2"], t2 |-> [a |-> "2"]]),
                      Atomic([t1 |-> [a |-> "3"]]) >>
GoneRun == [Quiet(BystanderScript) EXCEPT !.refuses = {"t1"},
                                          !.stops = {"t2"}, !.restarts = 1, !.silent = {"t2"}, !.gone = {"t2"}]

\* A resync that is refused for a while, and a change that is refused always.
DislikedScript == << Queued([t1 |-> [a |-> "1"]]), Queued([t1 |-> [b |-> "bad"]]), Queued([t1 |-> [b |-> "3"]]) >>
ResyncRefusedRun == [Quiet(DislikedScript) EXCEPT !.dislikes = {"bad"}, !.resyncRefusals = 2, !.cancels = {2},
                                                  !.stops = {"t1"}, !.restarts = 1, !.boot = {Absent, "3"}]
\* A device that takes its resync only together with the next change.
PickyScript == << Queued([t1 |-> [a |-> "1"]]), Queued([t1 |-> [b |-> "2"]]), Atomic([t1 |-> [b |-> "3"]]) >>
PickyRun == [Quiet(PickyScript) EXCEPT !.picky = {"t1"}, !.refuses = {"t1"}, !.cancels = {3},
                                       !.stops = {"t1"}, !.restarts = 1, !.boot = {Absent, "1"}]
\* A device that makes something else of 2 and 3.
RewriteScript == << Queued([t1 |-> [a |-> "1"]]), Queued([t1 |-> [b |-> "2"]]), Atomic([t1 |-> [a |-> "3"]]) >>
RewritingRun == [Quiet(RewriteScript) EXCEPT !.rewrites = ("2" :> "2!") @@ ("3" :> "3!"), !.refuses = {"t1"},
                   !.cuts = {"t1"}, !.terms = 2, !.stops = {"t1"}, !.restarts = 1, !.boot = {Absent, "2"}]

---------------------------------------------------------------------------
\* CLIENTS

\* An atomic change, a queued one and a rollback, watched by a reader of both targets.
WatchedScript == << Atomic([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]]),
                    Queued([t1 |-> [a |-> "2"]]),
                    RollBack(1, "path") >>
ReaderRun == [Quiet(WatchedScript) EXCEPT !.reads = TRUE, !.refuses = Both, !.deadline = "any", !.cancels = {2}]

\* Clients that wait for the outcome, and clients that do not.
ToldScript == << Async(Atomic([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]])),
                 Async(Queued([t1 |-> [a |-> "2"]])),
                 RollBack(1, "path") >>
AnswerRun == [Quiet(ToldScript) EXCEPT !.answers = TRUE, !.refuses = {"t1"}, !.crashes = 1]

---------------------------------------------------------------------------
\* EVERYTHING AT ONCE: far too much to visit every state; for random walks.

LongScript == << Queued([t1 |-> [a |-> "1"], t2 |-> [a |-> "1"]]),
                 Queued([t1 |-> [b |-> "2"]]),
                 Atomic([t1 |-> [a |-> "3", b |-> "3"], t2 |-> [a |-> "3"]]),
                 RollBack(1, "path"),
                 RollBack(2, "target"),
                 Queued([t1 |-> [a |-> "6"], t2 |-> [b |-> "6"]]),
                 Only(RollBack(6, "path"), {"t2"}),
                 Atomic([t2 |-> [a |-> Absent]]) >>
EverythingRun ==
  [Quiet(LongScript) EXCEPT
     !.inLog = 0, !.anyOrder = TRUE, !.needs = Needs, !.cancels = {1, 2, 3, 6}, !.deadline = "any",
     !.refuses = Both, !.refusesUndo = Both, !.resyncRefusals = 2, !.rewrites = ("2" :> "2!") @@ ("3" :> "3!"),
     !.cuts = Both, !.terms = 4, !.crashes = 1, !.expiries = 1, !.strays = 2, !.stepwise = TRUE,
     !.stops = Both, !.restarts = 2, !.silent = {"t2"}, !.boot = {Absent, "1"}, !.reads = TRUE, !.answers = TRUE]
=============================================================================
