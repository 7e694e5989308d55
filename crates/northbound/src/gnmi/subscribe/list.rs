//! What a subscriber wants, checked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use lockstep_gnmi::path as paths;
use lockstep_gnmi::proto::gnmi::subscribe_request::Request as Message;
use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi::{
    self, Path, SubscribeRequest, SubscriptionList, SubscriptionMode,
};
use lockstep_node::{Handle, Pace};
use lockstep_types::Target;
use tonic::Status;

use super::extras::Extras;
use super::wanted::{Spot, Wanted};
use crate::access::Right;
use crate::gnmi::encoding::Encoding;
use crate::gnmi::place;
use crate::guard::Call;
use crate::refusal;

/// The shortest time from one sample or heartbeat to the next.
const SHORTEST: Duration = Duration::from_millis(100);

/// A whole request.
#[derive(Debug)]
pub(super) struct List {
    pub(super) mode: Mode,
    pub(super) prefix: Option<Path>,
    /// As the paths have it, if they do.
    pub(super) origin: String,
    pub(super) encoding: Encoding,
    pub(super) updates_only: bool,
    pub(super) extras: Extras,
    pub(super) subscriptions: Vec<Subscription>,
}

/// One subscription of it.
#[derive(Debug)]
pub(super) struct Subscription {
    pub(super) wanted: Arc<Wanted>,
    /// Whether a target was named, or all of them meant, those to come included.
    pub(super) named: bool,
    /// What that is on each target, for now.
    pub(super) spots: BTreeMap<Target, Spot>,
    pub(super) pace: Pace,
    pub(super) heartbeat: Option<Duration>,
}

impl List {
    pub(super) fn read(
        node: &Handle,
        call: &Call,
        request: SubscribeRequest,
    ) -> Result<Self, Status> {
        let Some(Message::Subscribe(list)) = request.request else {
            return Err(Status::invalid_argument("the first message has to be a SubscriptionList"));
        };
        let mode = Mode::try_from(list.mode)
            .map_err(|_| Status::invalid_argument(format!("there is no mode {}", list.mode)))?;
        let extras = Extras::read(&request.extension, mode)?;
        if list.use_aliases {
            return Err(Status::unimplemented("aliases went out of gNMI with 0.8"));
        }
        if list.subscription.is_empty() {
            return Err(Status::invalid_argument("the SubscriptionList has no subscription"));
        }
        place::few("a SubscriptionList", "subscriptions", list.subscription.len())?;
        let encoding = Encoding::read(list.encoding)?;
        let each =
            list.subscription.iter().map(|one| subscription(node, call, &list, one, &extras));
        let subscriptions = each.collect::<Result<_, _>>()?;
        let first = list.subscription.first().and_then(|one| one.path.as_ref());
        Ok(Self {
            mode,
            origin: first.map(|path| path.origin.clone()).unwrap_or_default(),
            encoding,
            updates_only: list.updates_only,
            extras,
            subscriptions,
            prefix: list.prefix,
        })
    }

    /// Every target that something is wanted of.
    pub(super) fn targets(&self) -> BTreeSet<Target> {
        let spots = self.subscriptions.iter().flat_map(|one| one.spots.keys());
        spots.cloned().collect()
    }

    /// Whether a target was asked for by its name.
    pub(super) fn names(&self, target: &Target) -> bool {
        self.subscriptions.iter().any(|one| one.named && one.spots.contains_key(target))
    }
}

fn subscription(
    node: &Handle,
    call: &Call,
    list: &SubscriptionList,
    one: &gnmi::Subscription,
    extras: &Extras,
) -> Result<Subscription, Status> {
    let whole = Path::default();
    let (prefix, wire) = (list.prefix.as_ref(), one.path.as_ref().unwrap_or(&whole));
    let name = paths::target(prefix, wire).map_err(|error| refusal::path(&error))?;
    let name = name.ok_or_else(place::no_target)?;
    let (pace, heartbeat) = (pace(one)?, interval("heartbeat", one.heartbeat_interval)?);
    let modules = list.use_models.iter().map(|model| model.name.clone()).collect();
    let (wire, extras) = (wire.clone(), *extras);
    let wanted = Wanted { prefix: list.prefix.clone(), wire, modules, extras };
    let named = name.as_str() != "*";
    let spots = if named {
        call.target(Right::Read, node, &name)?;
        let spec = place::target(node, &name)?;
        BTreeMap::from([(name, wanted.spot(node, call, &spec)?)])
    } else {
        wanted.everywhere(node, call)?
    };
    Ok(Subscription { wanted: Arc::new(wanted), named, spots, pace, heartbeat })
}

fn pace(one: &gnmi::Subscription) -> Result<Pace, Status> {
    match SubscriptionMode::try_from(one.mode) {
        Ok(SubscriptionMode::TargetDefined) if one.sample_interval > 0 => {
            Err(Status::invalid_argument(
                "TARGET_DEFINED leaves the sample_interval to the target; leave it out, or ask for SAMPLE",
            ))
        }
        Ok(SubscriptionMode::TargetDefined) => Ok(Pace::Device),
        Ok(SubscriptionMode::OnChange) => Ok(Pace::OnChange),
        Ok(SubscriptionMode::Sample) => {
            let every = interval("sample", one.sample_interval)?;
            Ok(Pace::Sample { every, changed: one.suppress_redundant })
        }
        Err(_) => {
            Err(Status::invalid_argument(format!("there is no subscription mode {}", one.mode)))
        }
    }
}

/// How often configuration is sampled where the subscriber leaves that to us.
pub(super) fn every(asked: Option<Duration>) -> Duration {
    asked.unwrap_or(SHORTEST)
}

fn interval(what: &str, nanoseconds: u64) -> Result<Option<Duration>, Status> {
    let length = Duration::from_nanos(nanoseconds);
    if length.is_zero() {
        Ok(None)
    } else if length < SHORTEST {
        Err(Status::invalid_argument(format!(
            "a {what}_interval of {nanoseconds} ns is not supported; the shortest is {} ms",
            SHORTEST.as_millis()
        )))
    } else {
        Ok(Some(length))
    }
}

/// Why a message after the first is wrong.
pub(super) fn misplaced(message: Option<&Message>, mode: Mode) -> Status {
    match message {
        Some(Message::Subscribe(_)) => Status::invalid_argument(
            "there is a SubscriptionList already; open another Subscribe call for this one",
        ),
        Some(Message::Poll(_)) => Status::invalid_argument(format!(
            "only a POLL subscription is polled, not one of mode {}",
            mode.as_str_name()
        )),
        Some(Message::Aliases(_)) => Status::unimplemented("aliases went out of gNMI with 0.8"),
        None => Status::invalid_argument("a message without a request"),
    }
}
