//! Whole transactions through the core, from Submit to the outcome: what is to be written happens, what is asked of yang is
//! valid, and devices accept everything.

use std::collections::VecDeque;

use lockstep_protocol::record::{Status, Trials};
use lockstep_protocol::{
    Answer, Ask, Changes, Client, Command, Event, Node, Reply, Request, Written,
};
use lockstep_types::{Connection, Target, Timestamp};

use crate::core::valid;

/// What it took.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub(crate) writes: usize,
    /// The outcomes that clients were told.
    pub(crate) told: Vec<Status>,
}

/// Connects to devices, each of which has what was applied and can take something on trial, and brings them in line.
pub(crate) fn connect(node: &mut Node, targets: impl IntoIterator<Item = Target>) {
    node.handle(Event::Lease(Timestamp::new(u64::MAX)));
    for (number, target) in (1_000_000..).zip(targets) {
        let connection = Connection::new(number);
        let commands = node.handle(Event::Connected { target: target.clone(), connection });
        let trials = Trials::Shared;
        node.handle(Event::Trials { target: target.clone(), connection, trials });
        carry_out(node, commands);
        assert!(node.view().is_synchronised(&target), "{target} is in line");
    }
}

/// Asks for a transaction, and carries out everything that comes of it.
pub(crate) fn transact(node: &mut Node, request: Request) -> Done {
    let verdict = node.view().checks(&request.body).map(valid);
    let commands = node.handle(Event::Submit { client: Client(1), request, verdict });
    carry_out(node, commands)
}

fn carry_out(node: &mut Node, commands: Vec<Command>) -> Done {
    let (mut left, mut done) = (VecDeque::from(commands), Done::default());
    while let Some(command) = left.pop_front() {
        match command {
            Command::Write { wake, txn } => {
                let view = node.view();
                if !txn.compares.iter().all(|compare| view.holds(compare)) {
                    let result = Written::Stale(view.revision());
                    left.extend(node.handle(Event::Written { wake, result }));
                    continue;
                }
                let revision = view.revision().next();
                done.writes += 1;
                let result = Written::Done(revision);
                left.extend(node.handle(Event::Written { wake, result }));
                left.extend(node.handle(Event::Watch(Changes { revision, ops: txn.ops })));
            }
            Command::Validate { subject, checks } => {
                let verdict = valid(checks);
                left.extend(node.handle(Event::Verdict { subject, verdict }));
            }
            Command::Send { target, connection, sequence, ask, .. } => {
                let answer = match ask {
                    Ask::Read => Answer::Values(node.view().applied(&target)),
                    _ => Answer::Accepted,
                };
                left.extend(node.handle(Event::Answered { target, connection, sequence, answer }));
            }
            Command::Answer { reply: Reply::Transaction { status, .. }, .. } => {
                done.told.push(status);
            }
            Command::Answer { reply, .. } => panic!("{reply:?}"),
            Command::Connect(_) | Command::Disconnect(_) | Command::Close { .. } => {}
        }
    }
    done
}
