//! Masterships spread evenly: each target has a node whose turn it is, and comes to it by and by.
//!
//! ```text
//!   whose turn it is            connected, and not the master           the master, with nothing under way
//!   worked out by each node ──► writes that it would take it (next) ──► hands it over: the next term
//!   from who is there
//! ```
//!
//! There is always a master, so nobody has to wait while a target changes hands, and only a few do at a time.
//! Of the other nodes one stands by with a connection; the rest leave the device alone unless it has no
//! master.

use std::collections::BTreeMap;

use lockstep_types::{NodeName, SessionId, Target, Term};

use super::Node;
use super::link::Retry;
use crate::command::Command;
use crate::draft::Draft;
use crate::event::Wake;
use crate::record::{Drift, Key, Mastership, Next};
use crate::txn::{Changes, Op};
use crate::view::View;

/// How much longer a target is left to others than a device is left alone after a failure.
const UNFIT: u64 = 64;

/// For how many targets a node asks at a time.
const AT_ONCE: usize = 8;

/// Who sees to a target while all are well.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Turn {
    /// Who is to be its master.
    pub master: SessionId,
    /// Who is connected besides.
    pub standby: Option<SessionId>,
}

impl Turn {
    /// Whether this node is to be connected.
    fn names(&self, session: &SessionId) -> bool {
        self.master == *session || self.standby.as_ref() == Some(session)
    }
}

/// Whose turn each target is. Every node comes to the same: a target goes to the node that a hash of both
/// ranks first and that has not got its share. When a node comes or goes, little else moves.
fn turns(view: &View) -> BTreeMap<Target, Turn> {
    let nodes: Vec<(&SessionId, u64)> = newest(view).map(|s| (s, name(view, s))).collect();
    let share = view.targets().count().div_ceil(nodes.len().max(1));
    let mut left = vec![share; nodes.len()];
    let mut turns = BTreeMap::new();
    for target in view.targets() {
        let rank = |at: &usize| (hash(nodes[*at].1, target.as_str()), nodes[*at].0);
        let free = (0..nodes.len()).filter(|at| left[*at] > 0);
        let Some(master) = free.max_by_key(rank) else { continue };
        left[master] -= 1;
        let standby = (0..nodes.len()).filter(|at| *at != master).max_by_key(rank);
        let (master, standby) = (nodes[master].0.clone(), standby.map(|at| nodes[at].0.clone()));
        turns.insert(target.clone(), Turn { master, standby });
    }
    turns
}

/// The sessions that count: a node that died and is back has its share once, though the lease of the one that
/// died is still to end.
fn newest(view: &View) -> impl Iterator<Item = &SessionId> {
    let since = |session: &SessionId| view.version(&Key::Session(session.clone()));
    let mut newest: BTreeMap<Option<&NodeName>, &SessionId> = BTreeMap::new();
    for session in view.sessions() {
        let known = newest.entry(view.node(session)).or_insert(session);
        if since(session) > since(known) {
            *known = session;
        }
    }
    newest.into_values()
}

/// A node that starts again is still the same one.
fn name(view: &View, session: &SessionId) -> u64 {
    let name = view.node(session).map(ToString::to_string);
    hash(0xcbf2_9ce4_8422_2325, &name.unwrap_or_default())
}

/// A number that depends on both, and on nothing else.
fn hash(seed: u64, text: &str) -> u64 {
    let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = text.bytes().fold(seed, step);
    // Names that differ in their last letter alone are to be as far apart as any.
    (hash ^ (hash >> 32)).wrapping_mul(0xff51_afd7_ed55_8ccd)
}

impl Node {
    /// Works out whose turn each target is.
    pub(super) fn share_out(&mut self) {
        if self.settings.spread {
            self.desk.turns = turns(&self.view);
            let ours = |target: &Target| {
                self.desk.turns.get(target).is_some_and(|turn| turn.master == self.session)
            };
            self.desk.asked.retain(ours);
            let turns = &self.desk.turns;
            self.desk.handed.retain(|target, _| turns.contains_key(target));
            self.desk.unfit.retain(|target, _| turns.contains_key(target));
            self.desk.declined.clear();
            self.desk.wanted.clear();
            self.desk.share_at = None;
        }
    }

    /// What a write means for who sees to which target. Gives those where this node may have to do something
    /// about it.
    pub(super) fn shared(&mut self, changes: &Changes, out: &mut Vec<Command>) -> Vec<Target> {
        let mut concerned: Vec<Target> = changes.ops.iter().filter_map(changes_hands).collect();
        if changes.ops.iter().any(|op| matches!(op, Op::Session { .. } | Op::EndSession(_))) {
            self.share_out();
            concerned.extend(self.view.targets().cloned());
        }
        for op in &changes.ops {
            self.comes_or_goes(op);
        }
        self.see_to_connections(&concerned, out);
        for op in &changes.ops {
            self.answered_for(op, &mut concerned);
        }
        concerned
    }

    /// A target comes to be, or goes. Whose turn the others are then is worked out a little later, for there may be
    /// thousands of them, one after the other. Until then nobody is told off who connects to it.
    fn comes_or_goes(&mut self, op: &Op) {
        let moves = match op {
            Op::Binding { target, .. } => !self.desk.turns.contains_key(target),
            Op::Forget(Key::Binding(target)) => {
                self.desk.asked.remove(target);
                self.desk.declined.remove(target);
                self.desk.wanted.remove(target);
                self.desk.handed.remove(target);
                self.desk.unfit.remove(target);
                self.desk.turns.remove(target).is_some()
            }
            _ => false,
        };
        if moves && self.settings.spread {
            self.desk.share_at.get_or_insert(self.desk.now.after(self.settings.backoff));
        }
    }

    /// Works out whose turn each target is, if it is time. Gives those where this node may have to do something about
    /// it.
    pub(super) fn share_again(&mut self, out: &mut Vec<Command>) -> Vec<Target> {
        if self.desk.share_at.take_if(|at| *at <= self.desk.now).is_none() {
            return Vec::new();
        }
        self.share_out();
        let targets: Vec<Target> = self.view.targets().cloned().collect();
        self.see_to_connections(&targets, out);
        targets
    }

    /// A target that this node asked for came, or not: room to ask for another.
    fn answered_for(&mut self, op: &Op, concerned: &mut Vec<Target>) {
        match op {
            Op::Mastership { target, mastership } => {
                let answered = mastership.next.is_none() && self.desk.asked.remove(target);
                if mastership.next.is_none() {
                    self.ask_for_others(concerned);
                }
                if answered && self.is_master(target) {
                    self.desk.handed.insert(target.clone(), mastership.term);
                } else if answered {
                    self.desk.declined.insert(target.clone());
                }
            }
            Op::Drifted { target, .. } if self.desk.declined.remove(target) => {
                concerned.push(target.clone());
            }
            // Something is different about it now.
            Op::Configuration { target, header, .. } => {
                self.desk.declined.remove(target);
                if self.desk.asked.contains(target) {
                    self.ask_for_others(concerned);
                }
                if self.desk.handed.get(target) == Some(&header.synced) {
                    self.desk.handed.remove(target);
                    self.desk.unfit.remove(target);
                }
            }
            _ => {}
        }
    }

    /// There may be room to ask for others. Some of them may not be to be had any more; who has no room waits again.
    fn ask_for_others(&mut self, concerned: &mut Vec<Target>) {
        concerned.extend((0..AT_ONCE).filter_map(|_| self.desk.wanted.pop_first()));
    }

    /// Whether this node has asked for as many targets as it may at a time. One that has something to do now, or that an
    /// operator paused, may take long to come, and keeps nobody waiting.
    fn has_asked_enough(&self) -> bool {
        let comes = |target: &&Target| {
            let term = self.view.mastership(target).map(|mastership| mastership.term);
            term.is_some_and(|term| self.is_at_rest(target, term))
        };
        self.desk.asked.iter().filter(comes).take(AT_ONCE).count() == AT_ONCE
    }

    /// Connects to the devices that are this node's to see to, and lets go of the others.
    pub(super) fn see_to_connections(&mut self, targets: &[Target], out: &mut Vec<Command>) {
        for target in targets {
            let (wants, has) = (self.sees_to(target), self.desk.reached.contains(target));
            if wants && !has {
                self.desk.reached.insert(target.clone());
                out.push(Command::Connect(target.clone()));
            } else if has && !wants {
                self.desk.reached.remove(target);
                if self.connection(target).is_some() {
                    self.give_up(target, out);
                }
                out.push(Command::Disconnect(target.clone()));
            }
        }
    }

    /// Whether this node is to be connected to a device: it is the master, or to be, or stands by; or there
    /// is none, and whoever can reach it is to take it.
    fn sees_to(&self, target: &Target) -> bool {
        let turn = || self.desk.turns.get(target).is_none_or(|turn| turn.names(&self.session));
        let alone = self.view.master(target).is_none();
        self.view.binding(target).is_some() && (alone || self.is_master(target) || turn())
    }

    /// Says that this node would take a target whose turn it is, to a master that is somebody else.
    pub(super) fn ask_for(&mut self, target: &Target, out: &mut Vec<Command>) {
        let Some(mastership) = self.view.mastership(target) else { return };
        let connection = self.connection(target);
        let asked = mastership.next.as_ref().filter(|next| next.session == self.session);
        if asked.is_some_and(|next| Some(next.connection) != connection) {
            return self.ask_no_more(target, out);
        }
        let Some(connection) = connection else { return };
        let next = Some(Next { session: self.session.clone(), connection });
        let ours = self.desk.turns.get(target).is_some_and(|turn| turn.master == self.session);
        let ours = ours && !self.desk.declined.contains(target) && self.is_fit(target);
        if !ours || mastership.next == next || !self.is_at_rest(target, mastership.term) {
            return;
        }
        if !self.desk.asked.contains(target) && self.has_asked_enough() {
            self.desk.wanted.insert(target.clone());
            return;
        }
        let mut draft = Draft::new(&self.view);
        draft.depends_on(Key::Mastership(target.clone()));
        draft.alive(&self.session);
        draft.put_mastership(target, Mastership { next, ..mastership.clone() });
        let txn = draft.txn();
        self.desk.asked.insert(target.clone());
        self.write(Wake::Target(target.clone()), txn, out);
    }

    /// Takes back what this node said on a connection that is gone: the target would be handed to a node that does not
    /// reach its device, and have no master.
    fn ask_no_more(&mut self, target: &Target, out: &mut Vec<Command>) {
        let Some(mastership) = self.view.mastership(target).cloned() else { return };
        let mut draft = Draft::new(&self.view);
        draft.depends_on(Key::Mastership(target.clone()));
        draft.alive(&self.session);
        draft.put_mastership(target, Mastership { next: None, ..mastership });
        let txn = draft.txn();
        self.desk.asked.remove(target);
        self.write(Wake::Target(target.clone()), txn, out);
    }

    /// Whether this node may ask for a target, as far as it knows of itself.
    fn is_fit(&self, target: &Target) -> bool {
        self.desk.unfit.get(target).is_none_or(|unfit| unfit.at <= self.desk.now)
    }

    /// Whether a device refuses to be brought in line by this node, which was handed it in line.
    pub(super) fn is_refused_here(&self, target: &Target, term: Term) -> bool {
        let refused = self.view.header(target).resync_refused.is_some();
        refused && self.desk.handed.get(target) == Some(&term)
    }

    /// This node lets go of a target that it was handed and did not bring in line. Others could: so it is left to
    /// them, longer each time, and does not go back and forth.
    pub(super) fn could_not_hold(&mut self, target: &Target, term: Term) {
        if self.desk.handed.remove(target) != Some(term) {
            return;
        }
        let failures = self.desk.unfit.get(target).map_or(0, |unfit| unfit.failures);
        let at = self.desk.now.after(self.settings.wait(failures).saturating_mul(UNFIT));
        let failures = failures.saturating_add(1).min(self.settings.backoff_doublings);
        self.desk.unfit.insert(target.clone(), Retry { at, failures });
    }

    /// Whether nobody would notice if a target changed hands: its device is in line, and nothing waits.
    fn is_at_rest(&self, target: &Target, term: Term) -> bool {
        let header = self.view.header(target);
        let calm = header.synced == term && header.trial.is_none() && !header.paused;
        calm && !header.adopting && self.view.is_settled(target)
    }

    /// The node that the master is asked to hand the target over to, where nobody would notice.
    pub(super) fn successor(&self, target: &Target, term: Term) -> Option<Next> {
        let next = self.view.mastership(target)?.next.clone();
        let turn = self.desk.turns.get(target);
        let there = next.filter(|n| n.session != self.session && self.view.is_alive(&n.session));
        let there = there.filter(|n| turn.is_some_and(|turn| turn.master == n.session));
        // What is about to be adopted or changed back is waited for.
        let left_so = || self.view.binding(target).is_some_and(|b| b.drift == Drift::Report);
        there.filter(|_| self.is_at_rest(target, term) && (!self.is_drifted(target) || left_so()))
    }

    fn is_drifted(&self, target: &Target) -> bool {
        self.desk.link(target).is_some_and(|link| link.drifted)
    }

    /// The target is the other node's from now on. A device that somebody else changed stays where it is: the
    /// next term would begin with changing it back.
    pub(super) fn hand_over(&mut self, target: &Target, next: Next, out: &mut Vec<Command>) {
        let Some(mastership) = self.view.mastership(target).cloned() else { return };
        let Next { session, connection } = next;
        let mut draft = Draft::new(&self.view);
        draft.as_master(target, &self.session);
        let handed = if self.is_drifted(target) {
            Mastership { next: None, ..mastership }
        } else {
            draft.alive(&session);
            draft.depends_on(Key::Configuration(target.clone()));
            let term = mastership.term.next();
            Mastership { session: Some(session), term, connection, next: None }
        };
        draft.put_mastership(target, handed);
        let txn = draft.txn();
        self.write(Wake::Target(target.clone()), txn, out);
    }
}

/// The target that may have come into other hands with a write, or is to be reached otherwise, or not at all.
fn changes_hands(op: &Op) -> Option<Target> {
    match op {
        Op::Mastership { target, .. }
        | Op::Binding { target, .. }
        | Op::Forget(Key::Binding(target)) => Some(target.clone()),
        _ => None,
    }
}
