//! What a subscriber wants, checked.

use std::time::Duration;

use lockstep_gnmi::path;
use lockstep_gnmi::proto::gnmi::subscribe_request::Request as Message;
use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi::{self, SubscribeRequest, SubscriptionList, SubscriptionMode};
use lockstep_types::Path;
use lockstep_yang::{Form, ModelSet};
use tonic::Status;

use super::super::{extensions, refusal, request};
use super::view::Filter;
use crate::shown;

/// The shortest time from one sample or heartbeat to the next.
const SHORTEST: Duration = Duration::from_millis(100);

/// A whole request.
#[derive(Clone, Debug)]
pub(super) struct List {
    pub(super) mode: Mode,
    pub(super) prefix: Option<gnmi::Path>,
    /// As the paths have it, if they do.
    pub(super) origin: String,
    pub(super) form: Form,
    pub(super) updates_only: bool,
    /// Only configuration, and a word after each commit.
    pub(super) configuration_only: bool,
    /// As it stood then. Nanoseconds since the Unix epoch.
    pub(super) at: Option<i64>,
    pub(super) subscriptions: Vec<Subscription>,
}

/// One subscription of it.
#[derive(Clone, Debug)]
pub(super) struct Subscription {
    pub(super) filter: Filter,
    pub(super) when: When,
}

/// When a STREAM sends a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum When {
    /// Whenever it changes, and once in a while.
    OnChange { heartbeat: Option<Duration> },
    /// From time to time; if `changed`, only what did, and the rest once in a while.
    Sample { every: Duration, changed: bool, heartbeat: Option<Duration> },
}

impl List {
    pub(super) fn read(models: &ModelSet, request: SubscribeRequest) -> Result<Self, Status> {
        let Some(Message::Subscribe(list)) = request.request else {
            return Err(Status::invalid_argument("the first message has to be a subscription"));
        };
        let mode = Mode::try_from(list.mode)
            .map_err(|_| Status::invalid_argument(format!("there is no mode {}", list.mode)))?;
        let extras = extensions::in_subscribe(&request.extension, mode)?;
        let form = request::form(list.encoding)?;
        let modules = request::modules(models, &list.use_models)?;
        if list.subscription.is_empty() {
            return Err(Status::invalid_argument("the list of subscriptions is empty"));
        }
        let each = list.subscription.iter().map(|one| {
            let path = read_path(models, &list, one)?;
            let depth = extras.depth;
            let (modules, configuration_only) = (modules.clone(), extras.configuration_only);
            let filter = Filter { path, depth, modules, configuration_only };
            Ok(Subscription { filter, when: when(one)? })
        });
        let subscriptions = each.collect::<Result<_, Status>>()?;
        let first = list.subscription.first().and_then(|one| one.path.as_ref());
        Ok(Self {
            mode,
            origin: first.map(|path| path.origin.clone()).unwrap_or_default(),
            form,
            updates_only: list.updates_only,
            configuration_only: extras.configuration_only,
            at: extras.at,
            subscriptions,
            prefix: list.prefix,
        })
    }
}

fn read_path(
    models: &ModelSet,
    list: &SubscriptionList,
    one: &gnmi::Subscription,
) -> Result<Path, Status> {
    let whole = gnmi::Path::default();
    let (prefix, wire) = (list.prefix.as_ref(), one.path.as_ref().unwrap_or(&whole));
    path::target(prefix, wire).map_err(|error| refusal::path(&error))?;
    let origin = path::origin(prefix, wire).map_err(|error| refusal::path(&error))?;
    let path = path::read(prefix, wire).map_err(|error| refusal::path(&error))?;
    let path = request::in_origin(models, origin.as_deref(), path)?;
    models.check(&path).map_err(|error| refusal::get(&error))?;
    Ok(shown::canonical(models, &path))
}

fn when(one: &gnmi::Subscription) -> Result<When, Status> {
    let heartbeat = interval("heartbeat", one.heartbeat_interval)?;
    match SubscriptionMode::try_from(one.mode) {
        // Whatever this device has is known the moment it changes.
        Ok(SubscriptionMode::TargetDefined) if one.sample_interval > 0 => {
            Err(Status::invalid_argument("TARGET_DEFINED leaves the sample interval to the device"))
        }
        Ok(SubscriptionMode::TargetDefined | SubscriptionMode::OnChange) => {
            Ok(When::OnChange { heartbeat })
        }
        Ok(SubscriptionMode::Sample) => {
            let every = interval("sample", one.sample_interval)?.unwrap_or(SHORTEST);
            Ok(When::Sample { every, changed: one.suppress_redundant, heartbeat })
        }
        Err(_) => {
            Err(Status::invalid_argument(format!("there is no subscription mode {}", one.mode)))
        }
    }
}

fn interval(what: &str, nanoseconds: u64) -> Result<Option<Duration>, Status> {
    let length = Duration::from_nanos(nanoseconds);
    if length.is_zero() {
        Ok(None)
    } else if length < SHORTEST {
        Err(Status::invalid_argument(format!(
            "the {what} interval is {} ns; the shortest this device has is {} ms",
            nanoseconds,
            SHORTEST.as_millis()
        )))
    } else {
        Ok(Some(length))
    }
}

/// The paths of a request, as far as they can be read.
pub(super) fn paths(request: &SubscribeRequest) -> Vec<Path> {
    let Some(Message::Subscribe(list)) = &request.request else { return Vec::new() };
    let wires = list.subscription.iter().filter_map(|one| one.path.as_ref());
    wires.filter_map(|wire| path::read(list.prefix.as_ref(), wire).ok()).collect()
}

/// Why a message after the first is wrong.
pub(super) fn misplaced(message: Option<&Message>) -> Status {
    match message {
        Some(Message::Subscribe(_)) => {
            Status::invalid_argument("there is a subscription already; open another call")
        }
        Some(Message::Poll(_)) => Status::invalid_argument("only a POLL subscription is polled"),
        Some(Message::Aliases(_)) => Status::unimplemented("this device has no aliases"),
        None => Status::invalid_argument("a message without a request"),
    }
}
