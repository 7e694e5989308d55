//! What a Get finds on one target, path by path.

use std::collections::BTreeMap;

use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_node::{Look, LookError, TargetSpec};
use lockstep_types::Path;
use lockstep_yang::Form;
use serde_json::Value;
use tonic::{Code, Status};

use super::Question;

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
    pub(super) async fn with_state(
        self,
        question: &Question,
        spec: &TargetSpec,
        place: &Path,
    ) -> Result<Self, Status> {
        let (form, operational) = (question.show.form, question.kind == DataType::Operational);
        let look = Look { path: place.clone(), operational, ietf: form == Form::Ietf };
        let reports = question.node.look(&spec.name, look).await;
        let reports = reports.map_err(|error| refusal(spec, &error))?;
        let models = spec.models.clone();
        let work = move || {
            let mut values = self.0;
            for (path, state) in reports {
                let before = values.remove(&path);
                // What the models do not know is not passed on.
                let after = models.overlay(&path, before, &state, form).unwrap_or_default();
                values.extend(after.map(|after| (path, after)));
            }
            Ok(Self(values))
        };
        question.workers.run(work).await
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
