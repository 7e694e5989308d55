//! What a request is, as far as faults are concerned.

use lockstep_gnmi::path;
use lockstep_gnmi::proto::gnmi::subscribe_request::Request as Message;
use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi::{
    self, GetRequest, SetRequest, SubscribeRequest, SubscriptionMode,
};
use lockstep_gnmi::proto::gnmi_ext::Extension;
use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
use lockstep_types::{Configuration, Path};

use super::commit::{self, Action};
use super::set;
use crate::device::Device;
use crate::edit;
use crate::faults::{Acting, Asked, Feature};
use crate::journal::Kind;

/// The faults that act on a Set, and the paths it touches if there are any.
pub(super) fn set(device: &Device, request: &SetRequest) -> (Acting, Vec<Path>) {
    let mut asked = Asked::of(kind(request), features(&request.extension));
    let (before, narrow) = {
        let state = device.state();
        (state.configuration.clone(), state.faults.looks_at_paths(&asked))
    };
    if narrow {
        (asked.paths, asked.deletes) = touched(device, &before, request);
    }
    let acting = device.state().faults.act(&asked);
    if !narrow && !acting.names.is_empty() {
        (asked.paths, _) = touched(device, &before, request);
    }
    (acting, asked.paths)
}

/// The faults that act on a Get.
pub(super) fn get(device: &Device, request: &GetRequest) -> Acting {
    let prefix = request.prefix.as_ref();
    let whole = [gnmi::Path::default()];
    let paths = if request.path.is_empty() { &whole[..] } else { &request.path };
    let paths = paths.iter().filter_map(|wire| path::read(prefix, wire).ok()).collect();
    let mut uses = features(&request.extension);
    uses.push(Feature::Get);
    device.state().faults.act(&Asked { paths, ..Asked::of(Kind::Get, uses) })
}

/// The faults that act on a Capabilities.
pub(super) fn capabilities(device: &Device, extensions: &[Extension]) -> Acting {
    let mut uses = features(extensions);
    uses.push(Feature::Capabilities);
    device.state().faults.act(&Asked::of(Kind::Capabilities, uses))
}

/// The faults that act on a Subscribe to these paths.
pub(super) fn subscribe(device: &Device, request: &SubscribeRequest, paths: Vec<Path>) -> Acting {
    let mut uses = features(&request.extension);
    uses.push(Feature::Subscribe);
    if wants_changes(request) {
        uses.push(Feature::OnChange);
    }
    device.state().faults.act(&Asked { paths, ..Asked::of(Kind::Subscribe, uses) })
}

fn wants_changes(request: &SubscribeRequest) -> bool {
    let Some(Message::Subscribe(list)) = &request.request else { return false };
    let on_change = |one: &gnmi::Subscription| one.mode() == SubscriptionMode::OnChange;
    list.mode() == Mode::Stream && list.subscription.iter().any(on_change)
}

/// What a Set is called in the journal.
pub(super) fn kind(request: &SetRequest) -> Kind {
    let operations = [&request.replace, &request.update, &request.union_replace];
    if !request.delete.is_empty() || operations.iter().any(|some| !some.is_empty()) {
        return Kind::Set;
    }
    match commit::read(&request.extension) {
        Ok(Some((_, Action::Confirm))) => Kind::Confirm,
        Ok(Some((_, Action::Cancel))) => Kind::Cancel,
        Ok(Some((_, Action::Extend(_)))) => Kind::Extend,
        Ok(Some((_, Action::Begin(_))) | None) | Err(_) => Kind::Claim,
    }
}

fn features(extensions: &[Extension]) -> Vec<Feature> {
    let mut features = Vec::new();
    for extension in extensions {
        match &extension.ext {
            Some(Ext::MasterArbitration(claim)) => {
                features.push(Feature::Arbitration);
                if claim.role.as_ref().is_some_and(|role| !role.id.is_empty()) {
                    features.push(Feature::Role);
                }
            }
            Some(Ext::Commit(_)) => features.push(Feature::Commit),
            Some(Ext::Depth(depth)) if depth.level > 0 => features.push(Feature::Depth),
            _ => {}
        }
    }
    features
}

/// The paths that a Set would touch now, and whether it would take something away.
fn touched(device: &Device, before: &Configuration, request: &SetRequest) -> (Vec<Path>, bool) {
    let delta = set::operations(device.models(), request)
        .ok()
        .and_then(|operations| edit::delta(device.models(), before, &operations).ok());
    let Some((delta, paths)) = delta else { return (Vec::new(), !request.delete.is_empty()) };
    let removes = delta.iter().any(|(path, to)| to.is_none() && before.get(path).is_some());
    (paths, removes || !request.delete.is_empty())
}
