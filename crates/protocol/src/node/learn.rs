//! Taking in an event: what it changes here, and which ids it concerns.

use std::collections::BTreeSet;

use lockstep_types::{Connection, Revision, Target, Timestamp};

use super::Node;
use super::desk::{Cancel, Ordered};
use crate::command::Command;
use crate::event::{Event, Subject, Wake, Written};
use crate::record::{Key, Status, Transaction, Trials};
use crate::txn::{Changes, Op};

impl Node {
    pub(super) fn learn(&mut self, event: Event, out: &mut Vec<Command>) -> BTreeSet<Wake> {
        match event {
            Event::Tick(now) => {
                let since = self.desk.now;
                self.desk.now = since.max(now);
                self.answer_overdue(out);
                let mut wakes = self.due(since);
                wakes.extend(self.share_again(out).into_iter().map(Wake::Target));
                wakes
            }
            Event::Lease(until) => {
                let had_ended = self.desk.now >= self.desk.lease;
                self.desk.lease = until;
                // Otherwise nothing was held back for lack of it.
                let held_back = self.desk.links.keys().filter(|_| had_ended);
                held_back.cloned().map(Wake::Target).collect()
            }
            Event::Watch(changes) => self.watched(&changes, out),
            Event::Written { wake, result } => self.written(wake, result),
            Event::Verdict { subject, verdict } => [self.judged(subject, verdict)].into(),
            Event::Connected { target, connection } => self.connected(target, connection),
            Event::Trials { target, connection, trials } => {
                self.can_try(&target, connection, trials);
                BTreeSet::new()
            }
            Event::Disconnected { target, connection } => self.disconnected(target, connection),
            Event::Answered { target, connection, sequence, answer } => {
                let expected = self.desk.link(&target).is_some_and(|link| {
                    link.connection == connection
                        && link.sequence == sequence
                        && link.work.is_outstanding()
                });
                if expected {
                    self.answered(&target, answer, out);
                }
                [Wake::Target(target)].into()
            }
            Event::Drifted(target) => [self.drifted(target)].into(),
            Event::InLine(target) => [self.in_line(target)].into(),
            Event::Submit { client, request, verdict } => {
                self.submit(client, request, verdict, out).into_iter().collect()
            }
            Event::Leave { client, id } => {
                self.leave(client, &id);
                BTreeSet::new()
            }
            Event::Extend { client, index, length } => {
                self.extend(client, index, length, out).into_iter().collect()
            }
            Event::Operate { client, target, order, author } => {
                let ordered = Ordered { client, order, author, written: false };
                self.operate(target, ordered, out).into_iter().collect()
            }
            Event::Cancel { client, index, author } => {
                self.cancel(Cancel { client, author }, index, out).into_iter().collect()
            }
            Event::Confirm { client, index } => {
                self.confirm(client, index, out).into_iter().collect()
            }
        }
    }

    /// What the clock makes due: deadlines, the ends of windows, and devices to be tried again.
    fn due(&self, since: Timestamp) -> BTreeSet<Wake> {
        let now = self.desk.now;
        let late = self.view.deadlines().take_while(|(deadline, _)| now > *deadline);
        let late = late.map(|(_, index)| Wake::Transaction(index));
        let submissions = self.desk.submissions.is_late(now);
        let windows = self.view.windows().next().is_some_and(|(until, _)| now > until);
        let late = late.chain((submissions || windows).then_some(Wake::Append));
        // Once: whatever else a device waits for, or makes a target fit to be asked for, is heard of.
        let retries = self.desk.links.retried(since, now);
        let unfit = self.desk.unfit.iter().filter(|(_, unfit)| since < unfit.at && unfit.at <= now);
        let unfit = unfit.map(|(target, _)| target);
        let silent = self.waited_for().filter(|(until, _)| now > *until);
        let targets = retries.chain(unfit).chain(silent.map(|(_, target)| target));
        late.chain(targets.map(|target| Wake::Target(target.clone()))).collect()
    }

    fn written(&mut self, wake: Wake, result: Written) -> BTreeSet<Wake> {
        self.desk.writing.remove(&wake);
        if let (Wake::Operate(target), Written::Done(_)) = (&wake, result) {
            self.ordered(target);
        }
        let (Written::Done(revision) | Written::Stale(revision)) = result;
        if revision > self.view.revision() {
            self.desk.resume.insert(wake, revision);
            return BTreeSet::new();
        }
        let mut wakes: BTreeSet<Wake> = self.go_on_after(&wake).into_iter().collect();
        wakes.insert(wake);
        wakes
    }

    fn watched(&mut self, changes: &Changes, out: &mut Vec<Command>) -> BTreeSet<Wake> {
        let left = self.left(changes);
        self.view.absorb(changes);
        let shared = self.shared(changes, out);
        let mut wakes = self.resumed(changes.revision);
        left.iter().for_each(|target| self.concerned_target(target, &mut wakes));
        wakes.extend(shared.into_iter().map(Wake::Target));
        // Ids first: whoever lost one must not be told of the transaction that has it.
        for op in &changes.ops {
            if let Op::Id { id, index } = op {
                self.id_taken(id, *index, out);
                self.desk.verdicts.remove(&Subject::Submission(id.clone()));
            }
        }
        for op in &changes.ops {
            match op {
                Op::Transaction(transaction) => {
                    self.answer_waiters(&transaction.id, out);
                    self.answer_confirms(transaction.index, out);
                    if transaction.status != Status::Pending {
                        self.desk.verdicts.remove(&Subject::Transaction(transaction.index));
                    }
                }
                Op::Configuration { target, .. } => {
                    self.forget_rechecks(target);
                }
                _ => {}
            }
            self.concerned(op, &mut wakes);
        }
        wakes
    }

    /// The targets that a wide Rollback turns out not to concern: whatever waits there goes on, though
    /// nothing of theirs is written.
    fn left(&self, changes: &Changes) -> Vec<Target> {
        let wide = changes.ops.iter().filter_map(|op| match op {
            Op::Transaction(new) if new.wide => Some((self.view.transaction(new.index)?, new)),
            _ => None,
        });
        let left = |(old, new): (&Transaction, &Transaction)| -> Vec<Target> {
            let gone = old.targets.keys().filter(|target| !new.targets.contains_key(*target));
            gone.cloned().collect()
        };
        wide.flat_map(left).collect()
    }

    fn resumed(&mut self, reached: Revision) -> BTreeSet<Wake> {
        let resumed = self.desk.resume.take(reached);
        let others: Vec<Wake> = resumed.iter().flat_map(|wake| self.go_on_after(wake)).collect();
        resumed.into_iter().chain(others).collect()
    }

    /// The ids that a written record concerns.
    fn concerned(&self, op: &Op, wakes: &mut BTreeSet<Wake>) {
        match op {
            Op::Head(_) | Op::Id { .. } => {
                wakes.insert(Wake::Append);
            }
            Op::Horizon(_) => {
                wakes.insert(Wake::Retention);
            }
            Op::Forget(Key::Binding(target)) => self.concerned_target(target, wakes),
            Op::Forget(_) | Op::Drifted { .. } => {}
            Op::Transaction(transaction) => {
                wakes.insert(Wake::Transaction(transaction.index));
                for target in transaction.targets.keys() {
                    self.concerned_target(target, wakes);
                }
            }
            Op::Part { index, target, .. } => {
                wakes.insert(Wake::Transaction(*index));
                self.concerned_target(target, wakes);
            }
            Op::Configuration { target, .. }
            | Op::Mastership { target, .. }
            | Op::Binding { target, .. }
            | Op::Marks { target, .. }
            | Op::Proposal { target, .. } => self.concerned_target(target, wakes),
            Op::Session { session, .. } if *session != self.session => {}
            Op::Session { .. } | Op::EndSession(_) => wakes.extend(self.everything()),
        }
    }

    fn concerned_target(&self, target: &Target, wakes: &mut BTreeSet<Wake>) {
        wakes.insert(Wake::Target(target.clone()));
        wakes.insert(Wake::Recheck(target.clone()));
        if self.desk.orders.contains_key(target) {
            wakes.insert(Wake::Operate(target.clone()));
        }
        let holder = self.view.header(target).holder;
        wakes.extend(
            [self.view.commit_head(target), holder].into_iter().flatten().map(Wake::Transaction),
        );
    }

    /// Every id there is something to decide about.
    pub(super) fn everything(&self) -> BTreeSet<Wake> {
        let open = self.view.open().map(|transaction| Wake::Transaction(transaction.index));
        let targets = self.view.targets();
        let targets = targets
            .flat_map(|target| [Wake::Target(target.clone()), Wake::Recheck(target.clone())]);
        let laggards = self.view.laggards().map(|(_, index)| Wake::Transaction(index));
        open.chain(laggards).chain(targets).chain([Wake::Append, Wake::Retention]).collect()
    }

    fn connected(&mut self, target: Target, connection: Connection) -> BTreeSet<Wake> {
        let mut link = self.desk.links.make(&target);
        link.drop_work();
        link.connection = connection;
        link.up = true;
        link.trials = Trials::Never;
        link.fenced = None;
        [Wake::Target(target)].into()
    }

    fn disconnected(&mut self, target: Target, connection: Connection) -> BTreeSet<Wake> {
        if let Some(mut link) = self.desk.links.get_mut(&target)
            && link.connection == connection
        {
            link.down();
        }
        [Wake::Target(target)].into()
    }
}
