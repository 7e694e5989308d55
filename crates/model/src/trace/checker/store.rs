//! The store as a trace tells of it: one revision after the other, each written by someone who could.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_protocol::{Changes, Compare, Op, Txn, View, Wake};
use lockstep_types::{Revision, SessionId};

use crate::trace::difference::Difference;
use crate::trace::finding::Reason;
use crate::trace::line::Nodes;

/// A write that a node decided on.
#[derive(Clone, Debug)]
struct Write {
    session: SessionId,
    wake: Wake,
    txn: Txn,
    /// The revision that it seems to have made, alone or with others of its node.
    made: Option<Revision>,
    /// Its node was told so.
    told: bool,
    /// Its node gave up on it. It may have happened, and may yet.
    given_up: bool,
}

/// A revision that was seen.
#[derive(Clone, Debug)]
struct Past {
    ops: Vec<Op>,
    after: View,
}

/// A revision seen for the first time.
#[derive(Clone, Debug)]
pub(super) struct New {
    /// The store after.
    pub(super) after: View,
    /// What was written.
    pub(super) ops: Vec<Op>,
    /// Who wrote it; none: not a node, or one whose steps are not here.
    pub(super) by: Option<SessionId>,
}

/// The store and what is on its way to it.
#[derive(Debug)]
pub(super) struct Store {
    nodes: Nodes,
    latest: View,
    past: BTreeMap<Revision, Past>,
    writes: Vec<Write>,
    /// Revisions that a node was told it made.
    told: BTreeMap<Revision, SessionId>,
    sessions: BTreeSet<SessionId>,
    /// What was passed over: after the one revision, and up to the other.
    untold: Vec<(Revision, Revision)>,
}

impl Store {
    /// The store as the header of a trace has it.
    pub(super) fn new(nodes: Nodes, content: &[Changes]) -> Result<Self, Reason> {
        let latest = made_of(content)?;
        let first = Past { ops: Vec::new(), after: latest.clone() };
        let past = [(latest.revision(), first)].into();
        let sessions = latest.sessions().cloned().collect();
        let (writes, told, untold) = (Vec::new(), BTreeMap::new(), Vec::new());
        Ok(Self { nodes, latest, past, writes, told, sessions, untold })
    }

    /// The store as somebody found it who had not watched for a while. Where that is more than the others have told so far,
    /// nobody knows how it came to be, and what was on its way may have happened.
    pub(super) fn found(&mut self, content: &[Changes]) -> Result<(), Reason> {
        let found = made_of(content)?;
        let (known, at) = (self.latest.revision(), found.revision());
        if at <= known {
            let other = |past: &Past| past.after.as_read() != found.as_read();
            if self.past.get(&at).is_some_and(other) {
                return Err(Reason::Content(at));
            }
            self.past.entry(at).or_insert(Past { ops: Vec::new(), after: found });
            return Ok(());
        }
        self.sessions.extend(found.sessions().cloned());
        self.untold.push((known, at));
        self.past.insert(at, Past { ops: Vec::new(), after: found.clone() });
        self.latest = found;
        Ok(())
    }

    /// Whether a revision was passed over when somebody found a later one.
    fn is_untold(&self, revision: Revision) -> bool {
        self.untold.iter().any(|(known, found)| *known < revision && revision <= *found)
    }

    /// The store as far as it is known.
    pub(super) fn latest(&self) -> &View {
        &self.latest
    }

    /// The store as it was.
    pub(super) fn at(&self, revision: Revision) -> Option<&View> {
        self.past.get(&revision).map(|past| &past.after)
    }

    /// A node decided to write.
    pub(super) fn wrote(&mut self, session: &SessionId, wake: &Wake, txn: &Txn) {
        let (session, wake, txn) = (session.clone(), wake.clone(), txn.clone());
        self.writes.push(Write { session, wake, txn, made: None, told: false, given_up: false });
    }

    /// Somebody saw a revision, which is given if it is new.
    pub(super) fn saw(&mut self, changes: &Changes) -> Result<Option<New>, Reason> {
        let Changes { revision, ops } = changes;
        if *revision <= self.latest.revision() {
            return self.saw_again(*revision, ops).map(|()| None);
        }
        self.is_unbroken(self.latest.revision(), *revision)?;
        self.advance(*revision, ops).map(Some)
    }

    /// A store may count what is not ours, and passes over it. What is passed over must hold nothing: neither what anyone
    /// saw, nor what anyone was told to have written.
    pub(super) fn is_unbroken(&self, from: Revision, to: Revision) -> Result<(), Reason> {
        let between = from.next()..to;
        if from.next() >= to {
            return Ok(());
        }
        let seen = self.past.range(between.clone()).any(|(_, past)| !past.ops.is_empty());
        if seen || self.told.range(between).next().is_some() {
            return Err(Reason::Gap { expected: from.next(), found: to });
        }
        Ok(())
    }

    /// A revision that is known. What lies before the trace began cannot be held against anything.
    fn saw_again(&self, revision: Revision, ops: &[Op]) -> Result<(), Reason> {
        let first = self.past.keys().next();
        match self.past.get(&revision) {
            _ if self.is_untold(revision) => Ok(()),
            Some(past) if first != Some(&revision) => same_content(revision, &past.ops, ops),
            // It was passed over as if there were nothing in it.
            None if first.is_some_and(|first| *first < revision) && !ops.is_empty() => {
                Err(Reason::Gap { expected: self.latest.revision().next(), found: revision })
            }
            _ => Ok(()),
        }
    }

    /// A node is told that its write made a revision: one that was seen, or one that is yet to be.
    pub(super) fn done(
        &mut self,
        session: &SessionId,
        wake: &Wake,
        revision: Revision,
    ) -> Result<(), Reason> {
        let at = self.under_way(session, wake)?;
        let before = self.writes[at].made;
        self.writes[at].told = true;
        let right = match self.past.get(&revision) {
            _ if before == Some(revision) => true,
            _ if self.is_untold(revision) => before.is_none(),
            None => before.is_none() && revision > self.latest.revision(),
            Some(_) => before.is_none() && self.others_made(revision, at),
        };
        self.writes[at].made = Some(revision);
        self.told.insert(revision, session.clone());
        right.then_some(()).ok_or_else(|| Reason::NotThisWrite { wake: wake.clone(), revision })?;
        self.forget();
        Ok(())
    }

    /// Whether a revision that another was taken to have made can be this node's: two may be about to write the very
    /// same. If so, the other did not.
    fn others_made(&mut self, revision: Revision, at: usize) -> bool {
        let Some((_, before)) = self.past.range(..revision).next_back() else { return false };
        let session = self.writes[at].session.clone();
        let before = before.after.clone();
        let mistaken =
            |write: &&mut Write| write.made == Some(revision) && write.session != session;
        if self.told.get(&revision).is_some_and(|told| *told != session) {
            return false;
        }
        let ops = self.past[&revision].ops.clone();
        self.writes[at].made = Some(revision);
        let Ok(Some(made)) = self.made_by(&before, revision, &ops, &session) else { return false };
        self.writes.iter_mut().filter(mistaken).for_each(|write| write.made = None);
        made.into_iter().for_each(|at| self.writes[at].made = Some(revision));
        true
    }

    /// A node gave up on its write.
    pub(super) fn stale(&mut self, session: &SessionId, wake: &Wake) -> Result<(), Reason> {
        let at = self.under_way(session, wake)?;
        self.writes[at].given_up = true;
        self.forget();
        Ok(())
    }

    fn under_way(&self, session: &SessionId, wake: &Wake) -> Result<usize, Reason> {
        let found = self.writes.iter().position(|write| {
            write.session == *session && write.wake == *wake && !write.given_up && !write.told
        });
        found.ok_or_else(|| Reason::NoWrite(wake.clone()))
    }

    /// Takes in revisions that nodes were told they made and nobody has seen yet, as far as there is no gap before
    /// them.
    pub(super) fn catch_up(&mut self) -> Result<Vec<New>, Reason> {
        let mut new = Vec::new();
        loop {
            let next = self.latest.revision().next();
            let made = self.writes.iter().filter(|write| write.made == Some(next));
            let ops: Vec<Op> = made.flat_map(|write| write.txn.ops.clone()).collect();
            if ops.is_empty() {
                return Ok(new);
            }
            new.push(self.advance(next, &ops)?);
        }
    }

    /// Takes in the next revision, by whoever can have made it.
    fn advance(&mut self, revision: Revision, ops: &[Op]) -> Result<New, Reason> {
        let by = self.writer(revision, ops)?;
        self.latest.absorb(&Changes { revision, ops: ops.to_vec() });
        let after = self.latest.clone();
        self.past.insert(revision, Past { ops: ops.to_vec(), after: after.clone() });
        self.forget();
        Ok(New { after, ops: ops.to_vec(), by })
    }

    /// Who made the next revision. Whoever was told so must be right.
    fn writer(&mut self, revision: Revision, ops: &[Op]) -> Result<Option<SessionId>, Reason> {
        let told = self.writes.iter().filter(|write| write.made == Some(revision));
        let told: Vec<SessionId> = told.map(|write| write.session.clone()).collect();
        let candidates: Vec<SessionId> = match told.first() {
            Some(session) => vec![session.clone()],
            None => self.writes.iter().map(|write| write.session.clone()).collect(),
        };
        let mut reason = None;
        for session in candidates.into_iter().collect::<BTreeSet<_>>() {
            match self.made_by(&self.latest, revision, ops, &session) {
                Ok(Some(made)) => {
                    made.into_iter().for_each(|at| self.writes[at].made = Some(revision));
                    return Ok(Some(session));
                }
                Ok(None) => {}
                Err(why) => reason = reason.or(Some(why)),
            }
        }
        if let Some(write) = self.writes.iter().find(|write| write.made == Some(revision)) {
            // As it should be, but for what it compares.
            same_content(revision, &write.txn.ops, ops)?;
        }
        if told.is_empty() && ops.iter().all(is_outside) {
            return self.outside(ops).map(|()| None);
        }
        match reason.or_else(|| self.nearly(revision, ops)) {
            _ if self.nodes == Nodes::Some => Ok(None),
            Some(reason) => Err(reason),
            None => Err(Reason::Nobody { revision }),
        }
    }

    /// The writes of a node that together make a revision: a store may take in several as one, in the order in which
    /// they come, among them what its node wrote beside its core. An error: they would, if they could.
    fn made_by(
        &self,
        before: &View,
        revision: Revision,
        ops: &[Op],
        session: &SessionId,
    ) -> Result<Option<Vec<usize>>, Reason> {
        let theirs = self.writes.iter().enumerate().filter(|(_, write)| {
            let free = write.made.is_none() || write.made == Some(revision);
            write.session == *session && free && !write.txn.ops.is_empty()
        });
        let mut theirs: Vec<(usize, &Write)> = theirs.collect();
        // Of two that are the same, the one that its node was told of.
        theirs.sort_by_key(|(_, write)| (!write.told, write.given_up));
        let Some(made) = together(&theirs, ops) else { return Ok(None) };
        let told = |(at, write): &(usize, &Write)| {
            write.made == Some(revision) && write.told && !made.contains(at)
        };
        if made.is_empty() || theirs.iter().any(told) {
            return Ok(None);
        }
        made.iter()
            .find_map(|at| failing(before, revision, &self.writes[*at]))
            .map_or(Ok(Some(made)), Err)
    }

    /// Sessions are used once, and end once.
    fn outside(&mut self, ops: &[Op]) -> Result<(), Reason> {
        for op in ops {
            match op {
                Op::Session { session, .. } if !self.sessions.insert(session.clone()) => {
                    return Err(Reason::SessionAgain(session.clone()));
                }
                Op::EndSession(session) if !self.latest.is_alive(session) => {
                    return Err(Reason::NoSession(session.clone()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A write of the same records with something else in them.
    fn nearly(&self, revision: Revision, ops: &[Op]) -> Option<Reason> {
        let keys = |ops: &[Op]| ops.iter().map(Op::key).collect::<BTreeSet<_>>();
        let wanted = keys(ops);
        let near = |write: &&Write| write.made.is_none() && keys(&write.txn.ops) == wanted;
        let Write { session, wake, txn, .. } = self.writes.iter().find(near)?;
        let difference = Difference::between(txn.ops.as_slice(), ops)?;
        let (session, wake) = (session.clone(), wake.clone());
        Some(Reason::OtherOps { revision, session, wake, difference })
    }

    /// A session is over: whatever was written in it, nobody is going to be told what became of that.
    pub(super) fn ended(&mut self, session: &SessionId) {
        let theirs = self.writes.iter_mut().filter(|write| write.session == *session);
        theirs.for_each(|write| write.given_up = true);
        self.forget();
    }

    /// Drops what is done with: what happened, was seen, and its node was told so; and what its node gave up on and
    /// happened, or never can: a record that has moved on does not come back to the revision it was compared with.
    fn forget(&mut self) {
        let latest = &self.latest;
        self.writes.retain(|write| {
            let moved_on = |compare: &Compare| {
                matches!(compare, Compare::Unchanged(..)) && !latest.holds(compare)
            };
            let seen = write.made.is_some_and(|revision| revision <= latest.revision());
            let never = || write.made.is_none() && write.txn.compares.iter().any(moved_on);
            !(write.told && seen || write.given_up && (seen || never()))
        });
    }
}

/// The records of a store, one after the other.
fn made_of(content: &[Changes]) -> Result<View, Reason> {
    let mut store = View::new();
    for changes in content {
        if changes.revision <= store.revision() {
            return Err(Reason::Content(changes.revision));
        }
        store.absorb(changes);
    }
    Ok(store)
}

/// Writes that one after the other are these operations. None can be in there twice: no two operations of a revision
/// are on one record. So the rest can be put together in the same way whatever came before it.
fn together(writes: &[(usize, &Write)], ops: &[Op]) -> Option<Vec<usize>> {
    // From each place on: which write comes next, if any, and where it ends.
    let mut next: Vec<Option<(Option<usize>, usize)>> = vec![None; ops.len() + 1];
    next[ops.len()] = Some((None, ops.len()));
    for from in (0..ops.len()).rev() {
        let fits = writes.iter().find_map(|(at, write)| {
            let end = from + write.txn.ops.len();
            let fits = ops[from..].starts_with(&write.txn.ops) && next[end].is_some();
            fits.then_some((Some(*at), end))
        });
        let beside = is_outside(&ops[from]) && next[from + 1].is_some();
        next[from] = fits.or(beside.then_some((None, from + 1)));
    }
    let (mut found, mut from) = (Vec::new(), 0);
    while from < ops.len() {
        let (write, end) = next[from]?;
        found.extend(write);
        from = end;
    }
    Some(found)
}

fn is_outside(op: &Op) -> bool {
    // Beside the core: what a master sees of drift, and what an operator wants forgotten.
    matches!(
        op,
        Op::Session { .. }
            | Op::EndSession(_)
            | Op::Binding { .. }
            | Op::Drifted { .. }
            | Op::Horizon(_)
    )
}

/// Why a write cannot make the next revision, if it cannot.
fn failing(latest: &View, revision: Revision, write: &Write) -> Option<Reason> {
    let compare = write.txn.compares.iter().find(|compare| !latest.holds(compare))?.clone();
    let (Compare::Unchanged(key, _) | Compare::Exists(key) | Compare::Absent(key)) = &compare;
    let is = latest.version(key);
    let (session, wake) = (write.session.clone(), write.wake.clone());
    Some(Reason::CompareFails { revision, session, wake, compare: Box::new(compare), is })
}

fn same_content(revision: Revision, known: &[Op], found: &[Op]) -> Result<(), Reason> {
    match Difference::between(known, found) {
        None => Ok(()),
        Some(difference) => Err(Reason::OtherContent { revision, difference }),
    }
}
