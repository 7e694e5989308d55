//! Commit-confirmed as gNMI has it: what is said by id of a commit that is active, one's own or another's.

use std::time::Duration;

use lockstep_gnmi::extension;
use lockstep_gnmi::proto::gnmi::SetRequest;
use lockstep_gnmi::proto::gnmi_ext::commit::Action;
use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
use lockstep_gnmi::proto::gnmi_ext::{Commit, CommitSetRollbackDuration, Extension};

use super::ask::{Answer, Seen, updates};
use super::lab::Lab;

const WINDOW: Duration = Duration::from_secs(600);

impl Lab {
    /// `confirm`, `cancel` or `extend`, of a commit of root's; with `-own`, of their own.
    pub(crate) async fn commit(&self, identity: &str, action: &str, target: &str) -> Answer {
        let (author, assignment) = match action.ends_with("-own") {
            true => (identity, "/interfaces/interface[name=eth1]/description=own"),
            false => ("root", "/system/motd=changed"),
        };
        let id = self.commit_id();
        let begin = vec![extension::commit(&id, WINDOW)];
        let request = SetRequest { extension: begin, ..updates(target, assignment) };
        self.gnmi(author).set(request).await?;
        let action = action.trim_end_matches("-own");
        let said = self.said(identity, about(&id, action)).await;
        if said.is_err() || action == "extend" {
            self.said("root", extension::confirm(&id)).await.unwrap();
        }
        said
    }

    async fn said(&self, identity: &str, extension: Extension) -> Answer {
        let request = SetRequest { extension: vec![extension], ..SetRequest::default() };
        self.gnmi(identity).set(request).await.map(|_| Seen::default())
    }
}

fn about(id: &str, action: &str) -> Extension {
    match action {
        "confirm" => extension::confirm(id),
        "cancel" => extension::cancel(id),
        "extend" => {
            let rollback_duration = Some(prost_types::Duration { seconds: 900, nanos: 0 });
            let action =
                Action::SetRollbackDuration(CommitSetRollbackDuration { rollback_duration });
            Extension { ext: Some(Ext::Commit(Commit { id: id.into(), action: Some(action) })) }
        }
        other => panic!("what is {other:?}?"),
    }
}
