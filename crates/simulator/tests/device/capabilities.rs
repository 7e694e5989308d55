//! What a device says it can do.

use lockstep_gnmi::proto::gnmi::{CapabilityRequest, Encoding};
use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
use lockstep_gnmi::proto::gnmi_ext::{Depth, Extension};
use tonic::Code;

use crate::stage::Stage;

#[tokio::test]
async fn models_encodings_and_version() {
    let mut stage = Stage::new().await;
    let answer =
        stage.client.capabilities(CapabilityRequest::default()).await.unwrap().into_inner();
    assert_eq!(answer.g_nmi_version, "0.10.0");
    let encodings: Vec<_> = answer.supported_encodings().collect();
    assert_eq!(encodings, [Encoding::Json, Encoding::JsonIetf]);
    let lab = answer.supported_models.iter().find(|model| model.name == "lab").unwrap();
    assert_eq!((lab.organization.as_str(), lab.version.as_str()), ("Lockstep", "2026-11-15"));
}

#[tokio::test]
async fn depth_does_not_go_with_capabilities() {
    let mut stage = Stage::new().await;
    let extension = vec![Extension { ext: Some(Ext::Depth(Depth { level: 1 })) }];
    let refused = stage.client.capabilities(CapabilityRequest { extension }).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
}
