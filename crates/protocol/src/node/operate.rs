//! What operators ask to be done with a target: to leave it alone, to go on, to look at it again.

use lockstep_types::{Target, Term};

use super::Node;
use super::desk::Ordered;
use crate::command::Command;
use crate::draft::Draft;
use crate::event::Wake;
use crate::request::{Order, Refusal, Reply};

impl Node {
    /// Takes in an order, or turns it down.
    pub(super) fn operate(
        &mut self,
        target: Target,
        ordered: Ordered,
        out: &mut Vec<Command>,
    ) -> Option<Wake> {
        let refusal = self.not_there(&target).or_else(|| self.cannot_adopt(&target, ordered.order));
        if let Some(refusal) = refusal {
            let (client, reply) = (ordered.client, Reply::Refused(refusal));
            out.push(Command::Answer { client, reply });
            return None;
        }
        self.desk.orders.entry(target.clone()).or_default().push(ordered);
        Some(Wake::Operate(target))
    }

    /// There is no such target, or not any more.
    fn not_there(&self, target: &Target) -> Option<Refusal> {
        let gone = self.view.binding(target).is_none();
        gone.then(|| Refusal::UnknownTarget(target.clone()))
    }

    /// Nobody can tell what a device has that is not there, or is left alone.
    fn cannot_adopt(&self, target: &Target, order: Order) -> Option<Refusal> {
        let adopts = order == Order::Adopt;
        let paused = adopts && self.view.header(target).paused;
        let away = adopts && self.view.master(target).is_none();
        let refusal = paused.then(|| Refusal::AdoptsPaused(target.clone()));
        refusal.or_else(|| away.then(|| Refusal::AdoptsAway(target.clone())))
    }

    /// The first order for a target is in the store.
    pub(super) fn ordered(&mut self, target: &Target) {
        if let Some(first) = self.desk.orders.get_mut(target).and_then(|orders| orders.first_mut())
        {
            first.written = true;
        }
    }

    /// Answers what is done, and writes the next order.
    pub(super) fn wake_operate(&mut self, target: &Target, out: &mut Vec<Command>) {
        self.pass_over_waiting(target);
        while let Some(first) = self.desk.orders.get(target).and_then(|orders| orders.first()) {
            let (client, order, author) = (first.client, first.order, first.author.clone());
            let is_to_be_written = !first.written && !self.is_so(target, order);
            // Things may have changed since it was taken in.
            let cannot = || self.cannot_adopt(target, order).filter(|_| is_to_be_written);
            let reply = match self.not_there(target).or_else(cannot) {
                Some(refusal) => Reply::Refused(refusal),
                None if is_to_be_written => return self.write_order(target, order, author, out),
                // Woken again with whatever is written about the target.
                None if order == Order::Adopt && self.view.header(target).adopting => return,
                None => Reply::Done,
            };
            if let Some(orders) = self.desk.orders.get_mut(target) {
                orders.remove(0);
            }
            if reply == Reply::Done && matches!(order, Order::Sync | Order::Claim(_)) {
                // Whoever asks does not want to wait until it is tried again anyway.
                self.end_back_off(target);
                if self.desk.is_free(&Wake::Target(target.clone()), self.view.revision()) {
                    self.wake_target(target, out);
                }
            }
            out.push(Command::Answer { client, reply });
        }
        self.desk.orders.remove(target);
    }

    /// An order that waits for the device to be adopted is in nobody's way, be it the one that was written or another
    /// that came after it: the device may never answer, as when the target is paused.
    fn pass_over_waiting(&mut self, target: &Target) {
        let adopting = self.view.header(target).adopting;
        let Some(orders) = self.desk.orders.get_mut(target) else { return };
        orders.sort_by_key(|ordered| adopting && ordered.order == Order::Adopt);
    }

    /// Whether there is nothing to write for it.
    fn is_so(&self, target: &Target, order: Order) -> bool {
        let header = self.view.header(target);
        match order {
            Order::Pause => header.paused,
            Order::Resume => !header.paused,
            Order::Sync => header.synced == Term::ZERO && header.resync_refused.is_none(),
            Order::Adopt => header.adopting,
            Order::Claim(_) => false,
        }
    }

    /// Unless it is adopted, the device is brought in line before anything else is sent: nobody looked at it
    /// while it was left alone.
    fn write_order(
        &mut self,
        target: &Target,
        order: Order,
        author: String,
        out: &mut Vec<Command>,
    ) {
        let mut draft = Draft::new(&self.view);
        let current = self.view.mastership(target).map(|m| m.term).unwrap_or_default();
        let header = &mut draft.configuration(target).header;
        match order {
            Order::Pause => header.paused = true,
            Order::Resume => header.paused = false,
            Order::Sync => header.resync_refused = None,
            Order::Adopt => {
                header.adopting = true;
                header.adopting_for = author;
            }
            Order::Claim(term) => {
                // Whatever the device listens to, it does not listen to us.
                header.claim = term.max(current.next());
                header.resync_refused = None;
            }
        }
        if order != Order::Adopt {
            header.synced = Term::ZERO;
        }
        let txn = draft.txn();
        self.write(Wake::Operate(target.clone()), txn, out);
    }
}
