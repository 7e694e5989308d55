//! Which extensions go with which call. One that nobody knows is passed over; one that is known and
//! not honoured must not be, for the client would believe that it was.

use lockstep_gnmi::proto::gnmi_ext::Extension;
use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
use tonic::Status;

/// Refuses what cannot go with Capabilities.
pub(super) fn in_capabilities(extensions: &[Extension]) -> Result<(), Status> {
    each(extensions, |ext| match ext {
        Ext::Depth(_) => Some(misplaced("depth", "Get and Subscribe")),
        other => elsewhere(other),
    })
}

/// Refuses what cannot go with Get.
pub(super) fn in_get(extensions: &[Extension]) -> Result<(), Status> {
    each(extensions, |ext| match ext {
        Ext::Depth(depth) if depth.level > 0 => Some(absent("depth")),
        other => elsewhere(other),
    })
}

/// Refuses what cannot go with Set.
pub(super) fn in_set(extensions: &[Extension]) -> Result<(), Status> {
    each(extensions, |ext| match ext {
        Ext::Depth(_) => Some(misplaced("depth", "Get and Subscribe")),
        other => elsewhere(other),
    })
}

/// What goes with Subscribe only.
fn elsewhere(ext: &Ext) -> Option<Status> {
    match ext {
        Ext::History(_) => Some(misplaced("history", "Subscribe")),
        Ext::ConfigSubscription(_) => Some(misplaced("config subscription", "Subscribe")),
        Ext::RegisteredExt(_) | Ext::MasterArbitration(_) | Ext::Commit(_) | Ext::Depth(_) => None,
    }
}

fn each(extensions: &[Extension], wrong: impl Fn(&Ext) -> Option<Status>) -> Result<(), Status> {
    let found = extensions.iter().filter_map(|extension| extension.ext.as_ref()).find_map(wrong);
    found.map_or(Ok(()), Err)
}

fn misplaced(extension: &str, place: &str) -> Status {
    Status::invalid_argument(format!("the extension {extension} goes with {place} only"))
}

fn absent(extension: &str) -> Status {
    Status::unimplemented(format!("this device does not have the extension {extension}"))
}
