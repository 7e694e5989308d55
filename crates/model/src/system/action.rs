//! What can happen next, and making it happen.

use lockstep_protocol::{Client, Event, Op, Order};
use lockstep_types::{Index, Target, Timestamp};

use super::client::{CONFIRMS, EXTENSION};
use super::{System, yang};

/// How a device takes a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reaction {
    /// It does what is asked.
    Accept,
    /// It will not.
    Refuse,
    /// Not now.
    Busy,
}

/// One thing that happens.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// The next entry of the script is submitted at a node.
    Submit(usize),
    /// A write reaches the store.
    Write(usize),
    /// yang answers.
    Judge(usize),
    /// A request reaches a device.
    Deliver(usize, Reaction),
    /// An answer reaches a node.
    Answer(usize),
    /// A node gives up on a request.
    Hang(usize),
    /// A device never answers a request.
    Silence(usize),
    /// A node connects to a device.
    Connect(usize, Target),
    /// A connection breaks.
    Disconnect(usize, Target),
    /// A device stops and forgets.
    StopDevice(Target),
    /// A device starts, with what it had saved or with nothing.
    StartDevice(Target, bool),
    /// A device restarts between two looks at it: all a node sees is a new connection.
    Flicker(Target),
    /// Nobody knows what became of a write; it may still land.
    Lose(usize),
    /// A device takes back what it has on trial.
    TakeBack(Target),
    /// So much time passes that nothing which nobody waits for can land any more.
    Hush,
    /// A node dies.
    Crash(usize),
    /// The lease of a dead node ends.
    Expire(usize),
    /// A node starts again.
    Restart(usize),
    /// A node's lease ends and the node does not know.
    LoseLease(usize),
    /// A node falls behind the store.
    Lag(usize),
    /// A node hears from the store again.
    CatchUp(usize),
    /// A deadline passes.
    Late(Timestamp),
    /// A client cancels a transaction at a node.
    Cancel(usize, Index),
    /// A client confirms a change at a node.
    Confirm(usize, Index),
    /// A client gives a window another time, at a node.
    Extend(usize, Index),
    /// An operator has something done with a target, at a node.
    Operate(usize, Target, Order),
    /// Somebody else changes a device.
    Tamper(Target),
    /// Whoever is connected to a device hears that somebody else changed it.
    Notice(Target),
    /// Somebody else makes a device listen to them.
    Usurp(Target),
    /// A target is bound to other models.
    Rebind(Target),
    /// A node tries a device again.
    Retry(usize),
}

impl System {
    /// The state after an action.
    #[must_use]
    pub fn after(&self, action: &Action) -> Self {
        let mut next = self.clone();
        next.sent.clear();
        next.commits.clear();
        next.restless = false;
        next.act(action);
        next.settle();
        next.tidy();
        next
    }

    /// What is under way in one order, whatever the order it was sent in.
    fn tidy(&mut self) {
        self.requests.sort_by_key(|f| (f.target.clone(), f.node, f.connection, f.sequence));
        self.replies.sort_by_key(|r| (r.target.clone(), r.node, r.connection));
        self.letters.sort_by_key(|l| (l.node, l.start, l.wake.clone(), l.orphan));
        self.questions.sort_by_key(|q| (q.node, q.subject.clone()));
    }

    fn act(&mut self, action: &Action) {
        match action {
            Action::Submit(node) => self.submit(*node),
            Action::Write(at) => {
                let letter = self.letters.remove(*at);
                self.deliver_letter(letter);
            }
            Action::Judge(at) => {
                let question = self.questions.remove(*at);
                self.judge(question);
            }
            Action::Deliver(at, reaction) => {
                self.spend(*at, *reaction);
                self.deliver_request(*at, *reaction);
            }
            Action::Answer(at) => self.deliver_reply(*at),
            Action::Hang(at) => {
                self.left.hangs -= 1;
                self.hang(*at);
            }
            Action::Silence(at) => {
                self.left.silences -= 1;
                self.silence(*at);
            }
            Action::Connect(node, target) => self.connect(*node, target),
            Action::Disconnect(node, target) => {
                self.left.disconnects -= 1;
                if let Some(connection) = self.connection(*node, target) {
                    self.disconnect(*node, target, connection);
                }
            }
            Action::StopDevice(target) => {
                self.left.restarts -= 1;
                self.stop_device(target);
            }
            Action::StartDevice(target, saved) => self.start_device(target, *saved),
            Action::Flicker(target) => {
                self.left.flickers -= 1;
                self.flicker(target);
            }
            Action::Lose(at) => {
                self.left.lost -= 1;
                self.lose(*at);
            }
            Action::TakeBack(target) => {
                self.left.timers = self.left.timers.saturating_sub(1);
                if let Some(device) = self.devices.get_mut(target) {
                    device.take_back();
                }
            }
            Action::Hush => self.tick(self.now.next()),
            Action::Crash(node) => {
                self.left.crashes -= 1;
                self.crash(*node);
            }
            Action::Expire(node) => self.end_session(*node),
            Action::Restart(node) => {
                self.end_session(*node);
                self.crash(*node);
                self.start_node(*node);
            }
            Action::LoseLease(node) => {
                self.left.leases -= 1;
                self.lose_lease(*node);
            }
            Action::Lag(node) => {
                self.left.lags -= 1;
                self.nodes[*node].deaf = true;
            }
            Action::CatchUp(node) => self.catch_up(*node),
            Action::Late(now) => {
                self.left.late -= 1;
                self.tick(*now);
            }
            Action::Cancel(node, index) => {
                self.left.cancels -= 1;
                let (client, author) = (Client(u64::MAX), String::new());
                self.tell(*node, Event::Cancel { client, index: *index, author });
            }
            Action::Confirm(node, index) => {
                self.left.confirms -= 1;
                self.tell(*node, Event::Confirm { client: CONFIRMS, index: *index });
            }
            Action::Extend(node, index) => {
                self.left.extends -= 1;
                let (client, length) = (Client(u64::MAX), EXTENSION);
                self.tell(*node, Event::Extend { client, index: *index, length });
            }
            Action::Operate(node, target, order) => {
                match order {
                    Order::Adopt => self.left.adopts -= 1,
                    Order::Claim(_) => {
                        self.left.claims -= 1;
                        // Whoever asks waits for what comes of it.
                        self.left.retries = self.scenario.faults.retries;
                    }
                    Order::Pause | Order::Sync => self.left.orders -= 1,
                    Order::Resume => {}
                }
                let (client, target, order) = (Client(u64::MAX), target.clone(), *order);
                self.tell(*node, Event::Operate { client, target, order, author: String::new() });
            }
            Action::Tamper(target) => {
                self.left.tampers -= 1;
                if let Some(device) = self.devices.get_mut(target) {
                    device.tamper();
                    if let Some(record) = &mut self.record {
                        record.changed(target, &device.values);
                    }
                }
            }
            Action::Usurp(target) => {
                self.left.usurpers -= 1;
                if let Some(device) = self.devices.get_mut(target) {
                    device.usurp();
                    if let Some(record) = &mut self.record {
                        record.listens(target, device.election);
                    }
                }
            }
            Action::Notice(target) => {
                if let Some(device) = self.devices.get_mut(target) {
                    device.tampered = false;
                }
                for node in self.connected(target) {
                    self.tell(node, Event::Drifted(target.clone()));
                }
            }
            Action::Rebind(target) => {
                self.left.rebinds -= 1;
                let binding = self.binding(yang::later_models());
                self.announce(vec![Op::Binding { target: target.clone(), binding }]);
            }
            Action::Retry(node) => {
                if self.left.retries > 0 {
                    self.left.retries -= 1;
                    self.now = self.now.next();
                }
                self.tell(*node, Event::Tick(self.now));
            }
        }
    }

    fn tick(&mut self, now: Timestamp) {
        self.now = now;
        for node in 0..self.nodes.len() {
            self.tell(node, Event::Tick(now));
        }
    }

    pub(super) fn start_device(&mut self, target: &Target, saved: bool) {
        let values = self.scenario.saved.clone().filter(|_| saved).unwrap_or_default();
        let insists = self.scenario.insists.clone();
        if let Some(device) = self.devices.get_mut(target) {
            device.on = true;
            device.values = values;
            device.insists = insists;
            if let Some(record) = &mut self.record {
                record.started(target, &device.values);
            }
        }
    }
}
