//! Capabilities: the union of all model sets.

use std::collections::BTreeSet;

use lockstep_gnmi::VERSION;
use lockstep_gnmi::proto::gnmi::{CapabilityRequest, CapabilityResponse, Encoding, ModelData};
use lockstep_yang::ModelSet;
use tonic::Status;

pub(super) fn capabilities(
    models: &[ModelSet],
    request: &CapabilityRequest,
) -> Result<CapabilityResponse, Status> {
    super::place::no_depth(&request.extension)?;
    let modules = models.iter().flat_map(ModelSet::modules);
    let modules: BTreeSet<_> =
        modules.map(|m| (m.name.clone(), m.organization.clone(), m.revision.clone())).collect();
    let model = |(name, organization, version)| ModelData { name, organization, version };
    Ok(CapabilityResponse {
        supported_models: modules.into_iter().map(model).collect(),
        supported_encodings: [Encoding::Json, Encoding::JsonIetf, Encoding::Proto]
            .map(Into::into)
            .to_vec(),
        g_nmi_version: VERSION.into(),
        extension: Vec::new(),
    })
}
