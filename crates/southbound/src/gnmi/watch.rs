//! Changes as a device tells them, and what they come to.

use lockstep_gnmi::proto::gnmi::subscribe_request::Request as Kind;
use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi::{
    self, Notification, SubscribeRequest, Subscription, SubscriptionList, SubscriptionMode,
};
use lockstep_gnmi::{extension, path};
use lockstep_protocol::record::Failure;
use lockstep_types::{Addition, Configuration, Content, Edit, Map, Path};
use lockstep_yang::{ModelSet, Operation};

use super::{Encoding, get};

/// A subscription to every change of configuration. What stands is not asked for: where the order of
/// entries matters only a read tells it.
pub(super) fn request(origin: Option<&str>, encoding: Encoding) -> SubscribeRequest {
    let everything =
        gnmi::Path { origin: origin.unwrap_or_default().to_owned(), ..gnmi::Path::default() };
    let wanted = Subscription {
        path: Some(everything),
        mode: SubscriptionMode::OnChange.into(),
        ..Subscription::default()
    };
    let list = SubscriptionList {
        subscription: vec![wanted],
        mode: Mode::Stream.into(),
        encoding: get::encoding(encoding).into(),
        updates_only: true,
        ..SubscriptionList::default()
    };
    // A device that does not know the extension tells of state too, which is left out here.
    let extension = vec![extension::configuration_only()];
    SubscribeRequest { request: Some(Kind::Subscribe(list)), extension }
}

/// What a notification says, within the models.
pub(super) fn edit(models: &ModelSet, notification: &Notification) -> Result<Edit, Failure> {
    let mut edit = Edit::default();
    for path in deleted(notification)? {
        edit.clear.extend(clears(models, &path));
    }
    let updates = Notification { delete: Vec::new(), ..notification.clone() };
    let set = get::notified(models, &[updates])?;
    (edit.set, edit.add) = split(&set);
    Ok(edit)
}

/// How many paths are named where something cannot be read.
const NAMED: usize = 3;

/// The first few paths that a notification tells of.
pub(super) fn paths(notification: &Notification) -> String {
    let prefix = notification.prefix.as_ref();
    let told = notification.update.iter().filter_map(|update| update.path.as_ref());
    let told = told.chain(&notification.delete).filter_map(|told| path::read(prefix, told).ok());
    told.take(NAMED).map(|path| path.to_string()).collect::<Vec<_>>().join(", ")
}

/// What is there no more. With `atomic`, that is all that is not in the updates.
fn deleted(notification: &Notification) -> Result<Vec<Path>, Failure> {
    let prefix = notification.prefix.as_ref();
    let whole = gnmi::Path::default();
    let gone = notification.delete.iter().chain(notification.atomic.then_some(&whole));
    let gone = gone.map(|gone| path::read(prefix, gone));
    gone.collect::<Result<_, _>>().map_err(|error| get::unreadable(error.to_string()))
}

/// The path in its canonical form, if it can be configured. A key is gone only with its entry.
fn clears(models: &ModelSet, path: &Path) -> Vec<Path> {
    if let Ok(edit) = models.edit(&[Operation::Delete(path.clone())]) {
        return edit.clear;
    }
    let entry = path.parent().filter(|entry| {
        let name = path.last().map_or("", |key| bare(key.name()));
        entry.last().is_some_and(|entry| entry.keys().keys().any(|key| bare(key) == name))
    });
    let entry = entry.and_then(|entry| models.edit(&[Operation::Delete(entry)]).ok());
    entry.map_or_else(Vec::new, |edit| edit.clear)
}

fn bare(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, name)| name)
}

/// Units that are as they are told; and entries of ordered lists, of which only some are told.
fn split(units: &Configuration) -> (Map<Path, Content>, Map<Path, Addition>) {
    let (mut set, mut add) = (Map::new(), Map::new());
    for (path, content) in units.iter() {
        match content {
            Content::Order(entries) => {
                add.insert(path.clone(), Addition::Entries(entries.to_vec()));
            }
            content => {
                set.insert(path.clone(), content.clone());
            }
        }
    }
    (set, add)
}

#[cfg(test)]
mod tests;
