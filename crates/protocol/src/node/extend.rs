//! Another time to confirm a change in, in place of the one it was given.

use lockstep_types::{Index, Timestamp};

use super::Node;
use super::desk::Extension;
use crate::command::Command;
use crate::draft::Draft;
use crate::event::Wake;
use crate::record::WindowStage;
use crate::request::{Client, Refusal, Reply};
use crate::step;

impl Node {
    /// Takes in what a client wants, or turns it down.
    pub(super) fn extend(
        &mut self,
        client: Client,
        index: Index,
        length: u64,
        out: &mut Vec<Command>,
    ) -> Option<Wake> {
        if let Err(refusal) = self.extendable(index) {
            out.push(Command::Answer { client, reply: Reply::Refused(refusal) });
            return None;
        }
        let extension = Extension { client, length, until: None };
        self.desk.extensions.entry(index).or_default().push(extension);
        Some(Wake::Window(index))
    }

    /// Until when the window of a change is open; or why there is none to be moved.
    fn extendable(&self, index: Index) -> Result<Timestamp, Refusal> {
        let change = self.view.transaction(index).ok_or(Refusal::UnknownTransaction(index))?;
        match change.window.ok_or(Refusal::NoWindow(index))?.stage {
            WindowStage::Open { until } if self.desk.now <= until => Ok(until),
            WindowStage::Asked if !change.status.is_final() => Err(Refusal::NotOpen(index)),
            _ => Err(Refusal::TooLate(index)),
        }
    }

    /// Answers what is in the store, and writes the next one. Compares the record like a confirm and a
    /// revert do: the first of them wins.
    pub(super) fn wake_extensions(&mut self, index: Index, out: &mut Vec<Command>) {
        while let Some(first) = self.desk.extensions.get(&index).and_then(|all| all.first()) {
            let (client, length, written) = (first.client, first.length, first.until);
            let reply = match self.extendable(index) {
                Err(refusal) => Reply::Refused(refusal),
                Ok(until) if written == Some(until) => Reply::Done,
                Ok(_) => {
                    self.write_extension(index, self.desk.now.after(length), out);
                    return;
                }
            };
            if let Some(all) = self.desk.extensions.get_mut(&index) {
                all.remove(0);
            }
            out.push(Command::Answer { client, reply });
        }
        self.desk.extensions.remove(&index);
    }

    fn write_extension(&mut self, index: Index, until: Timestamp, out: &mut Vec<Command>) {
        if let Some(first) = self.desk.extensions.get_mut(&index).and_then(|all| all.first_mut()) {
            first.until = Some(until);
        }
        let mut draft = Draft::new(&self.view);
        step::move_window(&mut draft, index, WindowStage::Open { until });
        let txn = draft.txn();
        self.write(Wake::Window(index), txn, out);
    }
}
