//! Connections and what travels on them.

use lockstep_protocol::record::Trials;
use lockstep_protocol::{Answer, Event};
use lockstep_types::{Connection, Target};

use super::action::Reaction;
use super::device::Manner;
use super::{Flight, Reply, System};

impl System {
    pub(super) fn connect(&mut self, node: usize, target: &Target) {
        let running = &mut self.nodes[node];
        running.connection = running.connection.next();
        let connection = running.connection;
        if let (Some(record), Some(core)) = (&mut self.record, &running.core) {
            record.connected(node, connection, core.session());
        }
        let target = target.clone();
        self.tell(node, Event::Connected { target: target.clone(), connection });
        let trials = self.scenario.trials;
        if trials != Trials::Never {
            self.tell(node, Event::Trials { target, connection, trials });
        }
    }

    /// A connection is gone: answers on it never arrive; requests on it may.
    pub(super) fn disconnect(&mut self, node: usize, target: &Target, connection: Connection) {
        self.abandon(node, target, connection);
        self.tell(node, Event::Disconnected { target: target.clone(), connection });
    }

    pub(super) fn abandon(&mut self, node: usize, target: &Target, connection: Connection) {
        let on_it =
            |n: usize, t: &Target, c: Connection| n == node && t == target && c == connection;
        self.replies.retain(|reply| !on_it(reply.node, &reply.target, reply.connection));
        for flight in &mut self.requests {
            if on_it(flight.node, &flight.target, flight.connection) {
                flight.orphan = true;
            }
        }
        self.drop_orphans();
    }

    /// Requests that nobody waits for matter only where they may still land and change something.
    pub(super) fn drop_orphans(&mut self) {
        let late = self.scenario.late_delivery;
        self.requests.retain(|f| !f.orphan || (late && f.ask.may_change()));
    }

    /// A device takes a request, and answers if anyone waits.
    pub(super) fn deliver_request(&mut self, at: usize, reaction: Reaction) {
        let flight = self.requests.remove(at);
        let manner = Manner {
            fences: !self.scenario.unfenced,
            rewrites: self.scenario.rewrites,
            wary: self.scenario.wary,
        };
        let Some(device) = self.devices.get_mut(&flight.target) else { return };
        let answer = device.take(flight.term, &flight.ask, reaction, manner);
        if let Some(record) = &mut self.record {
            record.took(&flight, &answer);
        }
        if !flight.orphan {
            self.reply(&flight, answer);
        }
    }

    fn reply(&mut self, flight: &Flight, answer: Answer) {
        self.replies.push(Reply {
            node: flight.node,
            target: flight.target.clone(),
            connection: flight.connection,
            event: Event::Answered {
                target: flight.target.clone(),
                connection: flight.connection,
                sequence: flight.sequence,
                answer,
            },
        });
    }

    pub(super) fn deliver_reply(&mut self, at: usize) {
        let reply = self.replies.remove(at);
        self.tell(reply.node, reply.event);
    }

    /// The node gives up on a request, which may still land.
    pub(super) fn hang(&mut self, at: usize) {
        let flight = self.silence(at);
        let event = Event::Answered {
            target: flight.target,
            connection: flight.connection,
            sequence: flight.sequence,
            answer: Answer::Unknown,
        };
        self.tell(flight.node, event);
    }

    /// A request gets no answer, and its node is not told so; it may still land.
    pub(super) fn silence(&mut self, at: usize) -> Flight {
        let flight = &mut self.requests[at];
        flight.orphan = true;
        let flight = flight.clone();
        self.drop_orphans();
        flight
    }

    /// A device stops: every connection to it breaks, and what was on its way to it is lost.
    pub(super) fn stop_device(&mut self, target: &Target) {
        if let Some(device) = self.devices.get_mut(target) {
            device.stop();
        }
        self.requests.retain(|flight| flight.target != *target);
        for node in 0..self.nodes.len() {
            if let Some(connection) = self.connection(node, target) {
                self.disconnect(node, target, connection);
            }
        }
    }

    /// A device stops and starts again before anyone notices; connections are made anew.
    pub(super) fn flicker(&mut self, target: &Target) {
        if let Some(device) = self.devices.get_mut(target) {
            device.stop();
        }
        self.requests.retain(|flight| flight.target != *target);
        self.replies.retain(|reply| reply.target != *target);
        self.start_device(target, false);
        for node in 0..self.nodes.len() {
            if self.connection(node, target).is_some() {
                self.connect(node, target);
            }
        }
    }

    /// The nodes that are connected to a device.
    pub(super) fn connected(&self, target: &Target) -> Vec<usize> {
        (0..self.nodes.len()).filter(|node| self.connection(*node, target).is_some()).collect()
    }

    /// The connection of a node to a device, if it is up.
    #[must_use]
    pub fn connection(&self, node: usize, target: &Target) -> Option<Connection> {
        let link = self.nodes[node].core.as_ref()?.desk().link(target)?;
        link.up.then_some(link.connection)
    }
}
