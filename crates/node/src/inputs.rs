//! Everything that can happen to a node, and what of it comes first.

use std::future::pending;

use lockstep_protocol::{Changes, Event};
use lockstep_store::{Error, Watch};
use lockstep_types::Timestamp;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until};

use crate::handle::{Asked, NewModels};

/// Everything that can happen to a node.
#[derive(Debug)]
pub(crate) struct Inputs {
    /// It is to end.
    pub(crate) stop: oneshot::Receiver<()>,
    /// Until when the session lasts. By itself: behind anything that always has more, a renewal would not be
    /// heard of before the session is over.
    pub(crate) lease: watch::Receiver<Timestamp>,
    /// The store moved.
    pub(crate) watch: Watch,
    /// What the links say.
    pub(crate) devices: mpsc::Receiver<Event>,
    /// What came of writes and verdicts.
    pub(crate) events: mpsc::Receiver<Event>,
    /// What clients ask.
    pub(crate) requests: mpsc::Receiver<Asked>,
    /// There are other model sets.
    pub(crate) models: mpsc::Receiver<NewModels>,
}

/// What happened.
#[derive(Debug)]
pub(crate) enum Input {
    Stop,
    /// A node that stops has gone on for long enough.
    Over,
    Lease(Timestamp),
    /// None: the store is closed.
    Watch(Option<Result<Changes, Error>>),
    Device(Event),
    Event(Event),
    Asked(Asked),
    Models(NewModels),
    Due,
}

impl Inputs {
    /// What happens next. Of several things, the one that is named first here: a run is the same whenever what
    /// happens is.
    pub(crate) async fn next(&mut self, over: Option<Instant>, due: Option<Instant>) -> Input {
        tokio::select! {
            biased;
            _ = &mut self.stop, if over.is_none() => Input::Stop,
            () = at(over) => Input::Over,
            Ok(()) = self.lease.changed() => Input::Lease(*self.lease.borrow_and_update()),
            changes = self.watch.next() => Input::Watch(changes),
            Some(event) = self.devices.recv() => Input::Device(event),
            Some(event) = self.events.recv() => Input::Event(event),
            Some(asked) = self.requests.recv() => Input::Asked(asked),
            Some(new) = self.models.recv() => Input::Models(new),
            () = at(due) => Input::Due,
        }
    }
}

/// Comes at a time; never, if there is none.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lockstep_store::{Memory, Records};
    use lockstep_types::{NodeName, Revision};

    use super::*;

    #[tokio::test]
    async fn a_renewal_is_heard_of_before_what_the_store_has_more_of() {
        let records = Records::open(Arc::new(Memory::new())).await.unwrap();
        let watch = records.watch(Revision::ZERO).await.unwrap();
        // The store moved, so that the watch has something to say whenever it is asked.
        let _session = records.begin(&NodeName::new("n1").unwrap()).await.unwrap();
        let (_stop, stop) = oneshot::channel();
        let (renew, lease) = watch::channel(Timestamp::new(1));
        let (_devices, devices) = mpsc::channel(1);
        let (_events, events) = mpsc::channel(1);
        let (_requests, requests) = mpsc::channel(1);
        let (_models, models) = mpsc::channel(1);
        let mut inputs = Inputs { stop, lease, watch, devices, events, requests, models };
        assert!(matches!(inputs.next(None, None).await, Input::Watch(Some(Ok(_)))));
        renew.send_replace(Timestamp::new(2));
        renew.send_replace(Timestamp::new(3));
        let next = inputs.next(None, None).await;
        assert!(matches!(&next, Input::Lease(until) if until.get() == 3), "{next:?}");
        assert!(matches!(inputs.next(None, None).await, Input::Watch(Some(Ok(_)))));
    }
}
