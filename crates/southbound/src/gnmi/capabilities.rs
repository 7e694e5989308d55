//! What a device can, asked once for each connection.

use lockstep_gnmi::code;
use lockstep_gnmi::proto::gnmi::{self, CapabilityRequest, CapabilityResponse};
use lockstep_yang::ModelSet;
use tonic::{Code, Status};

use super::{Client, Encoding, Options, answer};
use crate::ConnectError;

/// How many modules are named in a warning; a device may lack dozens.
const NAMED: usize = 5;

/// Asks the device, and gives back how values are to be written. A device that does not know the
/// question is there all the same.
pub(super) async fn ask(
    mut client: Client,
    address: &str,
    options: &Options,
    models: &ModelSet,
) -> Result<Encoding, ConnectError> {
    match client.capabilities(CapabilityRequest::default()).await {
        Ok(response) => {
            let response = response.into_inner();
            warn_of_missing(address, models, &response);
            Ok(options.encoding.unwrap_or_else(|| preferred(&response)))
        }
        Err(status) if is_unknown_here(&status) => {
            Ok(options.encoding.unwrap_or(Encoding::JsonIetf))
        }
        Err(status) => Err(refusal(address.to_owned(), &status)),
    }
}

fn is_unknown_here(status: &Status) -> bool {
    status.code() == Code::Unimplemented && !answer::is_from_connection(status)
}

fn refusal(address: String, status: &Status) -> ConnectError {
    if answer::is_from_connection(status) {
        return ConnectError::Unreachable { address, reason: answer::in_words(status) };
    }
    let code = code::name(status.code()).to_owned();
    ConnectError::Refused { address, code, message: status.message().to_owned() }
}

/// JSON_IETF, which leaves nothing open, unless the device speaks only the other.
fn preferred(response: &CapabilityResponse) -> Encoding {
    let speaks =
        |encoding: gnmi::Encoding| response.supported_encodings.contains(&i32::from(encoding));
    if speaks(gnmi::Encoding::Json) && !speaks(gnmi::Encoding::JsonIetf) {
        Encoding::Json
    } else {
        Encoding::JsonIetf
    }
}

/// A device may well take what it does not list, so this is no reason to leave it alone.
fn warn_of_missing(address: &str, models: &ModelSet, response: &CapabilityResponse) {
    let has = |name: &str| response.supported_models.iter().any(|model| model.name == name);
    let modules = models.modules().iter().map(|module| module.name.as_str());
    let missing: Vec<&str> = modules.filter(|name| !has(name)).collect();
    if !missing.is_empty() {
        let some = missing.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
        let count = missing.len();
        tracing::warn!(address, count, "the device does not list all modules: {some}");
    }
}
