//! State passed through from a device: its own stream, and what to do when that ends.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use lockstep_node::{Follow, Followed, LookError, Pace, Stream, TargetSpec};
use lockstep_types::{Content, Path};
use lockstep_yang::Form;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};
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
    /// All that stands is said again: the device is reached in another way.
    Again,
    /// The device says nothing any more, for now.
    Gone(LookError),
}

/// Runs for ever: whoever listens ends it.
pub(super) async fn run(service: Service, relay: Relay, tell: mpsc::Sender<Heard>) {
    let say = |what| tell.send(Heard { number: relay.number, what });
    let mut stream = begin(&service, &relay).await;
    loop {
        let began = Instant::now();
        let ended = match stream {
            Ok(stream) => pass_through(&service, &relay, stream, &tell).await,
            Err(error) => Err(error),
        };
        let Err(error) = ended else { return };
        // One that went on for a while may have ended only because another node sees to the device from now on. Then
        // it is there, and nobody needs to hear that it was away.
        let lasted = began.elapsed() >= PAUSE;
        let next = if lasted { begin(&service, &relay).await.ok() } else { None };
        let what = if next.is_some() { What::Again } else { What::Gone(error) };
        if say(what).await.is_err() {
            return;
        }
        stream = match next {
            Some(stream) => Ok(stream),
            None => {
                sleep(PAUSE).await;
                begin(&service, &relay).await
            }
        };
    }
}

async fn begin(service: &Service, relay: &Relay) -> Result<Stream, LookError> {
    let Relay { spec, spot, pace, heartbeat, encoding, .. } = relay;
    let (path, ietf) = (spot.filter.path.clone(), encoding.form() == Form::Ietf);
    let follow = Follow { path, pace: *pace, heartbeat: *heartbeat, ietf };
    service.node.tell(&spec.name, follow).await
}

/// One stream of the device. Ends well only when nobody listens.
async fn pass_through(
    service: &Service,
    relay: &Relay,
    mut stream: Stream,
    tell: &mpsc::Sender<Heard>,
) -> Result<(), LookError> {
    let Relay { number, spec, spot, .. } = relay;
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
    /// What was told before, and has not been told again yet.
    before: BTreeSet<Path>,
    /// Whether all that stands was told once, or never will be.
    pub(super) synced: bool,
}

impl Memory {
    /// What is to be told of what was heard.
    pub(super) fn tale(&mut self, updates: Vec<(Path, Content)>, deletes: &[Path]) -> Tale {
        let known = self.told.iter().chain(&self.before);
        let gone = known.filter(|told| deletes.iter().any(|gone| gone.covers(told)));
        let gone: BTreeSet<Path> = gone.cloned().collect();
        self.told.retain(|told| !gone.contains(told));
        self.before.retain(|told| !gone.contains(told));
        for (path, _) in &updates {
            self.before.remove(path);
            self.told.insert(path.clone());
        }
        let deletes = gone.into_iter().filter(|path| !self.told.contains(path)).collect();
        Tale { updates, deletes }
    }

    /// All that stands is told again.
    pub(super) fn again(&mut self) {
        self.before.append(&mut self.told);
    }

    /// All that stands was told: what was told before and not again is gone.
    pub(super) fn synced(&mut self) -> Tale {
        self.synced = true;
        let deletes = std::mem::take(&mut self.before).into_iter().collect();
        Tale { updates: Vec::new(), deletes }
    }

    /// The device is away, so nothing is known of it.
    pub(super) fn forget(&mut self) -> Tale {
        self.again();
        self.synced()
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

    #[test]
    fn what_is_told_again_is_not_taken_back_in_between() {
        let mut memory = Memory::default();
        let counter = |name: &str| path(&format!("/interfaces/interface[name={name}]/in"));
        let told = |name| vec![(counter(name), Content::leaf(1))];
        memory.tale(told("a"), &[]);
        memory.tale(told("b"), &[]);
        assert_eq!(memory.synced().deletes, []);
        memory.again();
        assert_eq!(memory.tale(told("a"), &[]).deletes, []);
        assert_eq!(memory.synced().deletes, [counter("b")], "that is not there any more");
        memory.again();
        assert_eq!(memory.tale(Vec::new(), &[counter("a")]).deletes, [counter("a")]);
        assert_eq!(memory.synced().deletes, []);
    }
}
