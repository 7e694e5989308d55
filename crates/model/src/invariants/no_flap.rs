//! A resync never takes a unit away from what the apply head sets it to, unless that is only tried, and
//! never brings back what is being reverted. A value that the device shows in a form of its own is not
//! pushed twice.

use lockstep_protocol::Ask;
use lockstep_protocol::node::Work;
use lockstep_types::{Delta, Target};

use crate::system::{Sent, System};

use super::Step;
use super::in_step::both;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let Some((before, _)) = step.from else { return true };
    step.after.sent.iter().filter(|sent| sent.current).all(|sent| match &sent.flight.ask {
        Ask::Set(delta) if is_resync(step.after, sent) => {
            let target = &sent.flight.target;
            leaves_the_head_alone(before, target, delta)
                && reverts_what_is_reverted(before, target, delta)
                && leaves_own_forms_alone(before, target, delta)
        }
        _ => true,
    })
}

/// A plain resync; one that carries the apply head with it is that head's apply.
fn is_resync(system: &System, sent: &Sent) -> bool {
    matches!(system.purpose(&sent.flight), Some(Work::Pushing(push, _)) if push.head.is_none())
}

fn leaves_the_head_alone(system: &System, target: &Target, sent: &Delta) -> bool {
    let store = &system.store;
    let Some(head) = store.apply_head(target) else { return true };
    let Some(transaction) = store.transaction(head).filter(|head| !head.trial) else {
        return true;
    };
    let device = &system.devices[target].values;
    let (brings, _) = both(system, transaction, target);
    brings
        .iter()
        .all(|(path, content)| device.get(path) != content.as_ref() || sent.get(path).is_none())
}

fn reverts_what_is_reverted(system: &System, target: &Target, _sent: &Delta) -> bool {
    system.store.undo_head(target).is_none()
}

fn leaves_own_forms_alone(system: &System, target: &Target, sent: &Delta) -> bool {
    let device = &system.devices[target].values;
    system.store.marks(target).into_iter().flatten().all(|(path, mark)| {
        let shown = device.get(path) == mark.seen.as_ref();
        !shown || sent.get(path) != Some(&mark.wanted)
    })
}
