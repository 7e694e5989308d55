//! Carrying out what the core commands.

use std::sync::Arc;

use lockstep_protocol::record::Key;
use lockstep_protocol::{Changes, Command, Event, Op, Txn, Wake, Written};
use lockstep_types::{Revision, SessionId};

use super::{Commit, Flight, Letter, Question, Sent, Stores, System};

impl System {
    pub(super) fn run(&mut self, node: usize, commands: Vec<Command>) {
        for command in commands {
            self.carry_out(node, command);
        }
    }

    fn carry_out(&mut self, node: usize, command: Command) {
        match command {
            Command::Write { wake, txn } => {
                let start = self.nodes[node].start;
                let letter = Letter { node, start, wake, txn, orphan: false };
                if self.scenario.instant {
                    self.deliver_letter(letter);
                } else {
                    self.letters.push(letter);
                }
            }
            Command::Validate { subject, checks } => {
                self.ask(Question { node, subject, checks });
            }
            Command::Send { target, connection, sequence, term, ask } => {
                let flight =
                    Flight { node, target, connection, sequence, term, ask, orphan: false };
                let current = self.is_current(node);
                self.sent.push(Sent { flight: flight.clone(), current });
                self.requests.push(flight);
            }
            Command::Close { target, connection } => {
                self.abandon(node, &target, connection);
                self.tell(node, Event::Disconnected { target, connection });
            }
            // Who is to be connected is seen from what the node has under way.
            Command::Connect(_) | Command::Disconnect(_) => {}
            Command::Answer { client, reply } => self.answered(client, &reply),
        }
    }

    /// Whether a node's view is the store's.
    pub(super) fn is_current(&self, node: usize) -> bool {
        let core = self.nodes[node].core.as_ref();
        core.is_some_and(|core| core.view().revision() == self.store.revision())
    }

    /// A write reaches the store: it happens whole or not at all, and everyone is told.
    pub(super) fn deliver_letter(&mut self, letter: Letter) {
        let Letter { node, start, wake, txn, orphan } = letter;
        let result = self.commit(super::nodes::session(node, start), &txn);
        if self.nodes[node].start == start && !orphan {
            self.written(node, wake, result);
        }
    }

    /// A node gives up on a write: it has to look what became of it, and the write may land later still.
    pub(super) fn lose(&mut self, at: usize) {
        let letter = &mut self.letters[at];
        letter.orphan = true;
        let (node, wake) = (letter.node, letter.wake.clone());
        self.written(node, wake, Written::Stale(self.store.revision()));
    }

    fn commit(&mut self, session: SessionId, txn: &Txn) -> Written {
        if !txn.compares.iter().all(|compare| self.store.holds(compare)) {
            return Written::Stale(self.store.revision());
        }
        let changes = Changes { revision: self.store.revision().next(), ops: txn.ops.clone() };
        let before = self.archive.clone();
        self.take(&changes);
        let (after, store) = (self.archive.clone(), self.store.clone());
        self.commits.push(Commit::new(Some(session), Stores { before, after, store }));
        self.read();
        if self.nodes.iter().all(|node| node.core.is_none())
            && let Some(record) = &mut self.record
        {
            // Nobody is there to say that it happened.
            record.outside(&changes);
        }
        self.watch(&changes);
        Written::Done(changes.revision)
    }

    /// The store holds what was written.
    pub(super) fn take(&mut self, changes: &Changes) {
        self.store.absorb(changes);
        self.archive.absorb(&kept_for_ever(changes.revision, &changes.ops));
        if let Some(kept) = &mut self.kept {
            Arc::make_mut(kept).write(changes);
        }
    }

    fn written(&mut self, node: usize, wake: Wake, result: Written) {
        // A node that is cut off cannot tell whether its write happened, only that it must look.
        self.tell_of_store(node, Event::Written { wake, result });
    }
}

/// A write without what it forgets of the log.
#[must_use]
pub fn kept_for_ever(revision: Revision, ops: &[Op]) -> Changes {
    let goes = |op: &&Op| matches!(op, Op::Forget(key) if !matches!(key, Key::Binding(_)));
    let ops = ops.iter().filter(|op| !goes(op)).cloned().collect();
    Changes { revision, ops }
}
