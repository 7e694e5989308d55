//! News on the wire.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_gnmi::proto::gnmi::subscribe_response::Response;
use lockstep_gnmi::proto::gnmi::{Path as Wire, SubscribeResponse, TypedValue};
use lockstep_gnmi::proto::gnmi_ext::Extension;
use lockstep_gnmi::{extension, get};
use lockstep_node::{Handle, TargetSpec};
use lockstep_types::{Content, Index, Path, Target};
use prost::Message;
use tonic::Status;

use super::list::List;
use super::outlet::Outlet;
use crate::access::{Extent, Right};
use crate::gnmi::Service;
use crate::gnmi::encoding::Encoding;
use crate::guard::Call;
use crate::hub::{Cut, Why};
use crate::refusal;
use crate::workers::{FEW, Workers};

/// A notification grows no larger than this: clients take four megabytes, if they are not told
/// otherwise.
const LARGEST: usize = 1 << 20;

/// What is told of one target at one time.
#[derive(Debug, Default)]
pub(super) struct Tale {
    pub(super) updates: Vec<(Path, Content)>,
    pub(super) deletes: Vec<Path>,
}

/// Tells a subscriber.
pub(super) struct Teller {
    node: Handle,
    call: Call,
    workers: Workers,
    encoding: Encoding,
    prefix: Option<Wire>,
    origin: String,
    /// The targets that were asked for by name.
    named: BTreeSet<Target>,
    outlet: Outlet<SubscribeResponse>,
    largest: usize,
    /// Whether the subscriber is told nothing more.
    cut: Cut,
    /// The last time that was told of each target: the next one is later, whatever clocks say.
    last: BTreeMap<Target, i64>,
}

impl Teller {
    pub(super) fn new(
        service: &Service,
        call: Call,
        list: &List,
        outlet: Outlet<SubscribeResponse>,
    ) -> Self {
        let message = service.message;
        Self {
            node: service.node.clone(),
            call,
            workers: service.workers.clone(),
            encoding: list.encoding,
            prefix: list.prefix.clone(),
            origin: list.origin.clone(),
            named: list.targets().into_iter().filter(|target| list.names(target)).collect(),
            outlet,
            // Halved: there is more in a message than its updates.
            largest: LARGEST.min(message / 2),
            cut: Cut::default(),
            last: BTreeMap::new(),
        }
    }

    /// Who subscribes.
    pub(super) fn call(&self) -> &Call {
        &self.call
    }

    /// From now on the subscriber may be found too slow.
    pub(super) fn heed(&mut self, cut: Cut) {
        self.cut = cut;
    }

    /// Tells what is new of a target; nothing if nothing is. All in one notification, if it has room.
    pub(super) async fn tell(
        &mut self,
        spec: &TargetSpec,
        tale: Tale,
        timestamp: i64,
    ) -> Result<(), Status> {
        if tale.updates.is_empty() && tale.deletes.is_empty() {
            return Ok(());
        }
        let last = self.last.entry(spec.name.clone()).or_insert(i64::MIN);
        *last = timestamp.max(last.saturating_add(1));
        let (timestamp, encoding, largest) = (*last, self.encoding, self.largest);
        let target = spec.name.to_string();
        let prefix = Wire { target, ..self.prefix.clone().unwrap_or_default() };
        let (origin, models) = (self.origin.clone(), spec.models.clone());
        // What may be seen may have changed since the last time.
        let call = self.caller()?;
        let extent = match self.extent(&call, &spec.name) {
            // It went, and with it the tags by which it might be read; others are told of all the same.
            Err(_) if self.node.target(&spec.name).is_none() => return Ok(()),
            // Of all there are, those that may be read by now, of which there is one at least.
            Err(_) if !self.named.contains(&spec.name) => return call.somewhere(Right::Read),
            may => may?,
        };
        let veil = call.veil(&self.node, &spec.name);
        let little = tale.updates.len() + tale.deletes.len() <= FEW;
        let work = move || {
            let typed = |(path, content): (Path, Content)| {
                let value = encoding.unit(&models, &veil, &path, &content)?;
                Some((path, value))
            };
            let updates: Vec<_> = tale.updates.into_iter().filter_map(typed).collect();
            let mut deletes = tale.deletes;
            deletes.retain(|path| extent.meets(path));
            if updates.is_empty() && deletes.is_empty() {
                return Ok(Vec::new());
            }
            let parts = parts(updates.into_iter(), largest).into_iter().map(|updates| {
                let deletes = std::mem::take(&mut deletes);
                get::told(Some(&prefix), &origin, updates, &deletes, timestamp)
            });
            parts.collect::<Result<Vec<_>, _>>().map_err(|error| refusal::path(&error))
        };
        for notification in self.workers.run_or(little, work).await? {
            self.send(Some(Response::Update(notification)), Vec::new()).await?;
        }
        Ok(())
    }

    /// Says that everything was told.
    pub(super) async fn synced(&self) -> Result<(), Status> {
        self.send(Some(Response::SyncResponse(true)), Vec::new()).await
    }

    /// Says that everything of one transaction was told.
    pub(super) async fn commit_done(
        &self,
        index: Option<Index>,
        client: &str,
    ) -> Result<(), Status> {
        let server = index.map(|index| index.to_string()).unwrap_or_default();
        self.send(None, vec![extension::commit_told(client, &server)]).await
    }

    /// What may be read of a target. It was written down of the call when that began.
    fn extent(&self, call: &Call, target: &Target) -> Result<Extent, Status> {
        match call.extent(Right::Read, &self.node, target) {
            // In words.
            extent if extent.is_nowhere() => call.target(Right::Read, &self.node, target),
            extent => Ok(extent),
        }
    }

    async fn send(
        &self,
        response: Option<Response>,
        extension: Vec<Extension>,
    ) -> Result<(), Status> {
        if let Some(why) = self.cut.why() {
            return Err(self.cut_off(why));
        }
        // Mostly there is room, and nothing to wait for.
        let message = self.outlet.try_send(SubscribeResponse { response, extension });
        let Some(message) = message else { return Ok(()) };
        tokio::select! {
            biased;
            why = self.cut.off() => Err(self.cut_off(why)),
            sent = self.outlet.send(message) => sent,
        }
    }

    /// The subscriber with what it may see by now; an error: nothing any more.
    pub(super) fn caller(&mut self) -> Result<Call, Status> {
        self.call = self.call.again()?;
        Ok(self.call.clone())
    }

    /// There are no more news.
    pub(super) fn no_more(&self) -> Status {
        match self.cut.why() {
            Some(why) => self.cut_off(why),
            None => Status::unavailable("the node is stopping; subscribe again"),
        }
    }

    /// Cuts the subscriber off.
    fn cut_off(&self, why: Why) -> Status {
        let status = why.status();
        self.outlet.cut(status.clone());
        status
    }
}

/// Updates in parts that have room in a message; at least one, be it empty.
fn parts(
    updates: impl Iterator<Item = (Path, TypedValue)>,
    largest: usize,
) -> Vec<Vec<(Path, TypedValue)>> {
    let (mut parts, mut size) = (vec![Vec::new()], 0);
    for (path, value) in updates {
        let more = value.encoded_len() + lockstep_gnmi::path::write(&path).encoded_len();
        if size + more > largest && size > 0 {
            parts.push(Vec::new());
            size = 0;
        }
        size += more;
        if let Some(part) = parts.last_mut() {
            part.push((path, value));
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_are_parted_where_there_is_no_more_room() {
        let update = |number: u32| {
            let path: Path = format!("/l[k={number}]/x").parse().unwrap();
            (path, lockstep_gnmi::value::text("y".repeat(100)))
        };
        let sizes =
            |largest| parts((0..10).map(update), largest).iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(sizes(1 << 20), [10]);
        assert_eq!(sizes(1), [1; 10]);
        assert_eq!(sizes(400).iter().sum::<usize>(), 10);
        assert_eq!(parts(std::iter::empty(), 1), [vec![]]);
    }
}
