//! Which target a path belongs to, and whether its origin fits.

use lockstep_gnmi::proto::gnmi_ext::{Extension, extension::Ext};
use lockstep_node::{Handle, TargetSpec};
use lockstep_types::Target;
use tonic::Status;

/// The target of this name.
pub(super) fn target<'a>(node: &'a Handle, name: &Target) -> Result<&'a TargetSpec, Status> {
    let found = node.targets().get(name);
    found.ok_or_else(|| match node.view().binding(name) {
        Some(_) => Status::unavailable(format!(
            "target {name} is paused: the configuration file no longer names it"
        )),
        None => Status::not_found(format!("there is no target {name}")),
    })
}

/// What to say when a request names no target.
pub(super) fn no_target() -> Status {
    Status::invalid_argument(
        "the request names no target: set `target` in the prefix, or on each path",
    )
}

/// An origin is left out, the model set's own, or the name of one of its modules.
pub(super) fn origin(spec: &TargetSpec, origin: Option<&str>) -> Result<(), Status> {
    let Some(origin) = origin else { return Ok(()) };
    let own = spec.models.origin() == Some(origin);
    if own || spec.models.modules().iter().any(|module| module.name == origin) {
        return Ok(());
    }
    Err(Status::invalid_argument(format!(
        "origin {origin:?} is not one of target {}: leave it out, or name one of its modules",
        spec.name
    )))
}

/// The depth extension belongs to Get and Subscribe.
pub(super) fn no_depth(extensions: &[Extension]) -> Result<(), Status> {
    let depth = |extension: &Extension| matches!(extension.ext, Some(Ext::Depth(_)));
    if extensions.iter().any(depth) {
        return Err(Status::invalid_argument(
            "the depth extension goes with Get and Subscribe only",
        ));
    }
    Ok(())
}
