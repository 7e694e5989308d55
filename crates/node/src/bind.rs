//! Targets of the configuration file become records when the node starts.

use std::collections::BTreeMap;

use lockstep_protocol::record::{Binding, Key};
use lockstep_protocol::{Compare, Op, Txn, View, Written};
use lockstep_store::Records;
use lockstep_types::Target;

use crate::error::StartError;
use crate::targets::Maker;

/// How often targets are tried that others bind at the same time.
const TRIES: usize = 10;

/// Writes the binding of every target that has none, or another one; as many at once as the store takes, so that a node
/// with many targets starts soon. What is committed on one whose models changed must be valid by the new ones first, and
/// so must whatever it may fall back to. Gives the store as it was read for that, which may be before what was written.
pub(crate) async fn bind(
    records: &Records,
    targets: &BTreeMap<Target, Binding>,
    maker: &Maker,
) -> Result<View, StartError> {
    let mut view = records.load().await?;
    let targets: Vec<_> = targets.iter().collect();
    // Each is compared with two records.
    for some in targets.chunks((records.store().limits().operations / 2).max(1)) {
        let mut tries = 1;
        loop {
            let differs =
                |(target, binding): &&(&Target, &Binding)| view.binding(target) != Some(*binding);
            let some: Vec<_> = some.iter().filter(differs).collect();
            let Some((first, _)) = some.first() else { break };
            for (target, binding) in &some {
                may_be_bound(&view, target, binding, maker)?;
            }
            match records.write(write(&view, &some)).await? {
                Written::Done(_) => break,
                Written::Stale(_) if tries == TRIES => {
                    return Err(StartError::Race((*first).clone()));
                }
                // Another node that starts binds them as well.
                Written::Stale(_) => view = records.load().await?,
            }
            tries += 1;
        }
    }
    Ok(view)
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

fn write(view: &View, bound: &[&(&Target, &Binding)]) -> Txn {
    let unchanged = |key: Key| Compare::Unchanged(key.clone(), view.version(&key));
    let keys = |target: &Target| [Key::Binding(target.clone()), Key::Configuration(target.clone())];
    let compares = bound.iter().flat_map(|(target, _)| keys(target)).map(unchanged).collect();
    let op = |(target, binding): &&(&Target, &Binding)| Op::Binding {
        target: (*target).clone(),
        binding: (*binding).clone(),
    };
    Txn { compares, ops: bound.iter().map(op).collect() }
}
