//! Which extensions go with which call. One that nobody knows is passed over; one that is known and
//! not honoured must not be, for the client would believe that it was.

use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi_ext::Extension;
use lockstep_gnmi::proto::gnmi_ext::config_subscription::Action;
use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
use lockstep_gnmi::proto::gnmi_ext::history::Request as Time;
use tonic::Status;

/// What the extensions of a Subscribe ask for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extras {
    /// So many levels below each path; 0: all.
    pub(super) depth: u32,
    /// Only configuration, and a word after each commit.
    pub(super) configuration_only: bool,
    /// As it stood then. Nanoseconds since the Unix epoch.
    pub(super) at: Option<i64>,
}

/// Refuses what cannot go with Capabilities.
pub(super) fn in_capabilities(extensions: &[Extension]) -> Result<(), Status> {
    each(extensions, |ext| match ext {
        Ext::Depth(_) => Some(misplaced("depth", "Get and Subscribe")),
        other => elsewhere(other),
    })
}

/// Refuses what cannot go with Get.
pub(super) fn in_get(extensions: &[Extension]) -> Result<(), Status> {
    each(extensions, elsewhere)
}

/// How many levels below a path are asked for; 0: all.
pub(super) fn depth(extensions: &[Extension]) -> u32 {
    let level = extensions.iter().find_map(|extension| match &extension.ext {
        Some(Ext::Depth(depth)) => Some(depth.level),
        _ => None,
    });
    level.unwrap_or(0)
}

/// What is asked for with Subscribe.
pub(super) fn in_subscribe(extensions: &[Extension], mode: Mode) -> Result<Extras, Status> {
    let mut extras = Extras { depth: depth(extensions), ..Extras::default() };
    for ext in extensions.iter().filter_map(|extension| extension.ext.as_ref()) {
        match ext {
            Ext::History(history) => match (history.request, mode) {
                (Some(Time::SnapshotTime(time)), Mode::Once) => extras.at = Some(time),
                (Some(Time::Range(_)), Mode::Stream) => {
                    return Err(Status::unimplemented("this device cannot repeat what happened"));
                }
                (Some(Time::SnapshotTime(_)), _) => {
                    return Err(Status::invalid_argument("a snapshot goes with ONCE"));
                }
                (Some(Time::Range(_)), _) => {
                    return Err(Status::invalid_argument("a range goes with STREAM"));
                }
                (None, _) => {
                    return Err(Status::invalid_argument("the extension history says no time"));
                }
            },
            Ext::ConfigSubscription(wanted) => match wanted.action {
                Some(Action::Start(_)) => extras.configuration_only = true,
                _ => {
                    return Err(Status::invalid_argument(
                        "a config subscription begins with its start",
                    ));
                }
            },
            Ext::RegisteredExt(_) | Ext::MasterArbitration(_) | Ext::Commit(_) | Ext::Depth(_) => {}
        }
    }
    Ok(extras)
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
