//! What a Set asks of each target, to whoever may ask for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use lockstep_gnmi::proto::gnmi::SetRequest;
use lockstep_types::{Edit, Target};
use prost::Message;
use tonic::{Code, Status};

use super::{edits, permit};
use crate::gnmi::Service;
use crate::guard::Call;

/// Updates of no more bytes are a matter of microseconds.
const LITTLE: usize = 4096;

/// The edits of a request that is not carried out, as if it were.
pub(crate) async fn asked(
    service: &Service,
    call: &Call,
    request: SetRequest,
) -> Result<BTreeMap<Target, Edit>, Status> {
    permit::any(call, &request)?;
    super::options(&request)?;
    Ok(edits(service, call, &Arc::new(request)).await?.unwrap_or_default())
}

/// The edits of a request; none: it has no operations.
pub(super) async fn edits(
    service: &Service,
    call: &Call,
    request: &Arc<SetRequest>,
) -> Result<Option<BTreeMap<Target, Edit>>, Status> {
    // What is taken away may be as much as there is, however short its name.
    let little =
        request.encoded_len() <= LITTLE && request.delete.is_empty() && request.replace.is_empty();
    let edits = || {
        let (node, caller, asked) = (service.node.clone(), call.clone(), Arc::clone(request));
        service.workers.run_or(little, move || edits::edits(&node, &caller, &asked))
    };
    match edits().await {
        // Another node may have been asked to add the target, a moment ago.
        Err(status) if status.code() == Code::NotFound => {
            service.fresh.view(call).await?;
            edits().await
        }
        edits => edits,
    }
}
