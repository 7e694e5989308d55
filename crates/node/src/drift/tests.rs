//! What is made of notices, one after the other.

use std::collections::BTreeSet;
use std::path::Path as FilePath;

use lockstep_protocol::record::{
    Header, Kind, Mastership, Mode, Part, PartStatus, Proposal, Status, Transaction,
};
use lockstep_protocol::{Changes, Op};
use lockstep_southbound::Notice;
use lockstep_types::{
    Configuration, Connection, Delta, Edit, Index, Patch, Term, Timestamp, TransactionId, Undo,
};
use lockstep_yang::{ModelSet, Options};

use super::heard::{KEPT, STANDS};
use super::*;
use crate::aside::FEW;

const MOTD: &str = "/system/motd";

/// A target that was brought in line on connection 1, with `motd` applied.
struct World {
    spec: TargetSpec,
    view: View,
    drift: Drift,
    now: Instant,
}

fn at(text: &str) -> Path {
    text.parse().unwrap()
}

fn session() -> SessionId {
    SessionId::new("s1").unwrap()
}

fn motd(text: &str) -> Delta {
    [(at(MOTD), Some(Content::leaf(text)))].into_iter().collect()
}

impl World {
    fn new() -> Self {
        let path = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../models/lab");
        let models = ModelSet::load(&Options { path, ..Options::default() }).unwrap();
        let spec = TargetSpec {
            name: Target::new("leaf1").unwrap(),
            model: "lab".into(),
            models,
            ignore: Vec::new(),
        };
        let mut world =
            Self { spec, view: View::new(), drift: Drift::new(session()), now: Instant::now() };
        world.connect(1);
        world.record(0, true, &motd("v0"));
        world
    }

    fn write(&mut self, op: Op) {
        let revision = self.view.revision().next();
        self.view.absorb(&Changes { revision, ops: vec![op] });
    }

    /// This node is master on this connection.
    fn connect(&mut self, number: u64) {
        let (session, term) = (Some(session()), Term::new(number));
        let mastership =
            Mastership { session, term, connection: Connection::new(number), next: None };
        self.write(Op::Mastership { target: self.spec.name.clone(), mastership });
    }

    /// The device accepted this.
    fn record(&mut self, index: u64, met: bool, delta: &Delta) {
        if index > 0 {
            self.transaction(index, PartStatus::Applied);
        }
        self.write(Op::Configuration {
            target: self.spec.name.clone(),
            header: Header { met, ..Header::NEW },
            committed: Patch::default(),
            applied: delta.written_by(Index::new(index)),
            cleared: false,
        });
    }

    /// This is on its way.
    fn send(&mut self, index: u64, delta: Delta) {
        let proposal = Proposal { edit: Edit::default(), delta, undo: Undo::default() };
        let target = self.spec.name.clone();
        self.write(Op::Proposal { index: Index::new(index), target, proposal });
        self.transaction(index, PartStatus::Pending);
    }

    fn transaction(&mut self, index: u64, status: PartStatus) {
        let part = Part { status, ..Part::default() };
        self.write(Op::Transaction(Transaction {
            index: Index::new(index),
            id: TransactionId::new(format!("t{index}")).unwrap(),
            kind: Kind::Change,
            mode: Mode::Queued,
            origin: session(),
            author: String::new(),
            comment: String::new(),
            only: BTreeSet::new(),
            window: None,
            binding: None,
            submitted: Timestamp::ZERO,
            deadline: Timestamp::ZERO,
            decided: None,
            finished: None,
            status: Status::Committed,
            reason: None,
            wide: false,
            called_off: false,
            trial: false,
            disturbed: 0,
            targets: [(self.spec.name.clone(), part)].into_iter().collect(),
        }));
    }

    fn hear(&mut self, connection: u64, notice: Notice) {
        let noticed = Noticed { connection: Connection::new(connection), notice };
        let before = self.drift.heard(&self.spec.name);
        let heard = heard::heard(&self.spec, &self.view, &before, noticed, self.now);
        self.drift.set(self.spec.name.clone(), heard);
    }

    /// The device tells that all it has is this banner, or that it changed to this.
    fn hear_all(&mut self, connection: u64, text: &str) {
        let all = motd(text).into_iter().filter_map(|(path, content)| Some((path, content?)));
        self.hear(connection, Notice::All(Box::new(all.collect())));
    }

    fn hear_changed(&mut self, text: &str) {
        let set = [(at(MOTD), Content::leaf(text))].into_iter().collect();
        self.hear(1, Notice::Changed(Box::new(Edit { set, ..Edit::default() })));
    }

    /// As it is once what was heard last has stood for long enough.
    fn drifted(&self) -> Drifted {
        self.drift.of(&self.view, &self.spec.name, Some(&self.spec), self.now + STANDS)
    }

    fn is_drifted(&self) -> bool {
        !self.drifted().first.is_empty()
    }
}

#[test]
fn what_is_changed_is_drift_until_it_is_changed_back() {
    let mut world = World::new();
    world.hear_all(1, "v0");
    assert!(!world.is_drifted());
    world.hear_changed("by hand");
    let (shows, wanted) = (Some(Content::leaf("by hand")), Some(Content::leaf("v0")));
    let first = vec![Difference { path: at(MOTD), shows, wanted }];
    assert_eq!(world.drifted(), Drifted { term: Term::new(1), first, more: 0, given_up: false });
    world.hear_changed("v0");
    assert!(!world.is_drifted());
}

/// A device tells of our own changes late: an older one when the next has been recorded.
#[test]
fn a_difference_counts_once_it_has_stood_for_a_moment() {
    let mut world = World::new();
    world.hear_all(1, "v0");
    world.record(1, true, &motd("v1"));
    world.record(2, true, &motd("v2"));
    world.hear_changed("v1");
    let of = |world: &World, now| {
        let drifted = world.drift.of(&world.view, &world.spec.name, Some(&world.spec), now);
        !drifted.first.is_empty()
    };
    assert!(!of(&world, world.now), "it may be late");
    let heard = world.drift.heard(&world.spec.name);
    assert_eq!(heard.next_counts(world.now), Some(world.now + STANDS));
    assert!(of(&world, world.now + STANDS), "it stands");
    // Told again, it stands since it was first told; something else begins anew.
    let begun = world.now;
    world.now += STANDS / 2;
    world.hear_changed("v1");
    assert!(of(&world, begun + STANDS));
    world.hear_changed("by hand");
    assert!(!of(&world, begun + STANDS));
    world.hear_changed("v2");
    assert!(!world.is_drifted());
    assert_eq!(world.drift.heard(&world.spec.name).next_counts(world.now), None);
}

#[test]
fn what_was_told_on_another_connection_is_of_the_past() {
    let mut world = World::new();
    world.hear_all(1, "by hand");
    assert!(world.is_drifted());
    // Brought in line anew, and not read since.
    world.connect(2);
    assert!(!world.is_drifted());
    world.hear_all(2, "by hand again");
    assert!(world.is_drifted());
}

#[test]
fn a_node_that_is_not_the_master_shows_what_it_hears() {
    let mut world = World::new();
    world.drift = Drift::new(SessionId::new("s2").unwrap());
    world.hear_all(7, "by hand");
    assert!(world.is_drifted());
}

#[test]
fn our_own_change_heard_before_its_record_is_no_drift_later_either() {
    let mut world = World::new();
    world.hear_all(1, "v0");
    world.send(1, motd("v1"));
    world.hear_changed("v1");
    assert!(!world.is_drifted(), "on its way");
    world.record(1, true, &motd("v1"));
    assert!(!world.is_drifted());
    world.send(2, motd("v2"));
    world.record(2, true, &motd("v2"));
    assert!(!world.is_drifted(), "the notice of it comes later");
    world.hear_changed("v2");
    world.hear_changed("by hand");
    assert!(world.is_drifted());
}

#[test]
fn what_the_device_took_and_refused_all_the_same_is_drift() {
    let mut world = World::new();
    world.send(1, motd("v1"));
    world.hear_changed("v1");
    assert!(!world.is_drifted());
    world.transaction(1, PartStatus::Withdrawn);
    assert!(world.is_drifted());
}

/// A device may tell of them at once, and of nothing after that.
#[test]
fn what_comes_by_default_with_our_own_change_is_no_drift() {
    let mut world = World::new();
    world.hear_all(1, "v0");
    let port = at("/interfaces/interface[name=eth1]");
    let entry: Delta = [(port.clone(), Some(Content::Entry))].into_iter().collect();
    world.send(1, entry.clone());
    let enabled = at("/interfaces/interface[name=eth1]/enabled");
    let by_default = [(port, Content::Entry), (enabled.clone(), Content::leaf(true))];
    let set = by_default.into_iter().collect();
    world.hear(1, Notice::Changed(Box::new(Edit { set, ..Edit::default() })));
    assert!(!world.is_drifted(), "on its way");
    world.record(1, true, &entry);
    assert!(!world.is_drifted(), "it is in force");
    let set = [(enabled, Content::leaf(false))].into_iter().collect();
    world.hear(1, Notice::Changed(Box::new(Edit { set, ..Edit::default() })));
    assert_eq!(world.drifted().first.len(), 1);
}

#[test]
fn a_change_on_top_of_what_is_on_its_way_is_seen_for_what_it_is() {
    let mut world = World::new();
    let vlan = at("/vlans/vlan[id=7]");
    let entry: Delta = [(vlan.clone(), Some(Content::Entry))].into_iter().collect();
    world.send(1, entry.clone());
    let set = [(vlan.clone(), Content::Entry)].into_iter().collect();
    world.hear(1, Notice::Changed(Box::new(Edit { set, ..Edit::default() })));
    let set = [(at("/vlans/vlan[id=7]/name"), Content::leaf("seven"))].into_iter().collect();
    world.hear(1, Notice::Changed(Box::new(Edit { set, ..Edit::default() })));
    assert_eq!(world.drifted().first.len(), 1, "the name is of someone else");
    world.record(1, true, &entry);
    world.hear(1, Notice::Changed(Box::new(Edit { clear: vec![vlan], ..Edit::default() })));
    let gone = world.drifted().first;
    assert_eq!(gone.len(), 1, "{gone:?}");
    assert_eq!((&gone[0].shows, &gone[0].wanted), (&None, &Some(Content::Entry)));
}

#[test]
fn nothing_is_kept_of_a_device_that_was_never_brought_in_line() {
    let mut world = World::new();
    world.record(0, false, &Delta::new());
    world.hear_all(1, "its own");
    assert_eq!(world.drift.heard(&world.spec.name).shown(&Configuration::new()).count(), 0);
}

#[test]
fn of_many_differences_the_first_are_shown_and_the_others_counted() {
    let mut world = World::new();
    let entry = |id| (at(&format!("/vlans/vlan[id={id}]")), Content::Entry);
    let total = KEPT + 50;
    let held = (1..total).map(entry).chain([(at(MOTD), Content::leaf("v1"))]);
    world.hear(1, Notice::All(Box::new(held.collect())));
    let Drifted { first, more, .. } = world.drifted();
    assert_eq!((first.len(), more), (SHOWN, total - SHOWN));
    let heard = world.drift.heard(&world.spec.name);
    assert_eq!(heard.shown(&Configuration::new()).count(), KEPT);
    assert!(!heard.is_to_be_heard_anew());
    // When those that are kept are gone, the others have to be asked for.
    let set = [(at(MOTD), Content::leaf("v0"))].into_iter().collect();
    let clear = vec![at("/vlans")];
    world.hear(1, Notice::Changed(Box::new(Edit { clear, set, ..Edit::default() })));
    assert!(world.drift.heard(&world.spec.name).is_to_be_heard_anew());
}

#[test]
fn what_is_cleared_of_much_is_looked_at_aside() {
    let banners = |count: usize| -> Configuration {
        let at = |number| at(&format!("/interfaces/interface[name=eth{number}]/description"));
        (0..count).map(|number| (at(number), Content::leaf("x"))).collect()
    };
    let (little, much) = (banners(FEW), banners(FEW + 1));
    let is_little = |applied, notice| heard::is_little(applied, &Heard::default(), &notice);
    let all = |held: &Configuration| Notice::All(Box::new(held.clone()));
    assert!(is_little(&little, all(&little)));
    assert!(!is_little(&little, all(&much)) && !is_little(&much, all(&little)));
    let clear = || Notice::Changed(Box::new(Edit { clear: vec![Path::root()], ..Edit::default() }));
    assert!(is_little(&little, clear()) && !is_little(&much, clear()));
    let set = [(at(MOTD), Content::leaf("x"))].into_iter().collect();
    assert!(is_little(&much, Notice::Changed(Box::new(Edit { set, ..Edit::default() }))));
}
