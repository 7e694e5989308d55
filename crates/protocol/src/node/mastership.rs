//! Taking a target, and letting go of it.

use lockstep_types::{Connection, Target};

use super::Node;
use crate::command::Command;
use crate::draft::Draft;
use crate::event::Wake;
use crate::record::{Key, Mastership};

impl Node {
    /// Whether this node is the live master as far as it knows.
    pub(super) fn is_master(&self, target: &Target) -> bool {
        self.view
            .master(target)
            .is_some_and(|master| master.session.as_ref() == Some(&self.session))
    }

    /// The connection to the device, if it is up.
    pub(super) fn connection(&self, target: &Target) -> Option<Connection> {
        self.desk.link(target).filter(|link| link.up).map(|link| link.connection)
    }

    /// Takes a target that has no master, or begins a new term on a new connection: a device that
    /// restarted is always brought in line again before anything else is sent.
    pub(super) fn take(&mut self, target: &Target, out: &mut Vec<Command>) {
        let Some(connection) = self.connection(target) else { return };
        let mut draft = Draft::new(&self.view);
        if self.is_master(target) {
            draft.as_master(target, &self.session);
        } else {
            draft.without_master(target);
            draft.alive(&self.session);
        }
        // It may be removed meanwhile: nobody is the master of what is not there.
        draft.depends_on(Key::Binding(target.clone()));
        let last = self.view.mastership(target).map(|m| m.term).unwrap_or_default();
        let term = last.next().max(self.view.header(target).claim);
        let session = Some(self.session.clone());
        draft.put_mastership(target, Mastership { session, term, connection, next: None });
        let txn = draft.txn();
        if let Some(mut link) = self.desk.links.get_mut(target) {
            // Somebody else was the master last, who may have left something under way.
            link.unsettled |= last != link.term;
        }
        self.write(Wake::Target(target.clone()), txn, out);
    }

    /// Lets go of a target that this node lost its connection to, so that another may take it.
    pub(super) fn release(&mut self, target: &Target, out: &mut Vec<Command>) {
        let Some(mastership) = self.view.mastership(target).cloned() else { return };
        self.could_not_hold(target, mastership.term);
        let mut draft = Draft::new(&self.view);
        draft.as_master(target, &self.session);
        draft.put_mastership(target, Mastership { session: None, next: None, ..mastership });
        let txn = draft.txn();
        self.write(Wake::Target(target.clone()), txn, out);
    }
}
