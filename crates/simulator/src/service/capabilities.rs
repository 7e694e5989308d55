//! What a device can do.

use lockstep_gnmi::VERSION;
use lockstep_gnmi::proto::gnmi::{CapabilityRequest, CapabilityResponse, Encoding, ModelData};
use lockstep_yang::{ModelSet, Module};
use tonic::Status;

use super::extensions;

/// The models, the encodings that Get and Set take, and the version of gNMI.
pub(super) fn answer(
    models: &ModelSet,
    request: &CapabilityRequest,
) -> Result<CapabilityResponse, Status> {
    extensions::in_capabilities(&request.extension)?;
    Ok(CapabilityResponse {
        supported_models: models.modules().iter().map(model).collect(),
        supported_encodings: vec![Encoding::Json.into(), Encoding::JsonIetf.into()],
        g_nmi_version: VERSION.into(),
        extension: Vec::new(),
    })
}

fn model(module: &Module) -> ModelData {
    ModelData {
        name: module.name.clone(),
        organization: module.organization.clone(),
        version: module.revision.clone(),
    }
}
