//! What the extensions of a Subscribe ask for.

use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi_ext::Extension;
use lockstep_gnmi::proto::gnmi_ext::config_subscription::Action;
use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
use lockstep_gnmi::proto::gnmi_ext::history::Request as Time;
use lockstep_types::Timestamp;
use tonic::Status;

use crate::gnmi::place;

/// What goes with every path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extras {
    /// So many levels below each path; 0: all.
    pub(super) depth: usize,
    /// Only configuration, and a word after each commit.
    pub(super) configuration_only: bool,
    /// As it stood then.
    pub(super) at: Option<Timestamp>,
}

impl Extras {
    pub(super) fn read(extensions: &[Extension], mode: Mode) -> Result<Self, Status> {
        let mut extras = Self { depth: place::depth(extensions), ..Self::default() };
        for extension in extensions {
            match &extension.ext {
                Some(Ext::History(history)) => {
                    extras.at = Some(snapshot(history.request.as_ref(), mode)?);
                }
                Some(Ext::ConfigSubscription(wanted)) => match wanted.action {
                    Some(Action::Start(_)) => extras.configuration_only = true,
                    _ => {
                        return Err(Status::invalid_argument(
                            "a config subscription begins with its `start`",
                        ));
                    }
                },
                _ => {}
            }
        }
        Ok(extras)
    }
}

fn snapshot(time: Option<&Time>, mode: Mode) -> Result<Timestamp, Status> {
    match (time, mode) {
        (Some(Time::SnapshotTime(time)), Mode::Once) => match u64::try_from(*time) {
            Ok(time) if time > 0 => Ok(Timestamp::new(time)),
            _ => {
                Err(Status::invalid_argument("history: a snapshot_time is nanoseconds since 1970"))
            }
        },
        (Some(Time::SnapshotTime(_)), _) => {
            Err(Status::invalid_argument("history: a snapshot goes with mode ONCE"))
        }
        (Some(Time::Range(_)), Mode::Stream) => Err(Status::unimplemented(
            "history: a range is not implemented; a snapshot is, and `lockstep tx list` has the log",
        )),
        (Some(Time::Range(_)), _) => {
            Err(Status::invalid_argument("history: a range goes with mode STREAM"))
        }
        (None, _) => Err(Status::invalid_argument("history: neither snapshot nor range is given")),
    }
}
