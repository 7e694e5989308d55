//! Subscribe: what stands, and what becomes of it.
//!
//! A subscriber is a task with what it said last. On every change, sample or poll it looks at what
//! stands, and says what is different. Who is slow is not told of every change, but of what came of
//! them: nothing piles up but a bounded number of changes.

mod list;
mod tell;
mod view;
mod watch;

use lockstep_gnmi::proto::gnmi::subscribe_request::Request as Message;
use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi::{SubscribeRequest, SubscribeResponse};
use tokio::sync::{broadcast, mpsc};
use tokio::time::{Instant, sleep_until};
use tonic::{Status, Streaming};

use super::{Service, asked};
use crate::device::{Change, Hold, Next};
use crate::journal::{self, Entry, Kind};
use list::List;
use tell::Teller;
use watch::Watch;

/// As many messages wait for the network.
const AHEAD: usize = 4;

/// Where answers go.
pub(super) type Answers = mpsc::Sender<Result<SubscribeResponse, Status>>;

impl Service {
    /// Serves one subscriber, for as long as it is there.
    pub(super) fn follow(
        &self,
        requests: Streaming<SubscribeRequest>,
        hold: Option<Hold>,
    ) -> mpsc::Receiver<Result<SubscribeResponse, Status>> {
        let (answers, receiver) = mpsc::channel(AHEAD);
        let service = self.clone();
        tokio::spawn(async move {
            let gone = answers.clone();
            let ended = tokio::select! {
                ended = service.subscriber(requests, &answers, hold) => ended,
                () = gone.closed() => return,
            };
            if let Err(status) = ended {
                // Nobody is left to hear it, otherwise.
                let _heard = answers.send(Err(status)).await;
            }
        });
        receiver
    }

    async fn subscriber(
        &self,
        mut requests: Streaming<SubscribeRequest>,
        answers: &Answers,
        hold: Option<Hold>,
    ) -> Result<(), Status> {
        let arrived = journal::now();
        let Some(first) = requests.message().await? else {
            return Err(Status::invalid_argument("there is no subscription"));
        };
        let asked = list::paths(&first);
        let acting = asked::subscribe(&self.device, &first, asked.clone());
        self.pace(Kind::Subscribe, &acting, hold.as_ref()).await;
        let refused = acting.lacks.or(acting.refuse).map_or(Ok(()), Err);
        let list = refused.and_then(|()| List::read(self.device.models(), first));
        let changes = {
            let mut state = self.device.state();
            state.alive(self.boot)?;
            let faults = acting.names.iter().map(ToString::to_string).collect();
            let entry = Entry { paths: asked, arrived, faults, ..Entry::new(Kind::Subscribe) };
            state.note(entry, &list);
            state.feed.follow()
        };
        let list = list?;
        let mode = list.mode;
        let mut session = Session::new(self.clone(), list, answers.clone());
        session.begin().await?;
        match mode {
            Mode::Once => Ok(()),
            Mode::Poll => session.poll(requests).await,
            Mode::Stream => session.stream(requests, changes).await,
        }
    }
}

/// One subscriber and what it was told.
struct Session {
    service: Service,
    watches: Vec<Watch>,
    teller: Teller,
    list: List,
}

impl Session {
    fn new(service: Service, list: List, answers: Answers) -> Self {
        let watches = list.subscriptions.iter().map(Watch::new).collect();
        let teller = Teller::new(service.device.models().clone(), &list, answers);
        Self { service, watches, teller, list }
    }

    /// All that stands, and that this was all.
    async fn begin(&mut self) -> Result<(), Status> {
        let picture = match self.list.at {
            None => self.service.device.picture(),
            Some(time) => self.service.device.picture_at(time)?,
        };
        let quiet = self.list.updates_only;
        for number in 0..self.watches.len() {
            let view = self.look(number, picture.clone()).await?;
            let all = self.watches[number].all(&view);
            self.watches[number].told(view, Instant::now());
            if !quiet {
                self.teller.tell(all, journal::now()).await?;
            }
        }
        self.teller.synced().await
    }

    async fn poll(&mut self, mut requests: Streaming<SubscribeRequest>) -> Result<(), Status> {
        while let Some(message) = requests.message().await? {
            match message.request {
                Some(Message::Poll(_)) => self.pass().await?,
                other => return Err(list::misplaced(other.as_ref())),
            }
        }
        Ok(())
    }

    async fn pass(&mut self) -> Result<(), Status> {
        self.service.device.state().alive(self.service.boot)?;
        let picture = self.service.device.picture();
        let quiet = self.list.updates_only;
        for number in 0..self.watches.len() {
            let view = self.look(number, picture.clone()).await?;
            let watch = &mut self.watches[number];
            let news = if quiet { watch.changed(&view) } else { watch.all(&view) };
            watch.told(view, Instant::now());
            self.teller.tell(news, journal::now()).await?;
        }
        self.teller.synced().await
    }

    async fn stream(
        &mut self,
        mut requests: Streaming<SubscribeRequest>,
        mut changes: broadcast::Receiver<Change>,
    ) -> Result<(), Status> {
        // A client may close its half and go on listening.
        let mut talks = true;
        loop {
            let due = self.watches.iter().filter_map(Watch::due).min();
            let rest = async {
                match due {
                    Some(due) => sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                message = requests.message(), if talks => match message? {
                    None => talks = false,
                    Some(message) => return Err(list::misplaced(message.request.as_ref())),
                },
                next = Next::of(&mut changes) => match next {
                    Next::Off => return Err(Status::unavailable("the device was turned off")),
                    Next::Change(change) => self.changed(&change).await?,
                },
                () = rest => self.sample().await?,
            }
        }
    }

    /// A change, for those who want to know at once.
    async fn changed(&mut self, change: &Change) -> Result<(), Status> {
        for number in 0..self.watches.len() {
            if !self.watches[number].is_on_change() {
                continue;
            }
            let view = self.look(number, change.picture.clone()).await?;
            let news = self.watches[number].changed(&view);
            self.watches[number].seen(view);
            self.teller.tell(news, change.timestamp).await?;
        }
        if self.list.configuration_only {
            self.teller.commit_done(change).await?;
        }
        Ok(())
    }

    /// What is due, for those who want to know from time to time.
    async fn sample(&mut self) -> Result<(), Status> {
        let now = Instant::now();
        let picture = self.service.device.picture();
        for number in 0..self.watches.len() {
            if self.watches[number].due().is_none_or(|due| due > now) {
                continue;
            }
            let view = self.look(number, picture.clone()).await?;
            let watch = &mut self.watches[number];
            let news = watch.sampled(&view, now);
            watch.told(view, now);
            self.teller.tell(news, journal::now()).await?;
        }
        Ok(())
    }

    /// What stands at the paths of a subscription.
    async fn look(
        &self,
        number: usize,
        picture: std::sync::Arc<crate::shown::Picture>,
    ) -> Result<view::View, Status> {
        let filter = self.list.subscriptions[number].filter.clone();
        self.service.work(move |device, _| view::look(device.models(), &picture, &filter)).await
    }
}
