//! Which actions are possible in a state.

use lockstep_protocol::node::Work;
use lockstep_protocol::record::Status;
use lockstep_protocol::{Node, Order, Wake};
use lockstep_types::{Target, Timestamp};

use super::action::{Action, Reaction};
use super::device::{Device, USURPER};
use super::{Flight, System};

impl System {
    /// What happens by itself sooner or later, if nothing else does.
    #[must_use]
    pub fn moves(&self) -> Vec<Action> {
        let mut moves = Vec::new();
        moves.extend((0..self.letters.len()).map(Action::Write));
        moves.extend((0..self.questions.len()).map(Action::Judge));
        moves.extend((0..self.replies.len()).map(Action::Answer));
        moves.extend(self.deliverable().map(|at| Action::Deliver(at, Reaction::Accept)));
        if self.may_submit() {
            let live = (0..self.nodes.len()).filter(|node| self.hears(*node));
            moves.extend(live.map(Action::Submit));
        }
        self.connection_moves(&mut moves);
        self.notice_moves(&mut moves);
        if moves.is_empty() {
            moves.extend(self.forgotten_trials());
        }
        self.node_moves(&mut moves);
        moves.extend(self.deadlines());
        if self.hush() {
            moves.push(Action::Hush);
        }
        moves
    }

    /// Whether nothing happens by itself any more. Asked at every step, so what is plain to see is
    /// looked at first.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        let under_way = !self.letters.is_empty()
            || !self.replies.is_empty()
            || self.deliverable().next().is_some();
        !under_way && self.moves().is_empty()
    }

    /// What may go wrong.
    #[must_use]
    pub fn mishaps(&self) -> Vec<Action> {
        let mut mishaps = Vec::new();
        self.device_mishaps(&mut mishaps);
        self.node_mishaps(&mut mishaps);
        self.resumes(&mut mishaps);
        mishaps
    }

    fn deliverable(&self) -> impl Iterator<Item = usize> {
        let on = |flight: &Flight| self.devices.get(&flight.target).is_some_and(|d| d.on);
        self.requests.iter().enumerate().filter(move |(_, f)| on(f)).map(|(at, _)| at)
    }

    /// Whether a node is up and hears from the store.
    #[must_use]
    pub fn hears(&self, node: usize) -> bool {
        self.nodes[node].core.is_some() && !self.nodes[node].deaf
    }

    fn connection_moves(&self, moves: &mut Vec<Action>) {
        for (target, device) in &self.devices {
            if !device.on {
                if !self.scenario.gone.contains(target) {
                    moves.push(Action::StartDevice(target.clone(), false));
                    if self.scenario.saved.is_some() {
                        moves.push(Action::StartDevice(target.clone(), true));
                    }
                }
                continue;
            }
            if self.store.binding(target).is_none() {
                continue;
            }
            for node in 0..self.nodes.len() {
                let core = self.nodes[node].core.as_ref();
                let wanted = core.is_some_and(|core| core.desk().reaches(target));
                if wanted && self.connection(node, target).is_none() {
                    moves.push(Action::Connect(node, target.clone()));
                }
            }
        }
    }

    /// Whoever pauses a target may resume it, any time or never.
    fn resumes(&self, mishaps: &mut Vec<Action>) {
        let ordered = |target: &Target| {
            self.letters.iter().any(|letter| letter.wake == Wake::Operate(target.clone()))
        };
        let paused = self.scenario.targets.iter();
        let paused = paused.filter(|t| self.store.header(t).paused && !ordered(t));
        if let Some(node) = (0..self.nodes.len()).find(|n| self.hears(*n)) {
            mishaps.extend(paused.map(|t| Action::Operate(node, t.clone(), Order::Resume)));
        }
    }

    fn notice_moves(&self, moves: &mut Vec<Action>) {
        let tampered = self.devices.iter().filter(|(_, device)| device.tampered);
        let heard = tampered.filter(|(target, _)| !self.connected(target).is_empty());
        moves.extend(heard.map(|(target, _)| Action::Notice(target.clone())));
    }

    fn node_moves(&self, moves: &mut Vec<Action>) {
        for (node, running) in self.nodes.iter().enumerate() {
            let alive = self.store.is_alive(&super::nodes::session(node, running.start));
            match &running.core {
                None => {
                    if alive {
                        moves.push(Action::Expire(node));
                    }
                    if !self.scenario.buried {
                        moves.push(Action::Restart(node));
                    }
                }
                Some(_) if running.deaf && !alive => moves.push(Action::Restart(node)),
                Some(_) if running.deaf => moves.push(Action::CatchUp(node)),
                Some(core) => {
                    let waits = |target: &Target| {
                        core.desk()
                            .link(target)
                            .is_some_and(|l| l.retry.is_some() && l.up && l.work == Work::Idle)
                            && !self.waits_for_quiet(core, target)
                    };
                    let tries =
                        !self.scenario.is_stubborn() || (self.left.retries > 0 && moves.is_empty());
                    if tries && self.scenario.targets.iter().any(waits) {
                        moves.push(Action::Retry(node));
                    }
                }
            }
        }
    }

    /// Whether a node waits until nothing that was sent to a device before can land any more.
    fn waits_for_quiet(&self, core: &Node, target: &Target) -> bool {
        let link = core.desk().link(target);
        link.is_some_and(|link| link.up && link.quiet.is_some_and(|quiet| self.now < quiet))
    }

    /// Once all has landed that ever will, so much time has passed.
    fn hush(&self) -> bool {
        let cores = self.nodes.iter().filter_map(|running| running.core.as_ref());
        let mut cores = cores.filter(|core| {
            self.scenario.targets.iter().any(|target| self.waits_for_quiet(core, target))
        });
        cores.next().is_some() && !self.something_lands()
    }

    /// Whether something is still to land that a node waits out: no more time than that passes before.
    fn something_lands(&self) -> bool {
        let cores = self.nodes.iter().filter_map(|running| running.core.as_ref());
        let waits = |core: &Node, target: &Target| {
            core.desk().link(target).and_then(|link| link.quiet).is_some_and(|at| self.now < at)
        };
        let mut orphans = self.requests.iter().filter(|flight| flight.orphan);
        let cores: Vec<_> = cores.collect();
        orphans.any(|flight| cores.iter().any(|core| waits(core, &flight.target)))
    }

    fn deadlines(&self) -> impl Iterator<Item = Action> {
        let next = self.next_deadline().filter(|_| self.left.late > 0 && !self.something_lands());
        next.map(|deadline| Action::Late(deadline.next())).into_iter()
    }

    fn next_deadline(&self) -> Option<Timestamp> {
        let script = self.scenario.script.iter().enumerate().take(self.submitted);
        let deadlines = script.filter_map(|(at, entry)| entry.passes(at + 1));
        let windows = self.store.windows().map(|(until, _)| until);
        deadlines.chain(windows).filter(|deadline| *deadline >= self.now).min()
    }

    fn device_mishaps(&self, mishaps: &mut Vec<Action>) {
        for at in self.deliverable() {
            let flight = &self.requests[at];
            if !flight.orphan && self.may_refuse(flight) {
                mishaps.push(Action::Deliver(at, Reaction::Refuse));
            }
            if !flight.orphan && self.left.busy > 0 && flight.ask.delta().is_some() {
                mishaps.push(Action::Deliver(at, Reaction::Busy));
            }
        }
        for (at, flight) in self.requests.iter().enumerate() {
            if self.left.hangs > 0 && !flight.orphan && self.scenario.is_fragile(&flight.target) {
                mishaps.push(Action::Hang(at));
            }
            if self.left.silences > 0 && !flight.orphan && self.has_a_deadline(flight) {
                mishaps.push(Action::Silence(at));
            }
        }
        let tried = self.devices.iter().filter(|(_, device)| device.trial.is_some());
        if self.left.timers > 0 {
            mishaps.extend(tried.map(|(target, _)| Action::TakeBack(target.clone())));
        }
        for (target, device) in &self.devices {
            if !self.scenario.is_fragile(target) || !device.on {
                continue;
            }
            if self.left.restarts > 0 {
                mishaps.push(Action::StopDevice(target.clone()));
            }
            if self.left.usurpers > 0 {
                mishaps.push(Action::Usurp(target.clone()));
            }
            if self.left.tampers > 0 {
                mishaps.push(Action::Tamper(target.clone()));
            }
            if self.left.flickers > 0 {
                mishaps.push(Action::Flicker(target.clone()));
            }
            for node in 0..self.nodes.len() {
                if self.left.disconnects > 0 && self.connection(node, target).is_some() {
                    mishaps.push(Action::Disconnect(node, target.clone()));
                }
            }
        }
    }

    fn node_mishaps(&self, mishaps: &mut Vec<Action>) {
        for node in 0..self.nodes.len() {
            if self.nodes[node].core.is_none() {
                continue;
            }
            if self.left.crashes > 0 {
                mishaps.push(Action::Crash(node));
            }
            if self.left.leases > 0 && self.hears(node) {
                mishaps.push(Action::LoseLease(node));
            }
            if self.left.lags > 0 && self.hears(node) {
                mishaps.push(Action::Lag(node));
            }
        }
        if self.left.lost > 0 {
            let letters = self.letters.iter().enumerate();
            let waited = letters.filter(|(_, l)| !l.orphan && self.nodes[l.node].start == l.start);
            mishaps.extend(waited.map(|(at, _)| Action::Lose(at)));
        }
        if self.left.rebinds > 0 {
            let targets = self.scenario.targets.iter().filter(|target| self.may_rebind(target));
            mishaps.extend(targets.cloned().map(Action::Rebind));
        }
        if self.left.orders > 0
            && let Some(node) = (0..self.nodes.len()).find(|n| self.hears(*n))
        {
            for target in self.scenario.targets.iter().filter(|t| self.scenario.is_fragile(t)) {
                mishaps.push(Action::Operate(node, target.clone(), Order::Sync));
                if !self.store.header(target).paused {
                    mishaps.push(Action::Operate(node, target.clone(), Order::Pause));
                }
            }
        }
        if self.left.claims > 0
            && let Some(node) = (0..self.nodes.len()).find(|n| self.hears(*n))
        {
            let order = Order::Claim(USURPER.next());
            let targets = self.scenario.targets.iter();
            mishaps.extend(targets.map(|t| Action::Operate(node, t.clone(), order)));
        }
        if self.left.adopts > 0
            && let Some(node) = (0..self.nodes.len()).find(|n| self.hears(*n))
        {
            let targets = self.scenario.targets.iter();
            mishaps.extend(targets.map(|t| Action::Operate(node, t.clone(), Order::Adopt)));
        }
        if self.left.cancels > 0
            && let Some(node) = (0..self.nodes.len()).find(|n| self.hears(*n))
        {
            let open = self.store.open().filter(|t| t.status != Status::Reverting);
            mishaps.extend(open.map(|t| Action::Cancel(node, t.index)));
            mishaps.extend(self.store.windows().map(|(_, index)| Action::Cancel(node, index)));
        }
        if self.left.confirms > 0 {
            let nodes = (0..self.nodes.len()).filter(|node| self.hears(*node));
            let windows = || self.store.windows().map(|(_, index)| index);
            mishaps.extend(nodes.flat_map(|node| windows().map(move |i| Action::Confirm(node, i))));
        }
        if self.left.extends > 0 {
            let nodes = (0..self.nodes.len()).filter(|node| self.hears(*node));
            let windows = || self.store.windows().map(|(_, index)| index);
            mishaps.extend(nodes.flat_map(|node| windows().map(move |i| Action::Extend(node, i))));
        }
    }

    /// Whether a device listens to somebody else than whoever is its master by the store.
    #[must_use]
    pub fn is_usurped(&self, target: &Target) -> bool {
        let term = self.store.mastership(target).map(|m| m.term).unwrap_or_default();
        let listens = |device: &Device| device.election >= USURPER && device.election > term;
        self.devices.get(target).is_some_and(listens)
    }

    /// Devices with something on trial that nobody is going to settle: their own timer ends it.
    fn forgotten_trials(&self) -> impl Iterator<Item = Action> {
        let forgotten = self.devices.iter().filter(|(target, device)| {
            let known = [self.store.header(target).trial, self.store.on_trial(target)];
            device.trial.as_ref().is_some_and(|trial| !known.contains(&Some(trial.index)))
        });
        forgotten.map(|(target, _)| Action::TakeBack(target.clone()))
    }

    /// What a request is for, told by what its sender has under way.
    #[must_use]
    pub fn purpose(&self, flight: &Flight) -> Option<&Work> {
        let core = self.nodes[flight.node].core.as_ref()?;
        Some(&core.desk().link(&flight.target)?.work)
    }

    /// Whether a deadline that is still to pass ends the wait for an answer.
    fn has_a_deadline(&self, flight: &Flight) -> bool {
        let Some(Work::Applying(index)) = self.purpose(flight) else { return false };
        let ends = self.store.transaction(*index).is_some_and(|transaction| {
            transaction.is_atomic() && Some(transaction.deadline) == self.next_deadline()
        });
        ends && self.left.late > 0 && self.scenario.is_fragile(&flight.target)
    }

    fn may_refuse(&self, flight: &Flight) -> bool {
        self.scenario.is_fragile(&flight.target) && self.refusals_left(flight) > 0
    }

    fn refusals_left(&self, flight: &Flight) -> u8 {
        match self.purpose(flight) {
            Some(Work::Applying(_)) => self.left.refusals,
            Some(Work::Undoing(_)) => self.left.undo_refusals,
            Some(Work::Pushing(..)) => self.left.resync_refusals,
            _ => 0,
        }
    }

    pub(super) fn spend(&mut self, at: usize, reaction: Reaction) {
        if reaction == Reaction::Busy {
            self.left.busy -= 1;
        }
        if reaction != Reaction::Refuse {
            return;
        }
        match self.purpose(&self.requests[at]) {
            Some(Work::Applying(_)) => self.left.refusals -= 1,
            Some(Work::Undoing(_)) => self.left.undo_refusals -= 1,
            _ => self.left.resync_refusals -= 1,
        }
    }
}
