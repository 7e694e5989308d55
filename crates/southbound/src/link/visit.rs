//! A look at a device that this node keeps up no connection to: it is another node's to see to. A connection
//! is made for it, and goes with it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use lockstep_protocol::record::Failure;
use lockstep_types::Target;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tracing::Instrument;

use super::follows::{AHEAD, STREAMS, Stream, too_many};
use super::looks::LOOKS;
use crate::{Driver, Follow, Line, Look, LookError, Report};

/// Those who visit devices: not too many at once, and not too many at one device.
#[derive(Clone, Debug)]
pub struct Visits(Arc<Rooms>);

#[derive(Debug)]
struct Rooms {
    at_once: usize,
    looks: Semaphore,
    follows: Arc<Semaphore>,
    /// The devices that somebody visits.
    devices: Mutex<BTreeMap<Target, Weak<Device>>>,
}

/// A device that somebody visits.
#[derive(Debug)]
struct Device {
    looks: Semaphore,
    follows: Arc<Semaphore>,
    /// It is not there any more, or not where it was.
    is_over: watch::Sender<bool>,
}

impl Visits {
    /// So many look at once, and others wait; and as many are told at once.
    #[must_use]
    pub fn new(at_once: usize) -> Self {
        let (looks, follows) = (Semaphore::new(at_once), Arc::new(Semaphore::new(at_once)));
        Self(Arc::new(Rooms { at_once, looks, follows, devices: Mutex::default() }))
    }

    /// Looks at a device's state.
    ///
    /// # Errors
    /// There is no connection to be had, or the device does not tell.
    pub async fn look(
        &self,
        target: &Target,
        driver: &dyn Driver,
        look: Look,
    ) -> Result<Vec<Report>, LookError> {
        let device = self.device(target);
        let of = tracing::error_span!("device", %target);
        let visit = async {
            let gone = |error: tokio::sync::AcquireError| not_connected(error.to_string());
            let _here = device.looks.acquire().await.map_err(gone)?;
            let _room = self.0.looks.acquire().await.map_err(gone)?;
            let line = connect(driver).await?;
            line.look(look).await.map_err(LookError::Failed)
        };
        let visit = visit.instrument(of);
        tokio::select! {
            biased;
            seen = visit => seen,
            () = device.over() => Err(LookError::Failed(moved())),
        }
    }

    /// Has a device tell of its state, for as long as somebody listens, and the target is where it was.
    ///
    /// # Errors
    /// There is no connection to be had, or as many others are told as may be.
    pub async fn follow(
        &self,
        target: &Target,
        driver: &dyn Driver,
        follow: Follow,
    ) -> Result<Stream, LookError> {
        let device = self.device(target);
        let here = Arc::clone(&device.follows).try_acquire_owned();
        let here = here.map_err(|_| LookError::Failed(too_many()))?;
        let room = Arc::clone(&self.0.follows).try_acquire_owned();
        let room = room.map_err(|_| LookError::Failed(self.full()))?;
        let line = tokio::select! {
            biased;
            line = connect(driver) => line?,
            () = device.over() => return Err(LookError::Failed(moved())),
        };
        let (tell, told) = mpsc::channel(AHEAD);
        let (end, ended) = oneshot::channel();
        let of = tracing::error_span!("device", %target);
        let telling = async move {
            let why = tokio::select! {
                biased;
                why = line.follow(follow, tell.clone()) => Some(why),
                () = device.over() => Some(moved()),
                () = tell.closed() => None,
            };
            // Whoever listened may have gone away.
            let _gone = why.map(|why| end.send(why));
            drop((here, room));
        };
        tokio::spawn(telling.instrument(of));
        Ok(Stream { told, ended })
    }

    /// A target is gone, or is reached otherwise: whoever visits it where it was is told.
    pub fn end(&self, target: &Target) {
        let device = self.devices(|devices| devices.remove(target)).and_then(|weak| weak.upgrade());
        if let Some(device) = device {
            device.is_over.send_replace(true);
        }
    }

    fn full(&self) -> Failure {
        let most = self.0.at_once;
        Failure {
            code: "RESOURCE_EXHAUSTED".to_owned(),
            message: format!(
                "{most} streams of devices that other nodes see to are open here, which is the limit"
            ),
        }
    }

    fn device(&self, target: &Target) -> Arc<Device> {
        self.devices(|devices| {
            if let Some(device) = devices.get(target).and_then(Weak::upgrade) {
                return device;
            }
            devices.retain(|_, device| device.strong_count() > 0);
            let device = Arc::new(Device::new());
            devices.insert(target.clone(), Arc::downgrade(&device));
            device
        })
    }

    fn devices<T>(&self, act: impl FnOnce(&mut BTreeMap<Target, Weak<Device>>) -> T) -> T {
        act(&mut self.0.devices.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Device {
    fn new() -> Self {
        Self {
            looks: Semaphore::new(LOOKS),
            follows: Arc::new(Semaphore::new(STREAMS)),
            is_over: watch::Sender::new(false),
        }
    }

    /// Comes back when the target is gone, or is reached otherwise.
    async fn over(&self) {
        let mut is_over = self.is_over.subscribe();
        // An error would mean that the sender is gone, and it is ours.
        drop(is_over.wait_for(|over| *over).await);
    }
}

async fn connect(driver: &dyn Driver) -> Result<Arc<dyn Line>, LookError> {
    driver.connect().await.map_err(|error| not_connected(error.to_string()))
}

fn not_connected(why: String) -> LookError {
    LookError::NotConnected(why)
}

fn moved() -> Failure {
    Failure {
        code: "UNAVAILABLE".to_owned(),
        message: "the target was removed, or is reached otherwise now".to_owned(),
    }
}
