//! When each step is taken, and by whom.
//!
//! An event is taken in first (`learn`), which gives the ids it concerns; each id then wakes its
//! controller, which looks at the view and the desk and decides what to do next, if anything. A
//! controller has at most one write outstanding, and decides again only once the view shows what
//! became of it.

mod adopt;
mod append;
mod clients;
mod desk;
mod extend;
mod leap;
mod learn;
mod lifecycle;
mod link;
mod links;
mod mastership;
mod operate;
mod recheck;
mod recording;
mod resume;
mod resync;
mod retention;
mod share;
mod submissions;
mod target;
mod together;
mod transaction;
mod trial;
mod verdicts;
mod wide;
mod windows;

pub use desk::{Desk, Settings};
pub use leap::leap;
pub use link::{Link, Outcome, Push, Retry, Work};
pub use retention::Retention;
pub use share::Turn;

use lockstep_types::{SessionId, Target, Timestamp};

use crate::command::Command;
use crate::event::{Event, Wake};
use crate::txn::Txn;
use crate::view::View;

/// One running node: what it knows and what it has under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    session: SessionId,
    settings: Settings,
    view: View,
    desk: Desk,
}

impl Node {
    /// A node that has loaded the store and begun its session.
    #[must_use]
    pub fn new(session: SessionId, settings: Settings, view: View) -> Self {
        let mut node = Self { session, settings, view, desk: Desk::default() };
        node.share_out();
        node
    }

    /// This start of the node.
    #[must_use]
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// The store as the node knows it.
    #[must_use]
    pub fn view(&self) -> &View {
        &self.view
    }

    /// What the node has under way.
    #[must_use]
    pub fn desk(&self) -> &Desk {
        &self.desk
    }

    /// When the clock alone will next give this node something to do. What is due already was taken
    /// up when it became due.
    #[must_use]
    pub fn next_due(&self) -> Option<Timestamp> {
        let now = self.desk.now;
        // Whose it is to see to a transaction is looked at when its time has come.
        let decided = self.view.next_time(now);
        let submitted = self.desk.submissions.next_deadline(now);
        let silent = self.waited_for().map(|(until, _)| until).filter(|until| *until >= now).min();
        let deadline = [decided, submitted, silent].into_iter().flatten().min();
        let deadline = deadline.map(|deadline| deadline.after(1));
        let retry = self.desk.next_retry();
        let overdue = self.desk.overdue.first().map(|(at, _)| *at);
        [deadline, retry, overdue, self.desk.share_at].into_iter().flatten().min()
    }

    /// Takes up whatever a loaded store leaves to be done. The same way as any wake-up, for every id.
    pub fn start(&mut self) -> Vec<Command> {
        let mut commands = Vec::new();
        let targets: Vec<Target> = self.view.targets().cloned().collect();
        self.see_to_connections(&targets, &mut commands);
        let wakes = self.everything();
        commands.extend(self.run(wakes));
        commands
    }

    /// Takes in what happened, and says what to do.
    pub fn handle(&mut self, event: Event) -> Vec<Command> {
        let mut commands = Vec::new();
        let wakes = self.learn(event, &mut commands);
        commands.extend(self.run(wakes));
        commands
    }

    fn run(&mut self, wakes: impl IntoIterator<Item = Wake>) -> Vec<Command> {
        let mut commands = Vec::new();
        if !self.view.is_alive(&self.session) {
            // Whatever this node would write now, its compare would fail; it has to begin anew.
            return commands;
        }
        for wake in wakes {
            if self.desk.is_free(&wake, self.view.revision()) {
                self.wake(wake, &mut commands);
            }
        }
        commands
    }

    fn wake(&mut self, wake: Wake, out: &mut Vec<Command>) {
        match wake {
            Wake::Append => self.wake_append(out),
            Wake::Transaction(index) => self.wake_transaction(index, out),
            Wake::Target(target) => self.wake_target(&target, out),
            Wake::Recheck(target) => self.wake_recheck(&target, out),
            Wake::Window(index) => self.wake_window(index, out),
            Wake::Operate(target) => self.wake_operate(&target, out),
            Wake::Retention => self.wake_retention(out),
        }
    }

    fn write(&mut self, wake: Wake, txn: Txn, out: &mut Vec<Command>) {
        self.desk.writing.insert(wake.clone());
        out.push(Command::Write { wake, txn });
    }
}
