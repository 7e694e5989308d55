//! Carrying out commands until nothing is left, for the parts of a test that are not its subject.

use lockstep_protocol::{Answer, Ask, Command, Event, Request};
use lockstep_types::Target;

use super::World;

impl World {
    /// Carries out everything until nothing is left: writes happen, what is asked is valid, devices
    /// accept. Answers to clients are kept in `told`.
    pub(crate) fn drive(&mut self, at: usize, commands: Vec<Command>) {
        let left = self.drive_until(at, commands, |_| false);
        assert_eq!(left, []);
    }

    /// Carries out everything until such a command comes; that one and what is left besides.
    pub(crate) fn drive_until(
        &mut self,
        at: usize,
        mut left: Vec<Command>,
        found: impl Fn(&Command) -> bool,
    ) -> Vec<Command> {
        for _ in 0..500 {
            if left.is_empty() || left.iter().any(&found) {
                return left;
            }
            let command = left.remove(0);
            left.extend(self.carry_out(at, command));
        }
        panic!("no end of it: {left:#?}");
    }

    fn carry_out(&mut self, at: usize, command: Command) -> Vec<Command> {
        let one = [command];
        match &one[0] {
            Command::Write { .. } => self.perform(at, &one),
            Command::Validate { .. } => self.valid(at, &one),
            Command::Send { target, ask, .. } => {
                let answer = self.device_answers(&target.clone(), ask);
                self.answer(at, &one, answer)
            }
            Command::Connect(_) | Command::Disconnect(_) => Vec::new(),
            Command::Close { target, connection } => {
                let (target, connection) = (target.clone(), *connection);
                self.tell(at, Event::Disconnected { target, connection })
            }
            Command::Answer { .. } => {
                self.told.extend(one);
                Vec::new()
            }
        }
    }

    pub(crate) fn connect_and_drive(&mut self, at: usize, on: &str, link: u64) {
        let commands = self.connect(at, on, link);
        self.drive(at, commands);
    }

    pub(crate) fn submit_and_drive(&mut self, at: usize, client: u64, request: Request) {
        let commands = self.submit(at, client, request);
        self.drive(at, commands);
    }

    /// Submits, has it found valid, and has the append written. What the node does next.
    pub(crate) fn commit(&mut self, at: usize, client: u64, request: Request) -> Vec<Command> {
        let asked = self.submit(at, client, request);
        let append = self.valid(at, &asked);
        self.perform(at, &append)
    }

    fn device_answers(&mut self, on: &Target, ask: &Ask) -> Answer {
        let device = self.devices.entry(on.clone()).or_default();
        match ask {
            Ask::Claim | Ask::Confirm(_) => Answer::Accepted,
            Ask::Read => Answer::Values(device.clone()),
            // No test drives one back.
            Ask::Cancel(_) => Answer::Lost,
            Ask::Set(delta) | Ask::Trial { delta, .. } => {
                device.apply_values(delta);
                Answer::Accepted
            }
        }
    }
}
