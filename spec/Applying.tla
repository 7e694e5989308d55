------------------------------ MODULE Applying ------------------------------
(***************************************************************************)
(* The master of a target and its device.  A write to a device is three    *)
(* steps: SEND (the Set leaves the node), DELIVER (the device takes it     *)
(* whole or refuses it whole) and RECORD (the answer is written to the     *)
(* store).  Anything can happen between two of them: a crash, a lost       *)
(* connection, a new master, a turn, a cancel.                             *)
(***************************************************************************)
EXTENDS Adopting

\* A node writes to a device only on the connection it won its term on, one
\* request at a time, while the target is there, and unless operators want it
\* left alone or claimed: what was dropped for a claim may still land in this term.
Usable(n, t) == belief[n][t].term > 0 /\ link[n][t].up /\ link[n][t].id = belief[n][t].link
Ready(n, t)  == Usable(n, t) /\ request[n][t] = Idle /\ Bound(t) /\ ~config[t].paused
                /\ config[t].claim <= belief[n][t].term
InSync(n, t) == config[t].synced = belief[n][t].term

Send(n, t, what, i, delta) ==
  request' = [request EXCEPT ![n][t] =
    [stage |-> "sent", what |-> what, i |-> i, delta |-> delta, term |-> belief[n][t].term]]

---------------------------------------------------------------------------
\* PROPOSALS

\* What the device is sent for i: only the paths of i, as they will stand.
Push(i, t) == LET units == With(i, t, config[t].applied).units IN [p \in Paths(i, t) |-> units[p].value]

\* The head of the apply queue, unless it has to be validated again first.
Sendable(t) == LET i == ApplyHead(t) IN
  /\ i # 0 /\ ~NothingToSend(i, t)
  /\ i <= config[t].recheck

SendProposal(n, t) ==
  /\ Ready(n, t) /\ InSync(n, t) /\ Sendable(t)
  /\ Send(n, t, IF log[ApplyHead(t)].trial THEN "try" ELSE "apply", ApplyHead(t), Push(ApplyHead(t), t))
  /\ UNCHANGED <<store, masters, nodes, device, stray, faults, clients, kept>>

---------------------------------------------------------------------------
\* UNDO

AfterUndo(i, t) == IF log[i].proposal[t] = "Applied" THEN Without(i, t, config[t].applied) ELSE config[t].applied
UndoPush(i, t) == LET units == AfterUndo(i, t).units IN [p \in Paths(i, t) |-> units[p].value]

\* Rule 3: to every target that may have received i, known or not.
SendUndo(n, t) ==
  \E i \in UndoQueue(t) :
    /\ Ready(n, t) /\ InSync(n, t) /\ MaybeSent(i, t)
    /\ IF log[i].trial THEN Send(n, t, "cancel", i, Empty) ELSE Send(n, t, "undo", i, UndoPush(i, t))
    /\ UNCHANGED <<store, masters, nodes, device, stray, faults, clients, kept>>

RecordUndone(i, t, synced, trial) ==
  Write([log EXCEPT ![i].proposal[t] = "Undone"],
        [config EXCEPT ![t].trial = trial,
                       ![t].applied = [AfterUndo(i, t) EXCEPT !.index = IF MaybeSent(i, t) THEN i ELSE @],
                       ![t].synced = synced])

\* Rule 4: where i was never sent, or the target is not synchronised, in the
\* store alone; the resync that has to come first brings it to the device.  By
\* the master while it has nothing outstanding (so never beside a resync), or
\* by any node while there is no master.
UndoInStore(t) ==
  \E i \in UndoQueue(t) :
    /\ \/ ~HasMaster(t)
       \/ \E n \in Node : IsMaster(n, t) /\ request[n][t] = Idle /\ (~InSync(n, t) \/ ~MaybeSent(i, t))
    /\ RecordUndone(i, t, config[t].synced, config[t].trial)
    /\ UNCHANGED <<masters, nodes, request, device, stray, faults, clients, kept>>

---------------------------------------------------------------------------
\* RESYNC: claim (raise the device's election id, which shuts out every older
\* master), read, send the difference (rule 6).  It does not start while an
\* undo waits (rule 5), nor a revert or a confirm, which do not wait for it.
\* With the claim the last trial is kept or taken back, as the record says: it
\* is in the way of every other Set, and is not what the device holds.

\* A path is left alone if it is as wanted, if it already is what the head of
\* the apply queue will make it (no flap), or if this is what the device makes
\* of the wanted value (rule 8).
\* What is yet to be tried must not be there before.
Overlaid(t) == LET head == ApplyHead(t) IN IF head # 0 /\ log[head].trial THEN 0 ELSE head

LeftAlone(t, p, seen) ==
  LET want == config[t].applied.units[p].value
      head == Overlaid(t)
  IN \/ seen[p] = want
     \/ head # 0 /\ p \in Paths(head, t) /\ seen[p] = Push(head, t)[p]
     \/ config[t].rewritten[p] = <<want, seen[p]>>
Difference(t, seen) ==
  [p \in {q \in Path : ~LeftAlone(t, q, seen)} |-> config[t].applied.units[p].value]

\* The request remembers the head it looked at.  With nothing to send it is as
\* good as answered.  After a refusal, difference and head go as one Set (rule 8).
\* A device that has something of its own to be adopted is sent nothing.
SendDifference(n, t, seen) ==
  LET delta == Difference(t, seen)
      head  == Overlaid(t)
  IN IF DOMAIN ToAdopt(t, seen) # {}
     THEN request' = [request EXCEPT ![n][t] = [stage |-> "answered", what |-> "adopt", seen |-> seen,
                                                term |-> belief[n][t].term]]
     ELSE IF DOMAIN delta = {}
     THEN request' = [request EXCEPT ![n][t] = [stage |-> "answered", what |-> "sync", i |-> head, ok |-> TRUE,
                                                made |-> Empty, term |-> belief[n][t].term]]
     ELSE IF config[t].refused /\ head # 0 /\ Sendable(t)
     THEN Send(n, t, "both", head, [p \in DOMAIN delta \cup Paths(head, t) |->
                                      IF p \in Paths(head, t) THEN Push(head, t)[p] ELSE delta[p]])
     ELSE Send(n, t, "sync", head, delta)

MayClaim(n, t) ==
  /\ Ready(n, t) /\ ~InSync(n, t) /\ UndoQueue(t) = {} /\ RevertQueue(t) = {}
  /\ ConfirmQueue(t) = {} /\ Undecided(t) = {}
  /\ device[t].on /\ device[t].election <= belief[n][t].term
  /\ device[t].trial \in {0, config[t].trial}      \* one that landed late is waited out

\* A device keeps what it has on trial, or takes it back.
Ended(d, keeps) == [d EXCEPT !.trial = 0, !.before = Empty, !.values = IF keeps \/ d.trial = 0 THEN @ ELSE d.before]
Settles(d, i) == IF d.trial = i THEN Ended(d, Keeps(i)) ELSE d
Claimed(n, t) == [Settles(device[t], config[t].trial) EXCEPT !.election = belief[n][t].term]

\* In one step, where a scenario does not ask for more ...
Resync(n, t) ==
  /\ ~Run.stepwise /\ MayClaim(n, t)
  /\ device' = [device EXCEPT ![t] = Claimed(n, t)]
  /\ SendDifference(n, t, Claimed(n, t).values)
  /\ UNCHANGED <<store, masters, nodes, stray, faults, clients, kept>>

\* ... or in three.
Claim(n, t) ==
  /\ Run.stepwise /\ MayClaim(n, t)
  /\ device' = [device EXCEPT ![t] = Claimed(n, t)] \* the claim
  /\ request' = [request EXCEPT ![n][t] = [stage |-> "claimed", term |-> belief[n][t].term]]
  /\ UNCHANGED <<store, masters, nodes, stray, faults, clients, kept>>
Read(n, t) ==
  /\ request[n][t].stage = "claimed" /\ Usable(n, t) /\ device[t].on /\ Bound(t) /\ ~config[t].paused
  /\ request' = [request EXCEPT ![n][t] = [stage |-> "read", seen |-> device[t].values, term |-> @.term]]
  /\ UNCHANGED <<store, masters, nodes, device, stray, faults, clients, kept>>
SendRead(n, t) ==
  /\ request[n][t].stage = "read" /\ Usable(n, t) /\ Bound(t) /\ ~config[t].paused
  /\ SendDifference(n, t, request[n][t].seen)
  /\ UNCHANGED <<store, masters, nodes, device, stray, faults, clients, kept>>

---------------------------------------------------------------------------
\* THE DEVICE

\* What the device makes of a value.
Made(v) == IF v \in DOMAIN Run.rewrites THEN Run.rewrites[v] ELSE v
MadeOf(delta) == [p \in DOMAIN delta |-> Made(delta[p])]
Rewritten(delta) == [p \in {q \in DOMAIN delta : Made(delta[q]) # delta[q]} |-> <<delta[p], Made(delta[p])>>]

\* Whether it may, or must, refuse a Set.  A picky device takes no resync on
\* its own after a restart, only together with a new change.
MustRefuse(t, what, delta) ==
  \/ \E p \in DOMAIN delta : delta[p] \in Run.dislikes
  \/ what = "sync" /\ device[t].picky
  \/ device[t].trial # 0
MayRefuse(t, what) ==
  \/ what \in {"apply", "try"} /\ t \in Run.refuses
  \/ what = "undo" /\ t \in Run.refusesUndo
  \/ what \in {"sync", "both"} /\ faults.resyncs < Run.resyncRefusals
Answers(t, what, i, delta) ==
  IF what \in {"confirm", "cancel"} THEN {device[t].trial = i}      \* whether it has it
  ELSE IF MustRefuse(t, what, delta) THEN {FALSE} ELSE IF MayRefuse(t, what) THEN BOOLEAN ELSE {TRUE}

\* A device takes no Set with an election id below the highest it has seen.
Fenced(t, term) == device[t].election > term
Taken(t, term, i, delta, ok, what) ==
  LET d == [device[t] EXCEPT !.election = term] IN
  IF ~ok THEN [device EXCEPT ![t] = d]
  ELSE IF what \in {"confirm", "cancel"} THEN [device EXCEPT ![t] = Ended(d, what = "confirm")]
  ELSE [device EXCEPT ![t] = [d EXCEPT !.values = Overlay(@, MadeOf(delta)),
                                       !.theirs = @ \ DOMAIN delta,
                                       !.trial = IF what = "try" THEN i ELSE @,
                                       !.before = IF what = "try" THEN d.values ELSE @,
                                       !.picky = @ /\ what # "both"]]

\* The answer to a resync says what the device made of it: reading again right
\* after is one step with it, since nobody else can get in between.
Deliver(n, t) ==
  LET r == request[n][t] IN
  /\ r.stage = "sent" /\ Usable(n, t) /\ device[t].on /\ ~Fenced(t, r.term)
  /\ \E ok \in Answers(t, r.what, r.i, r.delta) :
       /\ device' = Taken(t, r.term, r.i, r.delta, ok, r.what)
       /\ request' = [request EXCEPT ![n][t] =
            [stage |-> "answered", what |-> r.what, i |-> r.i, ok |-> ok, term |-> r.term,
             made |-> IF ok /\ r.what \in {"sync", "both"} THEN Rewritten(r.delta) ELSE Empty]]
       /\ faults' = IF r.what \in {"sync", "both"} /\ ~ok /\ ~MustRefuse(t, r.what, r.delta)
                    THEN [faults EXCEPT !.resyncs = @ + 1] ELSE faults
  /\ UNCHANGED <<store, masters, nodes, stray, clients, kept>>

\* A Set that nobody waits for any more arrives after all.
Land(t) ==
  \E s \in stray[t] :
    /\ device[t].on /\ ~Fenced(t, s.term)
    /\ stray' = [stray EXCEPT ![t] = @ \ {s}]
    /\ LET ok == IF s.what \in {"confirm", "cancel"} THEN device[t].trial = s.i ELSE device[t].trial = 0
       IN device' = Taken(t, s.term, s.i, s.delta, ok, IF s.what = "both" THEN "sync" ELSE s.what)
    /\ UNCHANGED <<store, masters, nodes, request, faults, clients, kept>>

---------------------------------------------------------------------------
\* RECORD

RecordApplied(i, t, c) ==
  Write([log EXCEPT ![i].proposal[t] = "Applied"],
        [c EXCEPT ![t].applied = [With(i, t, @) EXCEPT !.index = i]])

\* Rules 1 and 2.  The refusal is the turn, or the withdrawal, in one write.
\* The device may hold some of i all the same, from an earlier send that was
\* never recorded: it is read again before anything else.  A revert has no
\* other way to go: it is recorded all the same, and the resync brings it about.
RecordRefused(i, t) ==
  IF IsRevert(i) THEN RecordApplied(i, t, [config EXCEPT ![t].synced = 0])
  ELSE IF IsAtomic(i)
  THEN Write([LogTurned(i) EXCEPT ![i].proposal[t] = "Refused"],
             [ConfigTurned(i) EXCEPT ![t].applied.index = i, ![t].synced = 0])
  ELSE Withdraw(i, {t})

\* A trial that all accepted, where no master is synchronised: it is kept, or a
\* resync brings it.  One that may yet turn is taken back, and sent again.
ConfirmInStore(t) ==
  \E i \in ConfirmQueue(t) :
    /\ ~HasMaster(t) \/ \E n \in Node : IsMaster(n, t) /\ request[n][t] = Idle /\ ~InSync(n, t)
    /\ RecordApplied(i, t, config)
    /\ UNCHANGED <<masters, nodes, request, device, stray, faults, clients, kept>>
TryAgain(n, t) ==
  \E i \in Undecided(t) :
    /\ IsMaster(n, t) /\ Ready(n, t) /\ ~InSync(n, t)
    /\ Write([log EXCEPT ![i].proposal[t] = "Pending"], config)
    /\ UNCHANGED <<masters, nodes, request, device, stray, faults, clients, kept>>
SendConfirm(n, t) ==
  \E i \in ConfirmQueue(t) :
    /\ Ready(n, t) /\ InSync(n, t) /\ Send(n, t, "confirm", i, Empty)
    /\ UNCHANGED <<store, masters, nodes, device, stray, faults, clients, kept>>

\* A revert where no master is synchronised: in the store alone, as an undo is (rule 4).
RevertInStore(t) ==
  \E i \in RevertQueue(t) :
    /\ ~HasMaster(t) \/ \E n \in Node : IsMaster(n, t) /\ request[n][t] = Idle /\ ~InSync(n, t)
    /\ RecordApplied(i, t, config)
    /\ UNCHANGED <<masters, nodes, request, device, stray, faults, clients, kept>>

\* The device is synchronised, unless the head that was looked at has left the
\* queue: then something it had left on the device may have been left alone.
Marked(old, made) == [p \in Path |-> IF p \in DOMAIN made THEN made[p] ELSE old[p]]
SyncedConfig(t, r) ==
  [config EXCEPT ![t] = [InLine(t, @, r.term) EXCEPT !.rewritten = Marked(@, r.made)]]

\* Rule 8.  Refused alone: next time together with the head, if there is one.
\* Refused together: next time alone again, since it may have been the head.
\* A device that is to be left alone is not synchronised, so that undos do not
\* wait for it.  One that was synchronised, and was to be changed back, is not
\* any more once it refuses that.
RecordSync(t, r) ==
  IF config[t].paused THEN UNCHANGED store
  ELSE IF ~r.ok THEN /\ UNCHANGED log
                     /\ config' = [config EXCEPT ![t].refused = r.what = "sync", ![t].synced = IF @ = r.term THEN 0 ELSE @]
  ELSE IF r.i # 0 /\ ApplyHead(t) # r.i THEN UNCHANGED store
  ELSE IF r.what = "both" THEN RecordApplied(r.i, t, SyncedConfig(t, r))
  ELSE config' = SyncedConfig(t, r) /\ UNCHANGED log

\* By the master alone: the write compares the mastership and the session key.
\* If that fails, the node learns that it no longer is the master.
Record(n, t) ==
  LET r == request[n][t] IN
  /\ r.stage = "answered" /\ request' = [request EXCEPT ![n][t] = Idle]
  /\ IF ~IsMaster(n, t)
     THEN UNCHANGED store /\ belief' = [belief EXCEPT ![n][t].term = 0]
     ELSE /\ UNCHANGED belief
          /\ IF r.what \in {"sync", "both"} THEN RecordSync(t, r)
             ELSE IF r.what = "adopt" THEN RecordAdopted(t, r)
             ELSE IF r.what = "apply" /\ ApplyHead(t) = r.i
                  THEN IF r.ok THEN RecordApplied(r.i, t, config) ELSE RecordRefused(r.i, t)
             ELSE IF r.what = "try" /\ ApplyHead(t) = r.i
                  THEN IF r.ok THEN Write([log EXCEPT ![r.i].proposal[t] = "Accepted"], config)
                       ELSE RecordRefused(r.i, t)
             ELSE IF r.what = "undo" /\ r.i \in UndoQueue(t)
                  THEN RecordUndone(r.i, t, IF r.ok THEN config[t].synced ELSE 0, config[t].trial)
             \* A device that had it no more is read again.
             ELSE IF r.what = "cancel" /\ r.i \in UndoQueue(t)
                  THEN RecordUndone(r.i, t, IF r.ok THEN config[t].synced ELSE 0, IF r.ok THEN 0 ELSE r.i)
             ELSE IF r.what = "confirm" /\ r.i \in ConfirmQueue(t)
                  THEN RecordApplied(r.i, t, [config EXCEPT ![t].synced = IF r.ok THEN @ ELSE 0,
                                                            ![t].trial = IF r.ok THEN 0 ELSE @])
             ELSE UNCHANGED store                      \* it turned, or was cancelled, meanwhile
  /\ UNCHANGED <<masters, session, link, device, stray, faults, clients, kept>>
=============================================================================
