//! Clients: what they ask, what they are told, and what readers see.

use lockstep_protocol::record::Status;
use lockstep_protocol::{Body, Client, Event, Reply, Verdict};
use lockstep_types::Index;

use super::System;

/// What the client of one entry of the script was told.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Told {
    /// It was turned down before anything was written.
    Refused,
    /// It stands in the log like this.
    Status(Index, Status),
}

/// The other time a window is given, from then on.
pub const EXTENSION: u64 = 70_000;

/// Whoever confirms.
pub(super) const CONFIRMS: Client = Client(u64::MAX - 1);

impl System {
    pub(super) fn submit(&mut self, node: usize) {
        let number = self.submitted + 1;
        let request = self.scenario.script[self.submitted].request(number);
        self.submitted = number;
        let verdict = self.ahead(node, &request.body);
        self.tell(node, Event::Submit { client: Client(number as u64), request, verdict });
    }

    /// What yang says of a change to whoever brings it, on what this node knows by then.
    fn ahead(&self, node: usize, body: &Body) -> Option<Verdict> {
        let core = self.nodes[node].core.as_ref().filter(|_| self.scenario.ahead)?;
        core.view().checks(body).map(|checks| self.verdict(checks))
    }

    /// Whether the next entry of the script may be submitted. Except in a crowd, those before it are in
    /// the log or were turned down, so that their indexes are their places in the script.
    pub(super) fn may_submit(&self) -> bool {
        self.submitted < self.scenario.script.len()
            && (self.scenario.crowd
                || (0..self.submitted).all(|before| {
                    let entry = &self.scenario.script[before];
                    self.archive.named(&entry.id(before + 1)).is_some()
                        || self.told.contains_key(&(before + 1))
                }))
    }

    pub(super) fn answered(&mut self, client: Client, reply: &Reply) {
        if let (CONFIRMS, Reply::Transaction { index, .. }) = (client, reply) {
            self.confirmed.insert(*index);
        }
        let told = match reply {
            Reply::Done => return,
            Reply::Refused(_) => Told::Refused,
            Reply::Transaction { index, status } => Told::Status(*index, *status),
        };
        if let Ok(number) = usize::try_from(client.0)
            && number <= self.scenario.script.len()
        {
            self.told.insert(number, told);
        }
    }

    /// A reader looks at every target at one revision.
    pub(super) fn read(&mut self) {
        let atomic = |index: Index| self.store.transaction(index).is_some_and(|t| t.is_atomic());
        let mut seen = Vec::new();
        for target in &self.scenario.targets {
            let visible = self.store.visible(target);
            seen.extend(visible.units().map(|(_, unit)| unit.writer).filter(|w| atomic(*w)));
        }
        self.seen.extend(seen);
    }
}
