//! What all requests are held to: one target, and an origin that is ours.

use lockstep_types::Target;
use lockstep_yang::ModelSet;
use tonic::Status;

/// Refuses an origin that is neither that of the models nor one of their modules.
pub(super) fn check_origin(models: &ModelSet, origin: Option<&str>) -> Result<(), Status> {
    let Some(origin) = origin else { return Ok(()) };
    let ours = models.origin() == Some(origin)
        || models.modules().iter().any(|module| module.name == origin);
    if ours {
        Ok(())
    } else {
        Err(Status::invalid_argument(format!("this device has no origin `{origin}`")))
    }
}

/// Refuses a request for more than one target: a device is one, whatever it is called.
pub(super) fn check_targets<'a>(
    mut targets: impl Iterator<Item = Option<&'a Target>>,
) -> Result<(), Status> {
    let Some(first) = targets.next() else { return Ok(()) };
    match targets.find(|other| *other != first) {
        None => Ok(()),
        Some(_) => {
            Err(Status::invalid_argument("a device is one target; the request names several"))
        }
    }
}
