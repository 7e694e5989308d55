//! One Set from end to end, with a real node: how much is written, and how often.

use lockstep_protocol::record::{Kind, Mode, Trials};
use lockstep_protocol::{
    Answer, Ask, Body, Client, Command, Event, Node, Request, Settings, Until, Verdict,
};
use lockstep_store::kv::Event as Change;
use lockstep_store::{Memory, Records, Session, Watch};
use lockstep_types::{
    Configuration as Tree, Connection, Content, Edit, Path, Timestamp, TransactionId,
};

use crate::support::{bound, next, node, records, target, write};

/// A node with one device that accepts everything.
pub(crate) struct Shell {
    records: Records,
    _session: Session,
    watch: Watch,
    node: Node,
    device: Tree,
    sets: u64,
}

impl Shell {
    async fn start() -> Self {
        let records = records(Memory::new()).await;
        write(&records, vec![], vec![bound(&target("leaf1"))]).await;
        Self::on(records).await
    }

    /// On what the records hold, which the device holds too.
    pub(crate) async fn on(records: Records) -> Self {
        Self::with(records, Trials::Never, Settings::default()).await
    }

    pub(crate) async fn with(records: Records, trials: Trials, settings: Settings) -> Self {
        let session = records.begin(&node()).await.unwrap();
        let view = records.load().await.unwrap();
        let watch = records.watch(view.revision()).await.unwrap();
        let device = view.applied(&target("leaf1"));
        let node = Node::new(session.id().clone(), settings, view);
        let mut shell = Self { records, _session: session, watch, node, device, sets: 0 };
        let (target, connection) = (target("leaf1"), Connection::new(1));
        let connected = Event::Connected { target: target.clone(), connection };
        let trials = Event::Trials { target, connection, trials };
        let lease = Event::Lease(Timestamp::new(u64::MAX));
        let told = [Event::Tick(Timestamp::new(1)), lease, connected, trials];
        let todo = told.into_iter().flat_map(|event| shell.node.handle(event)).collect();
        shell.carry_out(todo).await;
        shell
    }

    pub(crate) fn view(&self) -> &lockstep_protocol::View {
        self.node.view()
    }

    /// Tells the node and does what it says, until there is nothing left to do.
    async fn tell(&mut self, event: Event) {
        let todo = self.node.handle(event);
        self.carry_out(todo).await;
    }

    async fn carry_out(&mut self, mut todo: Vec<Command>) {
        while !todo.is_empty() {
            let event = match todo.remove(0) {
                Command::Write { wake, txn } => {
                    let result = self.records.write(txn.clone()).await.unwrap();
                    Event::Written { wake, result }
                }
                Command::Validate { subject, checks } => {
                    let bases = checks.into_iter().map(|(on, check)| (on, check.base)).collect();
                    Event::Verdict { subject, verdict: Verdict { bases, violations: vec![] } }
                }
                Command::Send { target, connection, sequence, ask, .. } => {
                    let answer = self.answer(&ask);
                    Event::Answered { target, connection, sequence, answer }
                }
                Command::Close { .. } => panic!("nothing went wrong"),
                Command::Answer { .. } | Command::Connect(_) | Command::Disconnect(_) => continue,
            };
            todo.extend(self.node.handle(event));
            let last = self.records.revision().await.unwrap();
            while self.node.view().revision() < last {
                let changes = next(&mut self.watch).await;
                todo.extend(self.node.handle(Event::Watch(changes)));
            }
        }
    }

    fn answer(&mut self, ask: &Ask) -> Answer {
        match ask {
            Ask::Claim => Answer::Accepted,
            Ask::Read => Answer::Values(self.device.clone()),
            Ask::Set(delta) | Ask::Trial { delta, .. } => {
                self.device.apply_values(delta);
                Answer::Accepted
            }
            Ask::Confirm(_) => Answer::Accepted,
            Ask::Cancel(_) => Answer::Lost,
        }
    }

    pub(crate) async fn set(&mut self, leaves: impl Iterator<Item = (Path, Content)>) {
        self.change(Edit { set: leaves.collect(), ..Edit::default() }).await;
    }

    pub(crate) async fn change(&mut self, edit: Edit) {
        self.sets += 1;
        let edits = [(target("leaf1"), edit)].into();
        let body = Body {
            kind: Kind::Change,
            mode: Mode::Atomic,
            edits,
            only: [].into(),
            window: None,
            binding: None,
        };
        let request = Request {
            id: TransactionId::new(format!("set-{}", self.sets)).unwrap(),
            body,
            until: Until::Outcome,
            deadline: Timestamp::new(1_000_000),
            answer_by: None,
            author: "operator".into(),
            comment: String::new(),
        };
        self.tell(Event::Submit { client: Client(self.sets), request, verdict: None }).await;
    }
}

pub(crate) fn leaf(number: u64) -> Path {
    format!("/interfaces/interface[name=eth{number}]/config/description").parse().unwrap()
}

/// The writes and bytes of one-leaf Sets on a target with this many leaves, after this many Sets.
async fn cost(leaves: u64, before: u64) -> (u64, usize) {
    let mut shell = Shell::start().await;
    shell.set((0..leaves).map(|n| (leaf(n), Content::leaf("to begin with")))).await;
    for number in 0..before {
        shell.set([(leaf(number % 10), Content::leaf("earlier"))].into_iter()).await;
    }
    shell.records.fold(&target("leaf1")).await.unwrap();
    let from = shell.records.revision().await.unwrap();
    let mut feed = shell.records.store().watch(from).await.unwrap();
    let writes = shell.records.writes();
    shell.set([(leaf(3), Content::leaf("changed"))].into_iter()).await;
    let until = shell.records.revision().await.unwrap();
    let mut bytes = 0;
    for _ in from.get()..until.get() {
        let commit = feed.next().await.unwrap();
        let size = |event: &Change| match event {
            Change::Put(entry) => entry.key.len() + entry.value.len(),
            Change::Delete(key) => key.len(),
        };
        bytes += commit.events.iter().map(size).sum::<usize>();
    }
    let view = shell.records.load().await.unwrap();
    assert_eq!(view.applied(&target("leaf1")).get(&leaf(3)), Some(&Content::leaf("changed")));
    (shell.records.writes() - writes, bytes)
}

/// Decided, accepted by the device, kept by the device.
#[tokio::test]
async fn a_set_on_trial_is_three_writes() {
    let records = records(Memory::new()).await;
    write(&records, vec![], vec![bound(&target("leaf1"))]).await;
    let mut shell = Shell::with(records, Trials::Always, Settings::default()).await;
    let writes = shell.records.writes();
    shell.set([(leaf(3), Content::leaf("tried"))].into_iter()).await;
    let view = shell.records.load().await.unwrap();
    assert_eq!(view.applied(&target("leaf1")).get(&leaf(3)), Some(&Content::leaf("tried")));
    assert_eq!(view.header(&target("leaf1")).trial, None);
    assert_eq!(shell.records.writes() - writes, 3);
}

/// Guarded by a ratio: the record is the same size but for the digits of its numbers.
#[tokio::test]
async fn a_set_costs_what_it_changes() {
    let small = cost(10, 0).await;
    let large = cost(2_000, 0).await;
    let long = cost(10, 150).await;
    println!(
        "writes and bytes of a one-leaf Set: {small:?}, in a large tree {large:?}, in a long log {long:?}"
    );
    assert_eq!((small.0, large.0, long.0), (2, 2, 2));
    assert!(large.1 < small.1 + 100 && long.1 < small.1 + 100);
    assert!(small.1 < 4_000);
}
