----------------------------- MODULE Mastership -----------------------------
(***************************************************************************)
(* Sessions, masterships and connections; and what can go wrong with them, *)
(* with the processes and with the devices.                                *)
(***************************************************************************)
EXTENDS Applying

---------------------------------------------------------------------------
\* MASTERSHIP

\* A connected node takes a target that has no master, or that it is master of
\* on an older connection: a new connection is a new term.  Nobody is the master
\* of a target that is not there.  Where operators claim the device, the term
\* jumps beyond what it listens to.
Elect(n, t) ==
  LET me == <<n, session[n]>>
      term == Max({master[t].term + 1, config[t].claim})
  IN
  /\ me \in leases /\ link[n][t].up /\ request[n][t] = Idle /\ Bound(t)
  /\ \/ ~HasMaster(t)
     \/ master[t].session = me /\ (master[t].link # link[n][t].id \/ config[t].claim > master[t].term)
  /\ master' = [master EXCEPT ![t] = [session |-> me, term |-> term, link |-> link[n][t].id]]
  /\ belief' = [belief EXCEPT ![n][t] = [term |-> term, link |-> link[n][t].id]]
  /\ UNCHANGED <<store, leases, session, link, request, device, stray, faults, clients, kept>>

\* A master whose connection is gone lets go, so that another node can try.
Release(n, t) ==
  /\ IsMaster(n, t) /\ ~link[n][t].up /\ request[n][t] = Idle
  /\ master' = [master EXCEPT ![t].session = Nobody]
  /\ UNCHANGED <<store, leases, nodes, request, device, stray, faults, clients, kept>>

\* A master hands a target over on which nothing is under way and nothing waits,
\* to a node that asked for it: the next term, on the connection that node had
\* when it asked, which it may have lost since.  Which node that is, and how many
\* targets move at a time, is left open here.
HandOver(n, m, t) ==
  /\ t \in Run.shares /\ master[t].term < Run.terms
  /\ n # m /\ IsMaster(n, t) /\ request[n][t] = Idle /\ <<m, session[m]>> \in leases
  /\ Synchronised(t) /\ Rests(t) /\ config[t].trial = 0 /\ ~config[t].paused /\ ~config[t].adopting
  /\ LET won == [term |-> master[t].term + 1, link |-> link[m][t].id] IN
     /\ master' = [master EXCEPT ![t] = [session |-> <<m, session[m]>>, term |-> won.term, link |-> won.link]]
     /\ belief' = [belief EXCEPT ![m][t] = won]
  /\ UNCHANGED <<store, leases, session, link, request, device, stray, faults, clients, kept>>

---------------------------------------------------------------------------
\* REQUESTS THAT END WITHOUT AN ANSWER (rule 7)

\* The Sets of n to the targets T are given up.  Any of them may still be on
\* its way, and arrive later.  `f` is what else went wrong in the same step.
Left(r) == [term |-> r.term, what |-> r.what, i |-> r.i, delta |-> r.delta]
Abandon(n, T, f) ==
  \E S \in SUBSET {t \in T : request[n][t].stage = "sent"} :
    /\ f.strays + Cardinality(S) <= Run.strays
    /\ request' = [request EXCEPT ![n] = [t \in Target |-> IF t \in T THEN Idle ELSE @[t]]]
    /\ stray' = [t \in Target |->
         IF t \in S THEN stray[t] \cup {Left(request[n][t])} ELSE stray[t]]
    /\ faults' = [f EXCEPT !.strays = @ + Cardinality(S)]

\* The connection is gone: nobody knows what became of the request.
Lose(n, t) ==
  /\ request[n][t] # Idle /\ ~Usable(n, t)
  /\ Abandon(n, {t}, faults)
  /\ UNCHANGED <<store, masters, nodes, device, clients, kept>>

\* The device says that this term has passed.  Where the store says otherwise it
\* listens to somebody else: it is synchronised no more, and left alone until
\* that one is gone or operators claim the device.
LearnFenced(n, t) ==
  /\ request[n][t].stage \in {"claimed", "read", "sent"} /\ Usable(n, t) /\ device[t].on /\ Fenced(t, request[n][t].term)
  /\ request' = [request EXCEPT ![n][t] = Idle]
  /\ IF IsMaster(n, t) THEN config' = [config EXCEPT ![t].synced = 0] /\ UNCHANGED belief
     ELSE belief' = [belief EXCEPT ![n][t].term = 0] /\ UNCHANGED config
  /\ UNCHANGED <<log, masters, session, link, device, stray, faults, clients, kept>>

\* What is under way when the device is claimed is not waited for any more.
DropWork(n, t) ==
  /\ IsMaster(n, t) /\ config[t].claim > belief[n][t].term /\ request[n][t] # Idle
  /\ Abandon(n, {t}, faults)
  /\ UNCHANGED <<store, masters, nodes, device, clients, kept>>

\* The answer takes too long: the node closes the connection.  (A device that
\* answers in time is the usual case; a slow one is a fault with a budget.)  There
\* are no clocks here: this covers the device's own time limit and the deadline of
\* a transaction that has turned alike.
GiveUp(n, t) ==
  /\ request[n][t].stage = "sent" /\ Usable(n, t)
  /\ ~device[t].on \/ faults.strays < Run.strays
  /\ Abandon(n, {t}, faults)
  /\ ~device[t].on \/ stray' # stray
  /\ link' = [link EXCEPT ![n][t].up = FALSE]
  /\ UNCHANGED <<store, masters, session, belief, device, clients, kept>>

---------------------------------------------------------------------------
\* CONNECTIONS

Connect(n, t) ==
  /\ ~link[n][t].up /\ device[t].on /\ request[n][t] = Idle /\ Bound(t)
  /\ link' = [link EXCEPT ![n][t] = [up |-> TRUE, id |-> @.id + 1]]
  /\ UNCHANGED <<store, masters, session, belief, request, device, stray, faults, clients, kept>>

\* A connection to a device that has gone silent is found out in the end.
Notice(n, t) ==
  /\ link[n][t].up /\ ~device[t].on /\ request[n][t] = Idle
  /\ link' = [link EXCEPT ![n][t].up = FALSE]
  /\ UNCHANGED <<store, masters, session, belief, request, device, stray, faults, clients, kept>>

\* Of a target that is not there any more nothing is waited for.
Part(n, t) ==
  /\ ~Bound(t) /\ link[n][t].up
  /\ Abandon(n, {t}, faults) /\ link' = [link EXCEPT ![n][t].up = FALSE]
  /\ UNCHANGED <<store, masters, session, belief, device, clients, kept>>

Cut(n, t) ==
  /\ t \in Run.cuts /\ master[t].term < Run.terms
  /\ IsMaster(n, t) /\ Usable(n, t)
  /\ link' = [link EXCEPT ![n][t].up = FALSE]
  /\ UNCHANGED <<store, masters, session, belief, request, device, stray, faults, clients, kept>>

---------------------------------------------------------------------------
\* PROCESSES AND THEIR LEASES

\* A process starts anew: new session, no connections, nothing outstanding.
\* The key of its old session stays until its lease ends.
Restart(n) ==
  /\ session' = [session EXCEPT ![n] = @ + 1]
  /\ leases' = leases \cup {<<n, session[n] + 1>>}
  /\ belief' = [belief EXCEPT ![n] = [t \in Target |-> [term |-> 0, link |-> 0]]]
  /\ link' = [link EXCEPT ![n] = [t \in Target |-> [@[t] EXCEPT !.up = FALSE]]]
  /\ UNCHANGED <<store, master, device, clients, kept>>

Crash(n) ==
  /\ faults.crashes < Run.crashes
  /\ Restart(n) /\ Abandon(n, Target, [faults EXCEPT !.crashes = @ + 1])

\* The lease of a session ends: of a process that is no more ...
ExpireDead ==
  \E s \in leases :
    /\ session[s[1]] # s[2] /\ leases' = leases \ {s}
    /\ UNCHANGED <<store, master, nodes, request, device, stray, faults, clients, kept>>
\* ... or of one that runs, and does not know it.
Expire(n) ==
  /\ faults.expiries < Run.expiries /\ <<n, session[n]>> \in leases
  /\ leases' = leases \ {<<n, session[n]>>}
  /\ faults' = [faults EXCEPT !.expiries = @ + 1]
  /\ UNCHANGED <<store, master, nodes, request, device, stray, clients, kept>>
\* Once it finds out it starts anew.
Rejoin(n) ==
  /\ <<n, session[n]>> \notin leases /\ \A t \in Target : request[n][t] = Idle
  /\ Restart(n) /\ UNCHANGED <<request, stray, faults>>

---------------------------------------------------------------------------
\* DEVICES

\* A device that stops forgets its values and the election id.  Its
\* connections break, or go silent until somebody notices.
Stop(t) ==
  /\ t \in Run.stops /\ device[t].on /\ faults.restarts < Run.restarts
  /\ faults' = [faults EXCEPT !.restarts = @ + 1]
  /\ device' = [device EXCEPT ![t] = [on |-> FALSE, values |-> Values(Blank), theirs |-> {}, election |-> 0, picky |-> FALSE,
                                      trial |-> 0, before |-> Empty]]
  /\ link' = IF t \in Run.silent THEN link ELSE [n \in Node |-> [link[n] EXCEPT ![t].up = FALSE]]
  /\ UNCHANGED <<store, masters, session, belief, request, stray, clients, kept>>

\* Nobody has told it to keep what it has on trial: in time, which is a fault
\* with a budget, or ever, because nobody knows of it.
TimeOut(t) ==
  /\ device[t].trial # 0 /\ faults.timers < Run.timers
  /\ device' = [device EXCEPT ![t] = Ended(@, FALSE)]
  /\ faults' = [faults EXCEPT !.timers = @ + 1]
  /\ UNCHANGED <<store, masters, nodes, request, stray, clients, kept>>
TakesBack(t) ==
  /\ device[t].trial \notin {0, config[t].trial}
  /\ device' = [device EXCEPT ![t] = Ended(@, FALSE)]
  /\ UNCHANGED <<store, masters, nodes, request, stray, faults, clients, kept>>

\* It comes back with nothing, or with something it had saved.
Start(t) ==
  /\ ~device[t].on
  /\ \E v \in [Path -> Run.boot] :
       device' = [device EXCEPT ![t].on = TRUE, ![t].values = v, ![t].picky = t \in Run.picky]
  /\ link' = [n \in Node |-> [link[n] EXCEPT ![t].up = FALSE]]
  /\ UNCHANGED <<store, masters, session, belief, request, stray, faults, clients, kept>>

\* Somebody else becomes its master, with an election id that we never issued.
Usurp(t) ==
  /\ device[t].on /\ device[t].election < Run.foreign /\ faults.usurpers < Run.usurpers
  /\ device' = [device EXCEPT ![t].election = Run.foreign]
  /\ faults' = [faults EXCEPT !.usurpers = @ + 1]
  /\ UNCHANGED <<store, masters, nodes, request, stray, clients, kept>>

\* Somebody else changes it behind our back.
Theirs == "theirs"
Tamper(t) ==
  /\ device[t].on /\ faults.tampers < Run.tampers
  /\ \E p \in Run.tampered :
       device' = [device EXCEPT ![t].values[p] = Theirs, ![t].theirs = @ \cup {p}]
  /\ faults' = [faults EXCEPT !.tampers = @ + 1]
  /\ UNCHANGED <<store, masters, nodes, request, stray, clients, kept>>
=============================================================================
