//! Operators: they pause devices and go on with them, have them read again, adopted or claimed, confirm changes and call
//! them off, and add, bind anew and remove a target while everything runs.

use std::time::Duration;

use lockstep_node::Handle;
use lockstep_protocol::record::{Binding, Drift, Initial, Kind, Mode};
use lockstep_protocol::{Body, Order, Reply, Request, Until};
use lockstep_types::{ModelDigest, Target, TransactionId};
use tokio::time::{Instant, timeout};

use crate::chance::Chance;
use crate::clients::{Asked, Told};

/// How long an operator waits.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long an entry of the log about a target may take, in nanoseconds.
const DEADLINE: u64 = 10_000_000_000;

/// What there is for operators to do. All of it comes to pass in a run of many seeds.
pub const ALL: [&str; 10] = [
    "confirmed",
    "called off",
    "paused",
    "resumed",
    "read again",
    "adopted by order",
    "claimed",
    "a target added",
    "a target removed",
    "a target bound anew",
];

/// What is to have become of the log in a run of many seeds.
pub const OUTCOMES: [&str; 17] = [
    "changes applied",
    "changes applied in part",
    "changes reverted",
    "changes cancelled",
    "rollbacks applied",
    "rollbacks by path applied",
    "restores applied",
    "devices adopted when met",
    "drift adopted",
    "targets added",
    "targets bound anew",
    "targets removed",
    "windows confirmed",
    "windows that ended",
    "entries forgotten",
    "wide ones applied",
    "wide ones reverted",
];

/// What an operator did, and what it became in the log, if it is an entry of it.
pub type Done = (&'static str, Option<Asked>);

/// Whom an operator has to do with.
#[derive(Clone, Debug)]
pub struct Charge {
    /// Targets that are there all the time.
    pub targets: Vec<Target>,
    /// One that comes and goes.
    pub guest: Target,
    /// The models that it may be bound to.
    pub models: Vec<ModelDigest>,
}

/// Does one thing.
pub async fn operate(handle: Handle, of: Charge, number: usize, chance: Chance) -> Done {
    match chance.below(10) {
        0 => (confirm(&handle).await, None),
        1 => (cancel(&handle, &chance).await, None),
        2 | 3 => guest(&handle, &of, number, &chance).await,
        _ => (order(&handle, &of, &chance).await, None),
    }
}

/// Confirms whatever is to be confirmed.
async fn confirm(handle: &Handle) -> &'static str {
    let open = handle.view().windows().next().map(|(_, index)| index);
    let Some(index) = open else { return "nothing to confirm" };
    said(handle.confirm(index, patience()).await, "confirmed", "not confirmed")
}

/// Calls off something that has no outcome yet.
async fn cancel(handle: &Handle, chance: &Chance) -> &'static str {
    let open: Vec<_> = handle.view().open().map(|transaction| transaction.index).collect();
    let Some(index) = chance.one(&open) else { return "nothing to call off" };
    said(handle.cancel(*index, String::new(), patience()).await, "called off", "not called off")
}

/// Has something done with a device.
async fn order(handle: &Handle, of: &Charge, chance: &Chance) -> &'static str {
    let Some(target) = chance.one(&of.targets).cloned() else { return "nobody to operate" };
    let (order, name) = match chance.below(8) {
        0 | 1 => (Order::Pause, "paused"),
        2..=4 => (Order::Resume, "resumed"),
        5 => (Order::Sync, "read again"),
        6 => (Order::Adopt, "adopted by order"),
        _ => {
            let last = handle.view().mastership(&target).map(|m| m.term).unwrap_or_default();
            (Order::Claim(last.next().next()), "claimed")
        }
    };
    said(
        handle.operate(target, order, String::new(), patience()).await,
        name,
        "an order not answered",
    )
}

/// The guest comes, is bound to other models, or goes.
async fn guest(handle: &Handle, of: &Charge, number: usize, chance: &Chance) -> Done {
    let is_there = handle.view().binding(&of.guest).is_some();
    let (kind, name) = match (is_there, chance.below(3)) {
        (false, _) => (Kind::Add, "a target added"),
        (true, 0) => (Kind::Remove, "a target removed"),
        (true, _) => (Kind::Rebind, "a target bound anew"),
    };
    let models = chance.one(&of.models).cloned();
    let binding = models.filter(|_| kind != Kind::Remove).map(|models| {
        let mut binding = Binding::of(models);
        binding.initial = if chance.percent(50) { Initial::Adopt } else { Initial::Replace };
        binding.drift = if chance.percent(50) { Drift::Adopt } else { Drift::Enforce };
        Box::new(binding)
    });
    let (mode, edits, only, window) = (Mode::Atomic, Default::default(), [of.guest.clone()], None);
    let id = TransactionId::new(format!("order {number}")).expect("an id");
    let request = Request {
        id: id.clone(),
        body: Body { kind, mode, edits, only: only.into(), window, binding },
        until: Until::Outcome,
        deadline: handle.now().after(DEADLINE),
        answer_by: None,
        author: String::new(),
        comment: String::new(),
    };
    let told = Told::of(timeout(PATIENCE, handle.submit(request)).await);
    (name, Some(Asked { id, told }))
}

/// Until when an operator waits.
fn patience() -> Instant {
    Instant::now() + PATIENCE
}

fn said<B>(answer: Result<Reply, B>, done: &'static str, not: &'static str) -> &'static str {
    match answer {
        Ok(Reply::Done | Reply::Transaction { .. }) => done,
        _ => not,
    }
}
