//! A real node on real records, between clients and devices that do as the dice say.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lockstep_protocol::record::{Failure, Kind, Mode, Rule, Trials, Violation};
use lockstep_protocol::{
    Answer, Ask, Body, Changes, Client, Command, Event, Node, Request, Settings, Until, Verdict,
    View,
};
use lockstep_store::{Records, Session, Watch};
use lockstep_types::{
    Configuration as Tree, Connection, Content, Edit, Index, Revision, Target, Timestamp,
    TransactionId,
};

use crate::support::{Dice, bound, next, node, path, target, write};

const NAMES: [&str; 3] = ["leaf1", "leaf/2", "50% leaf"];
const PATHS: [&str; 4] = ["/a", "/b", "/l[k=1]", "/l[k=1]/v"];

/// Where devices show something else than they were sent.
const OWN: &str = "/b";

/// A node, what it is told and what it has to do.
pub(crate) struct World {
    pub(crate) records: Records,
    /// Kept so that the session lasts.
    _session: Session,
    watch: Watch,
    /// Somebody else's, who knows nothing but what is in the store.
    others: (Records, Watch),
    node: Node,
    dice: Dice,
    now: u64,
    clients: u64,
    connections: BTreeMap<Target, Connection>,
    devices: BTreeMap<Target, Tree>,
    /// What each held before it took something on trial.
    trials: BTreeMap<Target, (Index, Tree)>,
    last_connection: u64,
    todo: Vec<Command>,
    told: Revision,
}

impl World {
    /// A node that starts on what the records hold.
    pub(crate) async fn start(records: Records, seed: u64, now: u64) -> Self {
        let session = records.begin(&node()).await.expect("a session");
        let known = records.load().await.expect("a view");
        let new = NAMES.map(target).into_iter().filter(|on| known.binding(on).is_none());
        write(&records, Vec::new(), new.map(|on| bound(&on)).collect()).await;
        let view = records.load().await.expect("a view");
        let watch = records.watch(view.revision()).await.expect("a watch");
        let others = Records::open(Arc::clone(records.store())).await.expect("records");
        let others_watch = others.watch(view.revision()).await.expect("a watch");
        let told = view.revision();
        let mut node = Node::new(session.id().clone(), Settings::default(), view);
        let mut todo = node.start();
        todo.extend(node.handle(Event::Tick(Timestamp::new(now))));
        todo.extend(node.handle(Event::Lease(Timestamp::new(u64::MAX))));
        Self {
            records,
            _session: session,
            watch,
            others: (others, others_watch),
            node,
            dice: Dice::new(seed),
            now,
            clients: 0,
            connections: BTreeMap::new(),
            devices: BTreeMap::new(),
            trials: BTreeMap::new(),
            last_connection: 0,
            todo,
            told,
        }
    }

    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// What the watch has told, up to the last write.
    pub(crate) async fn view(&mut self) -> &View {
        self.hear().await;
        self.node.view()
    }

    /// One thing happens.
    pub(crate) async fn step(&mut self) {
        match self.dice.roll(20) {
            0..=2 => self.submit(),
            3 => self.cancel(),
            4 => self.connection(),
            5 => self.time(),
            6..=8 => self.hear().await,
            _ => self.work().await,
        }
    }

    fn tell(&mut self, event: Event) {
        self.todo.extend(self.node.handle(event));
    }

    /// The node hears of what was written; before, it may decide on an old view.
    async fn hear(&mut self) {
        while self.node.view().revision() < self.told {
            let changes: Changes = next(&mut self.watch).await;
            assert_eq!(changes.revision, self.node.view().revision().next(), "a gap");
            assert_eq!(changes, next(&mut self.others.1).await, "as written, and as read");
            self.tell(Event::Watch(changes));
        }
    }

    fn submit(&mut self) {
        self.clients += 1;
        let head = self.node.view().head().index.get();
        let body = if head > 0 && self.dice.chance(20) {
            let rule = self.dice.pick(&[Rule::Target, Rule::Path]);
            let kind = Kind::Rollback { of: Index::new(self.dice.roll(head) + 1), rule };
            Body {
                kind,
                mode: Mode::Atomic,
                edits: BTreeMap::new(),
                only: BTreeSet::new(),
                window: None,
                binding: None,
            }
        } else {
            let count = self.dice.roll(2) + 1;
            let edits = (0..count).map(|_| (target(self.dice.pick(&NAMES)), self.edit())).collect();
            let mode = self.dice.pick(&[Mode::Atomic, Mode::Queued]);
            Body {
                kind: Kind::Change,
                mode,
                edits,
                only: BTreeSet::new(),
                window: None,
                binding: None,
            }
        };
        let id = format!("{}/{}", self.records.epoch(), self.dice.roll(u64::MAX));
        let request = Request {
            id: TransactionId::new(id).expect("an id"),
            body,
            until: self.dice.pick(&[Until::Decision, Until::Decision, Until::Outcome]),
            deadline: Timestamp::new(self.now + 100 + self.dice.roll(2_000)),
            answer_by: None,
            author: "a \"quoted\" author".into(),
            comment: String::new(),
        };
        self.tell(Event::Submit { client: Client(self.clients), request, verdict: None });
    }

    fn edit(&mut self) -> Edit {
        let mut edit = Edit::default();
        if self.dice.chance(25) {
            edit.clear.push(path(self.dice.pick(&PATHS)));
        }
        for _ in 0..=self.dice.roll(2) {
            let content = match self.dice.roll(3) {
                0 => Content::leaf(self.dice.roll(5)),
                1 => Content::leaf_list(["x", "y\n\"z\""]),
                _ => Content::Entry,
            };
            edit.set.insert(path(self.dice.pick(&PATHS)), content);
        }
        edit
    }

    fn cancel(&mut self) {
        let head = self.node.view().head().index.get();
        self.clients += 1;
        let index = Index::new(self.dice.roll(head + 1));
        self.tell(Event::Cancel { client: Client(self.clients), index, author: String::new() });
    }

    fn connection(&mut self) {
        let on = target(self.dice.pick(&NAMES));
        match self.connections.remove(&on) {
            Some(connection) if self.dice.chance(40) => {
                if self.dice.chance(50) {
                    // It starts anew, with nothing.
                    self.devices.remove(&on);
                    self.trials.remove(&on);
                }
                self.tell(Event::Disconnected { target: on, connection });
            }
            Some(kept) => {
                self.connections.insert(on, kept);
            }
            None => {
                self.last_connection += 1;
                let connection = Connection::new(self.last_connection);
                self.connections.insert(on.clone(), connection);
                self.tell(Event::Connected { target: on.clone(), connection });
                let trials = self.dice.pick(&[
                    Trials::Never,
                    Trials::Shared,
                    Trials::Shared,
                    Trials::Always,
                ]);
                self.tell(Event::Trials { target: on, connection, trials });
            }
        }
    }

    fn time(&mut self) {
        self.now += self.dice.roll(300);
        let mut due = self.now;
        if self.dice.chance(50) {
            due = self.node.next_due().map_or(due, |at| at.get().max(due));
        }
        self.now = due;
        self.tell(Event::Tick(Timestamp::new(due)));
    }

    /// One of the node's commands is carried out, not always the first.
    async fn work(&mut self) {
        if self.todo.is_empty() {
            return;
        }
        let sides = u64::try_from(self.todo.len().min(3)).expect("few commands");
        let at = usize::try_from(self.dice.roll(sides)).expect("few commands");
        match self.todo.remove(at) {
            Command::Write { wake, txn } => {
                let result = self.records.write(txn.clone()).await.expect("an answer");
                self.told = self.records.revision().await.expect("a revision");
                self.tell(Event::Written { wake, result });
            }
            Command::Validate { subject, checks } => {
                let bases = checks.iter().map(|(on, check)| (on.clone(), check.base.clone()));
                let violations = checks.keys().filter(|_| self.dice.chance(5)).map(violation);
                let violations = violations.collect();
                let verdict = Verdict { bases: bases.collect(), violations };
                self.tell(Event::Verdict { subject, verdict });
            }
            Command::Send { target, connection, sequence, ask, .. } => {
                if let Some(answer) = self.answer(&target, connection, &ask) {
                    self.tell(Event::Answered { target, connection, sequence, answer });
                }
            }
            Command::Close { target, connection } => {
                self.connections.remove(&target);
                self.tell(Event::Disconnected { target, connection });
            }
            Command::Answer { .. } | Command::Connect(_) | Command::Disconnect(_) => {}
        }
    }

    fn answer(&mut self, on: &Target, connection: Connection, ask: &Ask) -> Option<Answer> {
        if self.connections.get(on) != Some(&connection) {
            return None;
        }
        let device = self.devices.entry(on.clone()).or_default();
        let refused = || Failure { code: "Aborted".into(), message: "no\tway".into() };
        Some(match (ask, self.dice.roll(20)) {
            (_, 0) => Answer::Busy,
            (_, 1) => Answer::Unknown,
            (Ask::Claim, _) => Answer::Accepted,
            (Ask::Read, _) => Answer::Values(device.clone()),
            (Ask::Confirm(index) | Ask::Cancel(index), _) => match self.trials.remove(on) {
                None => Answer::Lost,
                Some((tried, before)) if tried == *index => {
                    if matches!(ask, Ask::Cancel(_)) {
                        *device = before;
                    }
                    Answer::Accepted
                }
                Some(other) => {
                    self.trials.insert(on.clone(), other);
                    Answer::Refused(refused())
                }
            },
            (_, 2..=3) => Answer::Refused(refused()),
            _ if self.trials.contains_key(on) => Answer::Refused(refused()),
            (Ask::Set(delta) | Ask::Trial { delta, .. }, _) => {
                if let Ask::Trial { index, .. } = ask {
                    self.trials.insert(on.clone(), (*index, device.clone()));
                }
                device.apply_values(delta);
                if device.get(&path(OWN)).is_some() {
                    let own = [(path(OWN), Some(Content::leaf("in a form of its own")))];
                    device.apply_values(&own.into_iter().collect());
                }
                Answer::Accepted
            }
        })
    }
}

fn violation(on: &Target) -> Violation {
    Violation { target: on.clone(), path: path("/a"), message: "must be even".into() }
}
