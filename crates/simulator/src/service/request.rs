//! What all requests are held to: one target, and an origin that is ours.

use lockstep_gnmi::proto::gnmi::{Encoding, ModelData};
use lockstep_types::{Element, Path, Target};
use lockstep_yang::{Form, ModelSet, PathError};
use tonic::Status;

/// Refuses an origin that is neither that of the models nor one of their modules.
fn check_origin(models: &ModelSet, origin: Option<&str>) -> Result<(), Status> {
    let Some(origin) = origin else { return Ok(()) };
    let ours = models.origin() == Some(origin)
        || models.modules().iter().any(|module| module.name == origin);
    if ours {
        Ok(())
    } else {
        Err(Status::invalid_argument(format!("this device has no origin `{origin}`")))
    }
}

/// A path in the tree of its origin. Where several modules have the first name of it, the origin says
/// which is meant, if it is one of them.
pub(super) fn in_origin(
    models: &ModelSet,
    origin: Option<&str>,
    path: Path,
) -> Result<Path, Status> {
    check_origin(models, origin)?;
    let (Some(origin), Some((first, rest))) = (origin, path.elements().split_first()) else {
        return Ok(path);
    };
    let named = |name: &str| {
        let mut keys = first.keys().iter();
        Element::new(name).and_then(|element| {
            keys.try_fold(element, |element, (key, value)| element.with_key(key, value))
        })
    };
    let ambiguous = models.check(&Path::new([first.clone()]));
    match (ambiguous, named(&format!("{origin}:{}", first.name()))) {
        (Err(PathError::Ambiguous { .. }), Ok(first)) => {
            Ok([first].into_iter().chain(rest.iter().cloned()).collect())
        }
        _ => Ok(path),
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

/// How values are to be written.
pub(super) fn form(encoding: i32) -> Result<Form, Status> {
    match Encoding::try_from(encoding) {
        Ok(Encoding::Json) => Ok(Form::Json),
        Ok(Encoding::JsonIetf) => Ok(Form::Ietf),
        Ok(other) => Err(Status::unimplemented(format!(
            "this device has no encoding {}; use JSON or JSON_IETF",
            other.as_str_name()
        ))),
        Err(_) => Err(Status::invalid_argument(format!("there is no encoding {encoding}"))),
    }
}

/// The modules that an answer is to be limited to; none: all of them.
pub(super) fn modules(models: &ModelSet, wanted: &[ModelData]) -> Result<Vec<String>, Status> {
    for one in wanted {
        let known = models.modules().iter().any(|module| {
            module.name == one.name && (one.version.is_empty() || one.version == module.revision)
        });
        if !known {
            let version = &one.version;
            let version = if version.is_empty() { String::new() } else { format!(" {version}") };
            let message = format!("this device has no model {}{version}", one.name);
            return Err(Status::invalid_argument(message));
        }
    }
    Ok(wanted.iter().map(|one| one.name.clone()).collect())
}
