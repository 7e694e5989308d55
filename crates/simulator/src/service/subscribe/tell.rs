//! News on the wire.

use lockstep_gnmi::proto::gnmi::subscribe_response::Response;
use lockstep_gnmi::proto::gnmi::{self, Notification, SubscribeResponse, Update};
use lockstep_gnmi::proto::gnmi_ext::config_subscription::Action;
use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
use lockstep_gnmi::proto::gnmi_ext::{ConfigSubscription, ConfigSubscriptionSyncDone, Extension};
use lockstep_gnmi::{path, value};
use lockstep_types::Path;
use lockstep_yang::{Form, ModelSet};
use tonic::Status;

use super::list::List;
use super::watch::News;
use super::{Answers, view};
use crate::device::Change;

/// As many updates go into one message, so that none grows too large for a client.
const TOGETHER: usize = 100;

/// Tells a subscriber.
pub(super) struct Teller {
    models: ModelSet,
    form: Form,
    prefix: Option<gnmi::Path>,
    /// The path of the prefix.
    above: Path,
    origin: String,
    answers: Answers,
}

impl Teller {
    pub(super) fn new(models: ModelSet, list: &List, answers: Answers) -> Self {
        let prefix = list.prefix.clone();
        let above = prefix.as_ref().and_then(|prefix| path::read(None, prefix).ok());
        let (form, origin) = (list.form, list.origin.clone());
        Self { models, form, prefix, above: above.unwrap_or_default(), origin, answers }
    }

    /// Tells what is new; nothing if nothing is.
    pub(super) async fn tell(&self, news: News, timestamp: i64) -> Result<(), Status> {
        let News { deletes, updates } = news;
        let ietf = matches!(self.form, Form::Ietf);
        let values = updates.into_iter().filter_map(|(path, seen)| {
            let json = view::value(&self.models, &path, &seen, self.form)?;
            Some((path, value::json(&json, ietf)))
        });
        let mut updates: Vec<_> = values.collect();
        let below = |path: &Path| self.above.is_prefix_of(path);
        let below = deletes.iter().all(below) && updates.iter().all(|(path, _)| below(path));
        let mut delete: Vec<_> = deletes.iter().map(|path| self.path(path, below)).collect();
        while !(updates.is_empty() && delete.is_empty()) {
            let rest = updates.split_off(updates.len().min(TOGETHER));
            let update = std::mem::replace(&mut updates, rest).into_iter().map(|(path, value)| {
                let path = Some(self.path(&path, below));
                Update { path, val: Some(value), ..Update::default() }
            });
            let update = update.collect();
            let (prefix, delete) = (self.prefix(below), std::mem::take(&mut delete));
            let told =
                Notification { timestamp, prefix, update, delete, ..Notification::default() };
            self.send(Some(Response::Update(told)), Vec::new()).await?;
        }
        Ok(())
    }

    /// Says that everything was told.
    pub(super) async fn synced(&self) -> Result<(), Status> {
        self.send(Some(Response::SyncResponse(true)), Vec::new()).await
    }

    /// Says that everything of one commit was told.
    pub(super) async fn commit_done(&self, change: &Change) -> Result<(), Status> {
        let done = ConfigSubscriptionSyncDone {
            commit_confirm_id: change.commit.clone(),
            server_commit_id: change.number.to_string(),
            done: true,
        };
        let done = ConfigSubscription { action: Some(Action::SyncDone(done)) };
        self.send(None, vec![Extension { ext: Some(Ext::ConfigSubscription(done)) }]).await
    }

    async fn send(
        &self,
        response: Option<Response>,
        extension: Vec<Extension>,
    ) -> Result<(), Status> {
        let sent = self.answers.send(Ok(SubscribeResponse { response, extension })).await;
        sent.map_err(|_| Status::cancelled("the client is gone"))
    }

    /// A path below the prefix, or a whole one.
    fn path(&self, path: &Path, below: bool) -> gnmi::Path {
        let shown = if below { path.strip_prefix(&self.above) } else { None };
        let wire = path::write(shown.as_ref().unwrap_or(path));
        gnmi::Path { origin: self.origin.clone(), ..wire }
    }

    fn prefix(&self, below: bool) -> Option<gnmi::Path> {
        self.prefix.clone().map(|prefix| match below {
            true => prefix,
            false => gnmi::Path { elem: Vec::new(), element: Vec::new(), ..prefix },
        })
    }
}
