//! When nothing is under way any more, every transaction has an outcome and every client was answered,
//! except what waits for a device that is gone for good. Nothing sets off an endless chain of writes.

use lockstep_protocol::record::Transaction;
use lockstep_types::{Target, Timestamp};

use super::Step;
use crate::system::System;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let system = step.after;
    if system.restless {
        return false;
    }
    if !system.is_quiet() {
        return true;
    }
    let done = system.store.open().all(|transaction| waits_for_the_gone(system, transaction));
    let answered = (1..=system.submitted)
        .all(|number| system.told.contains_key(&number) || !is_owed_an_answer(system, number));
    done && answered
}

/// A queued one may wait for a device for as long as it is away, and so does what queued up behind.
fn waits_for_the_gone(system: &System, transaction: &Transaction) -> bool {
    let gone = |target| !system.devices.get(target).is_some_and(|device| device.on);
    // What is left alone is waited for until it is resumed, or the deadline.
    let endless = transaction.deadline >= Timestamp::new(u64::MAX / 2);
    let paused = |target: &Target| {
        let waits = !transaction.is_atomic() || endless;
        waits && system.store.header(target).paused
    };
    let targets = || transaction.targets.keys();
    targets().any(paused)
        || (!transaction.is_atomic() && targets().any(gone))
        // What listens to somebody else is waited for until an operator has it taken over, or the deadline.
        || targets().any(|target| system.is_usurped(target))
}

/// A client whose node died or lost its lease has to ask again.
fn is_owed_an_answer(system: &System, number: usize) -> bool {
    let entry = &system.scenario.script[number - 1];
    let transaction = system.store.named(&entry.id(number));
    let asked =
        transaction.is_some_and(|t| t.status.is_final() && system.store.is_alive(&t.origin));
    asked && system.scenario.faults.crashes == 0 && system.scenario.faults.leases == 0
}
