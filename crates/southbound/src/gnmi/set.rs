//! A delta as one SetRequest.
//!
//! Each unit goes to the device at its own path, because that is exactly what the delta says: a leaf is
//! an update, a leaf-list a replace, for an update would add to what is there. A list entry or a
//! presence container is created by what is set under it, and by an update with its keys where
//! that is nothing. An update of a whole entry with all its leaves inside would be fewer operations,
//! but a delta does not say whether the entry is new, and devices differ in what they do to the leaves
//! that such a value leaves out.
//!
//! What is absent is deleted, and with an entry or a presence container everything under it. gNMI runs
//! deletes before replaces and those before updates.
//!
//! The order of a list that its user orders is said by the order of updates (see [`order`]).

mod order;

use std::collections::BTreeSet;

use lockstep_gnmi::proto::gnmi::{SetRequest, Update};
use lockstep_gnmi::{path, proto, value};
use lockstep_protocol::record::Failure;
use lockstep_types::{Configuration, Content, Delta, Path};
use lockstep_yang::{Form, ModelSet, PathError};

use super::Encoding;
use order::Ordered;

/// Where to read before a delta can be sent: what holds the lists whose order it sets. Asked for a
/// list alone, a device may give its entries in any order.
pub(super) fn to_be_read(delta: &Delta) -> BTreeSet<Path> {
    order::lists(delta).filter_map(|(list, _)| list.parent()).collect()
}

/// The request that does what the delta says, without extensions. `held` is what the device holds
/// where it was [`to_be_read`].
pub(super) fn request(
    models: &ModelSet,
    encoding: Encoding,
    delta: &Delta,
    held: &Configuration,
) -> Result<SetRequest, Failure> {
    let writer = Writer { models, encoding };
    writer.request(&Ordered::new(delta, held)).map_err(|error| {
        let message = format!("cannot be written for the device: {error}");
        Failure { code: "INTERNAL".to_owned(), message }
    })
}

struct Writer<'a> {
    models: &'a ModelSet,
    encoding: Encoding,
}

impl Writer<'_> {
    fn request(&self, ordered: &Ordered) -> Result<SetRequest, PathError> {
        let delta = &ordered.delta;
        let mut request = SetRequest::default();
        let removed = removals(delta, |path| self.is_list(path)).into_iter();
        request.delete.extend(removed.chain(&ordered.moved).map(|path| self.path(path)));
        for (path, content) in ordered.sort(needed(delta)) {
            match content {
                Content::LeafList(values) if values.is_empty() => {
                    request.delete.push(self.path(path));
                }
                Content::LeafList(_) if !ordered.concerns(path) => {
                    request.replace.push(self.update(path, content)?);
                }
                Content::LeafList(_) if !ordered.moves(path) => {
                    // A replace would create the entry before its turn.
                    request.delete.push(self.path(path));
                    request.update.push(self.update(path, content)?);
                }
                _ => request.update.push(self.update(path, content)?),
            }
        }
        Ok(request)
    }

    fn update(&self, path: &Path, content: &Content) -> Result<Update, PathError> {
        let (form, ietf) = match self.encoding {
            Encoding::Json => (Form::Json, false),
            Encoding::JsonIetf => (Form::Ietf, true),
        };
        let json = self.models.encode(path, content, form)?;
        let val = Some(value::json(&json, ietf));
        Ok(Update { path: Some(self.path(path)), val, ..Update::default() })
    }

    fn path(&self, path: &Path) -> proto::gnmi::Path {
        let origin = self.models.origin().unwrap_or_default().to_owned();
        proto::gnmi::Path { origin, ..path::write(path) }
    }

    /// Whether this is the place of a list's order, and not of anything that can be deleted.
    fn is_list(&self, path: &Path) -> bool {
        let bare = path.last().is_some_and(|last| last.keys().is_empty());
        bare && self.models.check(path).is_ok_and(|node| node.kind == lockstep_yang::Kind::List)
    }
}

/// The fewest paths whose deletion removes what the delta says is absent, and nothing that it does
/// not. The absence of an order only says that the list is empty, as the absence of its entries does;
/// to delete the list would also remove entries that the delta knows nothing of.
fn removals(delta: &Delta, is_order: impl Fn(&Path) -> bool) -> Vec<&Path> {
    let mut removals: Vec<&Path> = Vec::new();
    for (path, content) in delta {
        // Everything under a path follows it, so the last one is enough.
        let gone = removals.last().is_some_and(|last| last.is_prefix_of(path));
        if content.is_none() && !gone && !is_order(path) {
            removals.push(path);
        }
    }
    removals
}

/// What has to be sent of what is set: not an order, and not an entry or a presence container that
/// something set under it brings into being.
fn needed(delta: &Delta) -> Vec<(&Path, &Content)> {
    let sent = delta.sets().filter(|(_, content)| !matches!(content, Content::Order(_)));
    let sent: Vec<_> = sent.collect();
    let mut needed = Vec::with_capacity(sent.len());
    for (place, (path, content)) in sent.iter().enumerate() {
        // Everything under a path follows it, so the next one is enough.
        let created = sent.get(place + 1).is_some_and(|(next, content)| {
            path.is_prefix_of(next) && !matches!(content, Content::LeafList(all) if all.is_empty())
        });
        if !(created && matches!(content, Content::Entry | Content::Presence)) {
            needed.push((*path, *content));
        }
    }
    needed
}

#[cfg(test)]
mod tests;
