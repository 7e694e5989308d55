//! What a client says of a commit that is taken back unless it is confirmed, and of a subscription to
//! configuration alone.

use std::time::Duration;

use crate::proto::gnmi_ext::commit::Action;
use crate::proto::gnmi_ext::config_subscription::Action as Subscription;
use crate::proto::gnmi_ext::extension::Ext;
use crate::proto::gnmi_ext::{
    Commit, CommitCancel, CommitConfirm, CommitRequest, ConfigSubscription,
    ConfigSubscriptionStart, ConfigSubscriptionSyncDone, Extension,
};

/// The longest time that protobuf allows.
const LONGEST: Duration = Duration::from_secs(315_576_000_000);

/// The extension that makes a Set a commit of this name, which is taken back after this time unless
/// it is confirmed.
pub fn commit(id: &str, rollback: Duration) -> Extension {
    // A time of protobuf has a limit, ten thousand years.
    let time = prost_types::Duration::try_from(rollback.min(LONGEST));
    let rollback_duration = Some(time.unwrap_or_default());
    with(id, Action::Commit(CommitRequest { rollback_duration }))
}

/// The extension that keeps the commit of this name.
pub fn confirm(id: &str) -> Extension {
    with(id, Action::Confirm(CommitConfirm {}))
}

/// The extension that takes the commit of this name back now.
pub fn cancel(id: &str) -> Extension {
    with(id, Action::Cancel(CommitCancel {}))
}

/// The extension that limits a subscription to configuration, on servers that know it.
pub fn configuration_only() -> Extension {
    let action = Some(Subscription::Start(ConfigSubscriptionStart {}));
    Extension { ext: Some(Ext::ConfigSubscription(ConfigSubscription { action })) }
}

/// The extension that says, after all of one commit was told to a subscriber, that this was all. The
/// commit has the client's name, if it had one, and the server's.
pub fn commit_told(client: &str, server: &str) -> Extension {
    let done = ConfigSubscriptionSyncDone {
        commit_confirm_id: client.to_owned(),
        server_commit_id: server.to_owned(),
        done: true,
    };
    let action = Some(Subscription::SyncDone(done));
    Extension { ext: Some(Ext::ConfigSubscription(ConfigSubscription { action })) }
}

fn with(id: &str, action: Action) -> Extension {
    let commit = Commit { id: id.to_owned(), action: Some(action) };
    Extension { ext: Some(Ext::Commit(commit)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_says_its_name_and_its_time() {
        let Some(Ext::Commit(said)) = commit("c1.7", Duration::from_millis(1500)).ext else {
            panic!("no commit");
        };
        let Some(Action::Commit(request)) = said.action else { panic!("{said:?}") };
        let time = request.rollback_duration.unwrap();
        assert_eq!((&*said.id, time.seconds, time.nanos), ("c1.7", 1, 500_000_000));
    }
}
