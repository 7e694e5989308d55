//! Targets of the configuration file become records when the node starts.

use std::collections::{BTreeMap, VecDeque};

use lockstep_protocol::record::{Binding, Key};
use lockstep_protocol::{Compare, Op, Txn, View, Written};
use lockstep_store::Records;
use lockstep_types::Target;

use crate::error::StartError;
use crate::targets::Maker;

/// How often the same targets are tried while others write what a binding of theirs is based on.
const TRIES: usize = 20;

/// Writes the binding of every target that has none, or another one; as many at once as the store takes, so that a node
/// with many targets starts soon, and fewer where somebody is in the way, so that one target does not hold up the others.
/// What is committed on one whose models changed must be valid by the new ones first, and so must whatever it may fall
/// back to. Gives the store as it was read for that, which may be before what was written.
pub(crate) async fn bind(
    records: &Records,
    targets: &BTreeMap<Target, Binding>,
    maker: &Maker,
) -> Result<View, StartError> {
    let mut view = records.load().await?;
    let mut left: VecDeque<_> = targets.iter().collect();
    // Each is compared with two records.
    let most = (records.store().limits().operations / 2).max(1);
    let (mut at_once, mut tries) = (most, 1);
    loop {
        left.retain(|(target, binding)| view.binding(target) != Some(*binding));
        let some: Vec<_> = left.iter().copied().take(at_once).collect();
        let Some((first, _)) = some.first() else { return Ok(view) };
        for (target, binding) in &some {
            may_be_bound(&view, target, binding, maker)?;
        }
        match records.write(write(&view, &some)).await? {
            Written::Done(_) => {
                left.drain(..some.len());
                (at_once, tries) = ((at_once * 2).min(most), 1);
            }
            Written::Stale(_) if tries == TRIES => {
                return Err(StartError::Race((*first).clone()));
            }
            // Another node that starts binds them as well, or a target whose models are to change is written to.
            Written::Stale(_) => {
                view = records.load().await?;
                (at_once, tries) = ((at_once / 2).max(1), tries + 1);
            }
        }
    }
}

fn may_be_bound(
    view: &View,
    target: &Target,
    binding: &Binding,
    maker: &Maker,
) -> Result<(), StartError> {
    if view.binding(target).is_some_and(|bound| bound.models == binding.models) {
        return Ok(());
    }
    let Some(models) = maker.models.get(&binding.models) else { return Ok(()) };
    let mut broken = view.may_stand(target).into_iter().flat_map(|tree| models.validate(&tree));
    match broken.next() {
        None => Ok(()),
        Some(violation) => Err(StartError::Rebind {
            target: target.clone(),
            model: maker.devices.known(target, binding).model,
            violation: Box::new(violation),
        }),
    }
}

fn write(view: &View, bound: &[(&Target, &Binding)]) -> Txn {
    let unchanged = |key: Key| Compare::Unchanged(key.clone(), view.version(&key));
    let keys = bound.iter().flat_map(|(target, binding)| based_on(view, target, binding));
    let op = |(target, binding): &(&Target, &Binding)| Op::Binding {
        target: (*target).clone(),
        binding: (*binding).clone(),
    };
    Txn { compares: keys.map(unchanged).collect(), ops: bound.iter().map(op).collect() }
}

/// What a binding is based on. To other models, on what stands, which they were asked about; otherwise a target may be
/// as busy as it likes.
fn based_on(view: &View, target: &Target, binding: &Binding) -> impl Iterator<Item = Key> + use<> {
    let is_same = view.binding(target).is_some_and(|bound| bound.models == binding.models);
    let stands = (!is_same).then(|| Key::Configuration(target.clone()));
    [Key::Binding(target.clone())].into_iter().chain(stands)
}
