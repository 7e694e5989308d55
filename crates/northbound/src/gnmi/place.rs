//! Which target a path belongs to, and whether its origin fits.

use std::collections::BTreeSet;
use std::sync::Arc;

use lockstep_gnmi::proto::gnmi_ext::{Extension, extension::Ext};
use lockstep_node::{Handle, TargetSpec};
use lockstep_types::{Element, Path, Target};
use lockstep_yang::PathError;
use tonic::Status;

use crate::access::{Extent, Right};
use crate::guard::Call;
use crate::refusal;

/// So many paths are answered to in one call. Each takes few bytes to ask for, and may take many to answer.
const PATHS: usize = 1000;

/// Refuses a call that asks for too much at once.
pub(crate) fn few(call: &str, what: &str, count: usize) -> Result<(), Status> {
    if count <= PATHS {
        return Ok(());
    }
    Err(Status::invalid_argument(format!(
        "{call} may have up to {PATHS} {what}, and this one has {count}; ask in parts, or for what is above them"
    )))
}

/// The target of this name.
pub(crate) fn target(node: &Handle, name: &Target) -> Result<Arc<TargetSpec>, Status> {
    node.target(name).ok_or_else(|| match node.unserved(name) {
        Some(unserved) => {
            Status::unavailable(format!("target {name} is not served: {}", unserved.reason))
        }
        None => Status::not_found(format!("there is no target {name}")),
    })
}

/// What to say when a request names no target.
pub(crate) fn no_target() -> Status {
    Status::invalid_argument(
        "the request names no target: set `target` in the prefix, or on each path",
    )
}

/// An origin is left out, the model set's own, or the name of one of its modules.
pub(crate) fn origin(spec: &TargetSpec, origin: Option<&str>) -> Result<(), Status> {
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

/// A client that takes a target to have other models than it has would mean something else.
pub(crate) fn model(spec: &TargetSpec, taken: Option<&String>) -> Result<(), Status> {
    match taken {
        Some(taken) if *taken != spec.model => Err(Status::failed_precondition(format!(
            "extension 112: target {} has models {}, not {taken}",
            spec.name, spec.model
        ))),
        _ => Ok(()),
    }
}

/// The depth extension belongs to Get and Subscribe.
pub(crate) fn no_depth(extensions: &[Extension]) -> Result<(), Status> {
    let depth = |extension: &Extension| matches!(extension.ext, Some(Ext::Depth(_)));
    if extensions.iter().any(depth) {
        return Err(Status::invalid_argument(
            "the depth extension goes with Get and Subscribe only",
        ));
    }
    Ok(())
}

/// How many levels are asked for; 0: all.
pub(crate) fn depth(extensions: &[Extension]) -> usize {
    let level = extensions.iter().find_map(|extension| match &extension.ext {
        Some(Ext::Depth(depth)) => Some(depth.level),
        _ => None,
    });
    level.map_or(0, |level| usize::try_from(level).unwrap_or(usize::MAX))
}

/// Only modules that the target has can limit an answer.
pub(crate) fn modules(spec: &TargetSpec, wanted: &BTreeSet<String>) -> Result<(), Status> {
    let lacks = |name: &&String| !spec.models.modules().iter().any(|module| module.name == **name);
    match wanted.iter().find(lacks) {
        None => Ok(()),
        Some(name) => Err(Status::invalid_argument(format!(
            "use_models: target {} has no module {name}; Capabilities lists those there are",
            spec.name
        ))),
    }
}

/// Refuses a path of which nothing may be read. Of a path above what may be, the rest is left out.
pub(crate) fn readable(
    call: &Call,
    node: &Handle,
    spec: &TargetSpec,
    path: &Path,
) -> Result<(), Status> {
    let extent = call.target(Right::Read, node, &spec.name)?;
    let canonical = spec.models.canonical_path(path).map_err(|e| refusal::get_path(&e))?;
    within(call, &extent, spec, &canonical)
}

/// The same of a canonical path, where it is known what may be read of its target.
pub(crate) fn within(
    call: &Call,
    extent: &Extent,
    spec: &TargetSpec,
    path: &Path,
) -> Result<(), Status> {
    call.note(&spec.name, Some(path));
    match extent.meets(path) {
        true => Ok(()),
        false => Err(call.denied_at(Right::Read, &spec.name, path)),
    }
}

/// A path in the tree of its origin. Where several modules have the first name of it, an origin that is
/// one of them says which is meant.
pub(crate) fn in_origin(
    spec: &TargetSpec,
    origin: Option<&str>,
    path: Path,
) -> Result<Path, Status> {
    self::origin(spec, origin)?;
    let (Some(origin), Some((first, rest))) = (origin, path.elements().split_first()) else {
        return Ok(path);
    };
    let ambiguous = spec.models.check(&Path::new([first.clone()]));
    if !matches!(ambiguous, Err(PathError::Ambiguous { .. })) {
        return Ok(path);
    }
    let named = Element::new(format!("{origin}:{}", first.name())).and_then(|element| {
        let mut keys = first.keys().iter();
        keys.try_fold(element, |element, (key, value)| element.with_key(key, value))
    });
    Ok(match named {
        Ok(named) => std::iter::once(named).chain(rest.iter().cloned()).collect(),
        Err(_) => path,
    })
}
