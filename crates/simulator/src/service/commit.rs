//! The extension for commits that are to be confirmed.

use std::time::Duration;

use lockstep_gnmi::proto::gnmi_ext::Extension;
use lockstep_gnmi::proto::gnmi_ext::commit::Action as Wire;
use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
use tonic::Status;

/// How long a commit waits to be confirmed if its client does not say.
const DEFAULT: Duration = Duration::from_secs(600);

/// What a Set wants of commit-confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Is taken back after this time unless it is confirmed.
    Begin(Duration),
    /// Confirms the one that stands.
    Confirm,
    /// Takes it back now.
    Cancel,
    /// Gives it another time, from now on.
    Extend(Duration),
}

/// What the extension says, with the id of the commit.
pub(super) fn read(extensions: &[Extension]) -> Result<Option<(String, Action)>, Status> {
    let mut found = extensions.iter().filter_map(|extension| match &extension.ext {
        Some(Ext::Commit(commit)) => Some(commit),
        _ => None,
    });
    let Some(commit) = found.next() else { return Ok(None) };
    if found.next().is_some() {
        return Err(wrong("there is more than one"));
    }
    if commit.id.is_empty() {
        return Err(wrong("it has no id"));
    }
    let action = match &commit.action {
        None => return Err(wrong("it has no action")),
        Some(Wire::Commit(begin)) => match &begin.rollback_duration {
            None => Action::Begin(DEFAULT),
            Some(time) => Action::Begin(positive(time.seconds, time.nanos)?),
        },
        Some(Wire::Confirm(_)) => Action::Confirm,
        Some(Wire::Cancel(_)) => Action::Cancel,
        Some(Wire::SetRollbackDuration(extend)) => {
            let time = extend.rollback_duration.ok_or_else(|| wrong("it has no duration"))?;
            Action::Extend(positive(time.seconds, time.nanos)?)
        }
    };
    Ok(Some((commit.id.clone(), action)))
}

fn positive(seconds: i64, nanos: i32) -> Result<Duration, Status> {
    let whole = u64::try_from(seconds).ok().zip(u32::try_from(nanos).ok());
    let time = whole.map(|(seconds, nanos)| Duration::new(seconds, nanos));
    time.filter(|time| !time.is_zero())
        .ok_or_else(|| wrong("its rollback duration has to be more than nothing"))
}

fn wrong(what: &str) -> Status {
    Status::invalid_argument(format!("the extension commit confirmed: {what}"))
}
