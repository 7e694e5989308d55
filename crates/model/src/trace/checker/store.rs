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
    /// The revision that it seems to have made.
    made: Option<Revision>,
    /// Its node gave up on it. It may have happened, and may yet.
    given_up: bool,
}

/// A revision that was seen.
#[derive(Clone, Debug)]
struct Past {
    ops: Vec<Op>,
    after: View,
    /// Whoever made it was told so.
    told: bool,
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
    /// Revisions that a node says it made, before anyone has seen what lies between.
    said: BTreeMap<Revision, Write>,
    sessions: BTreeSet<SessionId>,
}

impl Store {
    /// The store as the header of a trace has it.
    pub(super) fn new(nodes: Nodes, content: &[Changes]) -> Result<Self, Reason> {
        let mut latest = View::new();
        for changes in content {
            let order = latest.revision()..Revision::new(u64::MAX);
            if changes.revision == latest.revision() || !order.contains(&changes.revision) {
                return Err(Reason::Content(changes.revision));
            }
            latest.absorb(changes);
        }
        let first = Past { ops: Vec::new(), after: latest.clone(), told: true };
        let past = [(latest.revision(), first)].into();
        let sessions = latest.sessions().cloned().collect();
        let (writes, said) = (Vec::new(), BTreeMap::new());
        Ok(Self { nodes, latest, past, writes, said, sessions })
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
        self.writes.push(Write { session, wake, txn, made: None, given_up: false });
    }

    /// Somebody saw a revision. Gives those that are new, in order.
    pub(super) fn saw(&mut self, changes: &Changes) -> Result<Vec<New>, Reason> {
        let Changes { revision, ops } = changes;
        if *revision <= self.latest.revision() {
            return self.saw_again(*revision, ops).map(|()| Vec::new());
        }
        let expected = self.latest.revision().next();
        if *revision != expected {
            return Err(Reason::Gap { expected, found: *revision });
        }
        let said = self.said.remove(revision);
        if let Some(write) = &said {
            same_content(*revision, &write.txn.ops, ops)?;
        }
        let mut new = vec![self.advance(ops, said.as_ref())?];
        new.extend(self.catch_up()?);
        Ok(new)
    }

    /// A revision that is known. What lies before the trace began cannot be held against anything.
    fn saw_again(&self, revision: Revision, ops: &[Op]) -> Result<(), Reason> {
        let first = self.past.keys().next();
        match self.past.get(&revision) {
            Some(past) if first != Some(&revision) => same_content(revision, &past.ops, ops),
            _ => Ok(()),
        }
    }

    /// A node is told that its write made a revision.
    pub(super) fn done(
        &mut self,
        session: &SessionId,
        wake: &Wake,
        revision: Revision,
    ) -> Result<Vec<New>, Reason> {
        let at = self.under_way(session, wake)?;
        let write = self.writes.remove(at);
        let mistaken = || Reason::NotThisWrite { wake: wake.clone(), revision };
        if revision <= self.latest.revision() {
            return self.made(&write, revision).then(Vec::new).ok_or_else(mistaken);
        }
        if write.made.is_some() || self.said.insert(revision, write).is_some() {
            return Err(mistaken());
        }
        self.catch_up()
    }

    /// Whether a write made a revision that was seen. Two nodes may be about to write the very same,
    /// and the wrong one be taken for the writer until the other is told.
    fn made(&mut self, write: &Write, revision: Revision) -> bool {
        let before = self.past.range(..revision).next_back();
        let could = before.is_some_and(|(_, past)| failing(&past.after, revision, write).is_none());
        let Some(past) = self.past.get_mut(&revision) else { return false };
        let unclaimed = past.ops == write.txn.ops && !past.told && write.made.is_none();
        if write.made != Some(revision) && !(could && unclaimed) {
            return false;
        }
        past.told = true;
        for other in self.writes.iter_mut().filter(|other| other.made == Some(revision)) {
            other.made = None;
        }
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
        let found = self
            .writes
            .iter()
            .position(|write| write.session == *session && write.wake == *wake && !write.given_up);
        found.ok_or_else(|| Reason::NoWrite(wake.clone()))
    }

    /// Takes in revisions that nodes say they made, as far as there is no gap before them.
    fn catch_up(&mut self) -> Result<Vec<New>, Reason> {
        let mut new = Vec::new();
        while let Some(write) = self.said.remove(&self.latest.revision().next()) {
            let ops = write.txn.ops.clone();
            new.push(self.advance(&ops, Some(&write))?);
        }
        Ok(new)
    }

    /// Takes in the next revision, by whoever is known to have made it or can have.
    fn advance(&mut self, ops: &[Op], by: Option<&Write>) -> Result<New, Reason> {
        let revision = self.latest.revision().next();
        let told = by.is_some();
        let by = match by {
            Some(write) => match failing(&self.latest, revision, write) {
                Some(reason) => return Err(reason),
                None => Some(write.session.clone()),
            },
            None => self.writer(revision, ops)?,
        };
        self.latest.absorb(&Changes { revision, ops: ops.to_vec() });
        let after = self.latest.clone();
        self.past.insert(revision, Past { ops: ops.to_vec(), after: after.clone(), told });
        self.forget();
        Ok(New { after, ops: ops.to_vec(), by })
    }

    /// Who made the next revision.
    fn writer(&mut self, revision: Revision, ops: &[Op]) -> Result<Option<SessionId>, Reason> {
        let mut reason = None;
        let same = |write: &&mut Write| write.made.is_none() && write.txn.ops == ops;
        for write in self.writes.iter_mut().filter(same) {
            match failing(&self.latest, revision, write) {
                Some(fails) => reason = reason.or(Some(fails)),
                None => {
                    write.made = Some(revision);
                    return Ok(Some(write.session.clone()));
                }
            }
        }
        if ops.iter().all(is_outside) {
            return self.outside(ops).map(|()| None);
        }
        match reason.or_else(|| self.nearly(revision, ops)) {
            _ if self.nodes == Nodes::Some => Ok(None),
            Some(reason) => Err(reason),
            None => Err(Reason::Nobody { revision }),
        }
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

    /// Drops what its node gave up on and what can never happen: a record that has moved on does not
    /// come back to the revision it was compared with.
    fn forget(&mut self) {
        let latest = &self.latest;
        self.writes.retain(|write| {
            let moved_on = |compare: &Compare| {
                matches!(compare, Compare::Unchanged(..)) && !latest.holds(compare)
            };
            !write.given_up || !(write.made.is_some() || write.txn.compares.iter().any(moved_on))
        });
    }
}

fn is_outside(op: &Op) -> bool {
    matches!(op, Op::Session { .. } | Op::EndSession(_) | Op::Binding { .. })
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
