//! What a Get finds on one target, path by path.

use std::collections::BTreeMap;

use lockstep_node::{Handle, Look, LookError, TargetSpec};
use lockstep_types::Path;
use lockstep_yang::Form;
use serde_json::Value;
use tonic::{Code, Status};

/// Values by their concrete paths.
#[derive(Debug, Default)]
pub(super) struct Found(BTreeMap<Path, Value>);

impl Found {
    pub(super) fn new(values: Vec<(Path, Value)>) -> Self {
        Self(values.into_iter().collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn into_values(self) -> Vec<(Path, Value)> {
        self.0.into_iter().collect()
    }

    /// Asks the device for its state, and lays that over what is here.
    pub(super) async fn lay_over(
        &mut self,
        node: &Handle,
        spec: &TargetSpec,
        (place, operational, form): (&Path, bool, Form),
    ) -> Result<(), Status> {
        let look = Look { path: place.clone(), operational, ietf: form == Form::Ietf };
        let reports = node.look(&spec.name, look).await;
        for (path, state) in reports.map_err(|error| refusal(spec, &error))? {
            let before = self.0.remove(&path);
            // What the models do not know is not passed on.
            let after = spec.models.overlay(&path, before, &state, form).unwrap_or_default();
            self.0.extend(after.map(|after| (path, after)));
        }
        Ok(())
    }
}

/// A device that cannot be asked is not there for this purpose.
fn refusal(spec: &TargetSpec, error: &LookError) -> Status {
    let name = &spec.name;
    Status::new(
        Code::Unavailable,
        format!(
            "target {name} cannot be asked for its state: {error}; type CONFIG needs no device"
        ),
    )
}
