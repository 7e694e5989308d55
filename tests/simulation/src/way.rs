//! How a node comes to a device, and what happens to its requests on the way.

use std::sync::Arc;
use std::time::Duration;

use lockstep_model::system::Reaction;
use lockstep_protocol::record::Failure;
use lockstep_protocol::{Answer, Ask};
use lockstep_southbound::{
    BoxFuture, ConnectError, Driver, Election, Fencing, Follow, Followed, Line, Look, Mandate,
    Notice, Report, Watch,
};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use crate::device::{Call, Fault, PATIENCE, Site};
use crate::weather::Weather;

/// How a node comes to a device.
#[derive(Clone, Debug)]
pub struct Way {
    /// The device.
    pub site: Site,
    /// The node.
    pub node: String,
    /// What it meets.
    pub weather: Weather,
}

impl Driver for Way {
    fn connect(&self) -> BoxFuture<'_, Result<Arc<dyn Line>, ConnectError>> {
        Box::pin(async move {
            sleep(self.site.chance().time(1, 20)).await;
            let call = self.site.call(&self.node).filter(|_| !self.weather.now().dead);
            let Some(call) = call else {
                let (address, reason) = (self.site.name().to_string(), "no way there".to_owned());
                return Err(ConnectError::Unreachable { address, reason });
            };
            Ok(Arc::new(Connected { way: self.clone(), call }) as Arc<dyn Line>)
        })
    }

    fn patience(&self) -> Duration {
        PATIENCE
    }
}

/// A connection.
#[derive(Debug)]
struct Connected {
    way: Way,
    call: Call,
}

impl Connected {
    async fn asks(&self, election: Election, ask: Ask) -> Answer {
        let (site, call) = (&self.way.site, &self.call);
        sleep(site.chance().time(1, 10)).await;
        if self.way.weather.now().dead || !site.has(call) {
            return Answer::Unknown;
        }
        let fault = if ask.may_change() { site.next_fault() } else { None };
        let reaction = match fault {
            Some(Fault::Refuse) => Reaction::Refuse,
            Some(Fault::Busy) => Reaction::Busy,
            Some(Fault::Late(time)) => return self.does_late(election, ask, time).await,
            Some(Fault::Drop) | None => Reaction::Accept,
        };
        let answer = site.take(call, election, &ask, reaction);
        if fault == Some(Fault::Drop) {
            site.hang_up(call);
        }
        sleep(site.chance().time(1, 10)).await;
        answer.filter(|_| site.has(call)).unwrap_or(Answer::Unknown)
    }

    /// It is done, and nobody is ever told.
    async fn does_late(&self, election: Election, ask: Ask, time: Duration) -> Answer {
        let (site, call) = (self.way.site.clone(), self.call.clone());
        tokio::spawn(async move {
            sleep(time).await;
            drop(site.take(&call, election, &ask, Reaction::Accept));
        });
        std::future::pending().await
    }

    async fn gone(&self) {
        let gone = self.way.site.state().until(|state| !state.has(&self.call));
        tokio::select! {
            biased;
            () = self.way.weather.death() => {}
            () = gone => {}
        }
    }
}

impl Line for Connected {
    fn ask(&self, mandate: Mandate, ask: Ask) -> BoxFuture<'_, Answer> {
        Box::pin(async move {
            timeout(PATIENCE, self.asks(mandate.election, ask)).await.unwrap_or(Answer::Unknown)
        })
    }

    fn fencing(&self) -> Option<Fencing> {
        Some(self.way.site.nature().fencing())
    }

    fn confirms(&self) -> Option<bool> {
        Some(self.way.site.nature().confirms)
    }

    fn watch(&self, _: Watch, tell: mpsc::Sender<Notice>) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let state = self.way.site.state();
            while self.way.site.has(&self.call) {
                let moves = state.look(|state| state.moves);
                if tell.send(Notice::All(Box::new(self.way.site.values()))).await.is_err() {
                    return;
                }
                state.until(|state| state.moves != moves || !state.has(&self.call)).await;
            }
        })
    }

    fn look(&self, _: Look) -> BoxFuture<'_, Result<Vec<Report>, Failure>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn follow(&self, _: Follow, _: mpsc::Sender<Followed>) -> BoxFuture<'_, Failure> {
        Box::pin(async move {
            self.gone().await;
            Failure { code: "UNAVAILABLE".into(), message: "the connection is gone".into() }
        })
    }

    fn closed(&self) -> BoxFuture<'_, String> {
        Box::pin(async move {
            self.gone().await;
            "the connection is gone".to_owned()
        })
    }
}
