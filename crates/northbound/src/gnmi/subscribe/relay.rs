//! State passed through from a device: its own stream, and what to do when that ends.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use lockstep_node::{Follow, Followed, LookError, Pace, TargetSpec};
use lockstep_types::{Content, Path};
use lockstep_yang::Form;
use tokio::sync::mpsc;
use tonic::{Code, Status};

use super::tell::Tale;
use super::wanted::Spot;
use crate::gnmi::Service;
use crate::gnmi::encoding::Encoding;

/// How long a device that tells nothing is left alone before it is asked again.
const PAUSE: Duration = Duration::from_secs(1);

/// One device that is passed through for one subscription.
#[derive(Clone, Debug)]
pub(super) struct Relay {
    /// Which, among those of the subscriber.
    pub(super) number: usize,
    pub(super) spec: Arc<TargetSpec>,
    pub(super) spot: Spot,
    pub(super) pace: Pace,
    pub(super) heartbeat: Option<Duration>,
    pub(super) encoding: Encoding,
}

/// What a relay says.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) number: usize,
    pub(super) what: What,
}

#[derive(Debug)]
pub(super) enum What {
    /// Leaves, and paths under which there is nothing any more.
    News { timestamp: i64, updates: Vec<(Path, Content)>, deletes: Vec<Path> },
    /// All that stands was said.
    Synced,
    /// The device says nothing any more, for now.
    Gone(LookError),
}

/// Runs for ever: whoever listens ends it.
pub(super) async fn run(service: Service, relay: Relay, tell: mpsc::Sender<Heard>) {
    let say = |what| tell.send(Heard { number: relay.number, what });
    loop {
        let Err(error) = pass_through(&service, &relay, &tell).await else { return };
        if say(What::Gone(error)).await.is_err() {
            return;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// One stream of the device. Ends well only when nobody listens.
async fn pass_through(
    service: &Service,
    relay: &Relay,
    tell: &mpsc::Sender<Heard>,
) -> Result<(), LookError> {
    let Relay { number, spec, spot, pace, heartbeat, encoding } = relay;
    let (path, ietf) = (spot.filter.path.clone(), encoding.form() == Form::Ietf);
    let follow = Follow { path, pace: *pace, heartbeat: *heartbeat, ietf };
    let mut stream = service.node.tell(&spec.name, follow).await?;
    loop {
        let what = match stream.next().await.map_err(LookError::Failed)? {
            Followed::Synced => What::Synced,
            Followed::News { timestamp, deletes, updates } => {
                let (models, filter) = (spec.models.clone(), spot.filter.clone());
                let work = move || {
                    let leaves =
                        updates.iter().flat_map(|(path, json)| models.state_leaves(path, json));
                    let leaves = leaves.filter(|(path, _)| filter.wants(&models, path)).collect();
                    let gone = deletes.iter().filter_map(|gone| models.canonical_path(gone).ok());
                    Ok((leaves, gone.collect()))
                };
                // The node is stopping, otherwise.
                let Ok((updates, deletes)) = service.workers.run(work).await else {
                    return Ok(());
                };
                What::News { timestamp, updates, deletes }
            }
        };
        if tell.send(Heard { number: *number, what }).await.is_err() {
            return Ok(());
        }
    }
}

/// What a subscriber was told of a device's state.
#[derive(Debug, Default)]
pub(super) struct Memory {
    told: BTreeSet<Path>,
    /// Whether all that stands was told once, or never will be.
    pub(super) synced: bool,
}

impl Memory {
    /// What is to be told of what was heard.
    pub(super) fn tale(&mut self, updates: Vec<(Path, Content)>, deletes: &[Path]) -> Tale {
        let gone = self.told.iter().filter(|told| deletes.iter().any(|gone| gone.covers(told)));
        let gone: Vec<Path> = gone.cloned().collect();
        self.told.retain(|told| !gone.contains(told));
        self.told.extend(updates.iter().map(|(path, _)| path.clone()));
        let deletes = gone.into_iter().filter(|path| !self.told.contains(path)).collect();
        Tale { updates, deletes }
    }

    /// The device is away, so nothing is known of it.
    pub(super) fn forget(&mut self) -> Tale {
        let deletes = std::mem::take(&mut self.told).into_iter().collect();
        Tale { updates: Vec::new(), deletes }
    }
}

/// Why a subscription that names its target cannot begin.
pub(super) fn refused(spec: &TargetSpec, error: &LookError) -> Status {
    let code = match error {
        LookError::Failed(failure) => match lockstep_gnmi::code::parse(&failure.code) {
            Some(Code::InvalidArgument | Code::Unimplemented) => Code::InvalidArgument,
            Some(Code::ResourceExhausted) => Code::ResourceExhausted,
            _ => Code::Unavailable,
        },
        LookError::NotConnected(_) => Code::Unavailable,
    };
    Status::new(
        code,
        format!(
            "target {} does not tell of its state: {error}; the config-subscription extension leaves \
             state out",
            spec.name
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Path {
        text.parse().unwrap()
    }

    #[test]
    fn only_what_was_told_is_taken_back() {
        let mut memory = Memory::default();
        let counter = |name: &str| path(&format!("/interfaces/interface[name={name}]/in"));
        let updates = vec![(counter("a"), Content::leaf(1)), (counter("b"), Content::leaf(2))];
        assert_eq!(memory.tale(updates, &[]).deletes, []);
        let gone = memory.tale(Vec::new(), &[path("/interfaces/interface[name=a]"), path("/x")]);
        assert_eq!(gone.deletes, [counter("a")]);
        assert_eq!(memory.tale(Vec::new(), &[path("/interfaces/interface[name=a]")]).deletes, []);
        assert_eq!(memory.forget().deletes, [counter("b")]);
        assert_eq!(memory.forget().deletes, []);
    }
}
