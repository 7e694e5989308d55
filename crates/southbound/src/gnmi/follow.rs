//! A subscription to a device's state: how it is asked for, and what is heard.

use std::time::Duration;

use lockstep_gnmi::path;
use lockstep_gnmi::proto::gnmi::subscribe_request::Request as Kind;
use lockstep_gnmi::proto::gnmi::subscribe_response::Response as Told;
use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi::{
    self, Notification, SubscribeRequest, SubscribeResponse, Subscription, SubscriptionList,
    SubscriptionMode,
};
use lockstep_protocol::record::Failure;

use super::{Encoding, get};
use crate::{Follow, Followed, Pace};

pub(super) fn request(follow: &Follow, origin: Option<&str>) -> SubscribeRequest {
    let origin = origin.unwrap_or_default().to_owned();
    let (mode, sample_interval, suppress_redundant) = match follow.pace {
        Pace::OnChange => (SubscriptionMode::OnChange, 0, false),
        Pace::Device => (SubscriptionMode::TargetDefined, 0, false),
        Pace::Sample { every, changed } => {
            (SubscriptionMode::Sample, every.map_or(0, nanoseconds), changed)
        }
    };
    let wanted = Subscription {
        path: Some(gnmi::Path { origin, ..path::write(&follow.path) }),
        mode: mode.into(),
        sample_interval,
        suppress_redundant,
        heartbeat_interval: follow.heartbeat.map_or(0, nanoseconds),
    };
    let encoding = if follow.ietf { Encoding::JsonIetf } else { Encoding::Json };
    let list = SubscriptionList {
        subscription: vec![wanted],
        mode: Mode::Stream.into(),
        encoding: get::encoding(encoding).into(),
        ..SubscriptionList::default()
    };
    SubscribeRequest { request: Some(Kind::Subscribe(list)), ..SubscribeRequest::default() }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// What a message says; none: nothing of interest.
pub(super) fn read(message: SubscribeResponse) -> Result<Option<Followed>, Failure> {
    Ok(match message.response {
        Some(Told::Update(notification)) => Some(news(&notification)?),
        Some(Told::SyncResponse(true)) => Some(Followed::Synced),
        _ => None,
    })
}

fn news(notification: &Notification) -> Result<Followed, Failure> {
    let prefix = notification.prefix.as_ref();
    let deletes = notification.delete.iter().map(|gone| path::read(prefix, gone));
    let deletes = deletes.collect::<Result<_, _>>();
    Ok(Followed::News {
        timestamp: notification.timestamp,
        deletes: deletes.map_err(|error| get::unreadable(error.to_string()))?,
        updates: get::values(notification)?,
    })
}
