//! Targets of the configuration file become records when the node starts.

use lockstep_protocol::record::Key;
use lockstep_protocol::{Compare, Op, Txn, View, Written};
use lockstep_store::Records;

use crate::error::StartError;
use crate::target::TargetSpec;

/// Writes the binding of every target that has none, or another one. What is committed on one whose models
/// changed must be valid by the new ones first, and so must whatever it may fall back to.
pub(crate) async fn bind(
    records: &Records,
    view: &View,
    targets: impl Iterator<Item = &TargetSpec>,
) -> Result<(), StartError> {
    for spec in targets {
        let (binding, bound) = (spec.binding(), view.binding(&spec.name));
        if bound == Some(&binding) {
            continue;
        }
        let same_models = bound.is_some_and(|bound| bound.models == binding.models);
        let may_stand = if same_models { Vec::new() } else { view.may_stand(&spec.name) };
        let mut broken = may_stand.iter().flat_map(|tree| spec.models.validate(tree));
        if let Some(violation) = broken.next() {
            let (target, model) = (spec.name.clone(), spec.model.clone());
            return Err(StartError::Rebind { target, model, violation: Box::new(violation) });
        }
        let unchanged = |key: Key| Compare::Unchanged(key.clone(), view.version(&key));
        let compares = vec![
            unchanged(Key::Binding(spec.name.clone())),
            unchanged(Key::Configuration(spec.name.clone())),
        ];
        let ops = vec![Op::Binding { target: spec.name.clone(), binding }];
        if let Written::Stale(_) = records.write(&Txn { compares, ops }).await? {
            return Err(StartError::Race(spec.name.clone()));
        }
    }
    Ok(())
}
