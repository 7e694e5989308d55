//! The members of the cluster: one is used at a time, and left for another when it fails.
//!
//! Not the client's own balancing: that goes on giving every nth request to a member that has
//! stopped answering. Here a member is only used after it has shown that it answers and has a
//! leader, and whoever finds it wanting takes everyone along to the next, watches too.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use etcd_client::{Client, KvClient, LeaseClient, WatchClient};
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::connect::Connector;
use super::fault::{Fault, Late};
use super::options::Options;
use crate::{Error, metrics};

/// The first pause after every member has failed, and the longest.
const PAUSE: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(500));

/// A connection to the member in use.
pub(super) struct Member {
    client: Client,
    /// Which connection this is; another is never given the same number.
    pub(super) number: u64,
    at: usize,
}

#[derive(Debug)]
pub(super) struct Members {
    connectors: Vec<Connector>,
    /// How long one request may take.
    pub(super) timeout: Duration,
    /// How long one that may be asked again is, in all.
    patience: Duration,
    current: RwLock<Option<Arc<Member>>>,
    /// Held by whoever looks for another member, with the place of the next to be tried and the
    /// number of the last connection.
    search: Mutex<(usize, u64)>,
    /// The last connection that was left.
    left: watch::Sender<u64>,
}

// Each a client of its own: taking the whole one along with every request costs more than the request.
impl Member {
    pub(super) fn kv(&self) -> KvClient {
        self.client.kv_client()
    }

    pub(super) fn leases(&self) -> LeaseClient {
        self.client.lease_client()
    }

    pub(super) fn watches(&self) -> WatchClient {
        self.client.watch_client()
    }
}

impl std::fmt::Debug for Member {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Member({}, connection {})", self.at, self.number)
    }
}

impl Members {
    pub(super) fn new(options: &Options) -> Result<Self, Error> {
        let connector = |name: &String| Connector::new(name, options);
        let connectors = options.endpoints.iter().map(connector).collect::<Result<_, Error>>()?;
        Ok(Self {
            connectors,
            timeout: options.timeout,
            patience: options.timeout * 4,
            current: RwLock::new(None),
            search: Mutex::new((0, 0)),
            left: watch::Sender::new(0),
        })
    }

    /// Asks for something that may be done twice, of one member after the other.
    pub(super) async fn ask<T, F>(&self, request: impl Fn(Arc<Member>) -> F) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, etcd_client::Error>>,
    {
        let again = |fault: &Fault| matches!(fault, Fault::NotDone(_) | Fault::Unknown(_));
        self.tries(request, again).await
    }

    /// Asks for something that must not be done twice: again only if it certainly was not done.
    pub(super) async fn write<T, F>(&self, request: impl Fn(Arc<Member>) -> F) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, etcd_client::Error>>,
    {
        self.tries(request, |fault| matches!(fault, Fault::NotDone(_))).await
    }

    async fn tries<T, F>(
        &self,
        request: impl Fn(Arc<Member>) -> F,
        again: impl Fn(&Fault) -> bool,
    ) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, etcd_client::Error>>,
    {
        let deadline = Instant::now() + self.patience;
        let mut pause = PAUSE.0;
        loop {
            match self.once(deadline, &request).await {
                Err(fault) if again(&fault) && Instant::now() < deadline => {}
                answer => return answer,
            }
            sleep(pause).await;
            pause = (pause * 2).min(PAUSE.1);
        }
    }

    async fn once<T, F>(
        &self,
        deadline: Instant,
        request: impl Fn(Arc<Member>) -> F,
    ) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, etcd_client::Error>>,
    {
        let member = self.member(deadline).await?;
        let answer = match timeout(self.timeout, request(Arc::clone(&member))).await {
            Ok(answer) => answer.map_err(Fault::from),
            Err(_) => Err(Fault::late()),
        };
        if let Err(fault @ (Fault::Unknown(source) | Fault::NotDone(source))) = &answer
            && self.leave(member.number)
        {
            // Said once: everything else that was under way there fails with it.
            tracing::warn!(
                member = self.connectors[member.at].name,
                error = &**source as &dyn std::error::Error,
                done = if matches!(fault, Fault::Unknown(_)) { "unknown" } else { "no" },
                "a request to etcd failed: another member is asked from now on"
            );
        }
        answer
    }

    /// The member in use, or the next that will do. Looks until the deadline, and goes through all of
    /// them at least once.
    pub(super) async fn member(&self, deadline: Instant) -> Result<Arc<Member>, Fault> {
        if let Some(member) = self.current() {
            return Ok(member);
        }
        let Ok(mut search) = timeout_at(deadline, self.search.lock()).await else {
            return Err(Fault::NotDone(Arc::new(Late)));
        };
        let mut pause = PAUSE.0;
        loop {
            if let Some(member) = self.current() {
                return Ok(member);
            }
            let mut last = None;
            for _ in 0..self.connectors.len() {
                let at = search.0 % self.connectors.len();
                search.0 = at + 1;
                match self.connectors[at].connect().await {
                    Ok(client) => {
                        search.1 += 1;
                        return Ok(self.take(Member { client, number: search.1, at }));
                    }
                    Err(refused @ Fault::Refused(_)) => return Err(refused),
                    Err(fault) => last = Some(fault),
                }
            }
            if Instant::now() >= deadline {
                let fault = last.unwrap_or_else(Fault::late);
                // Nothing was sent to any of them.
                return Err(match fault {
                    Fault::Unknown(source) => Fault::NotDone(source),
                    fault => fault,
                });
            }
            sleep(pause).await;
            pause = (pause * 2).min(PAUSE.1);
        }
    }

    fn current(&self) -> Option<Arc<Member>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn take(&self, member: Member) -> Arc<Member> {
        let member = Arc::new(member);
        metrics::MEMBERS.inc();
        tracing::info!(member = self.connectors[member.at].name, "connected to etcd");
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&member));
        member
    }

    /// Stops using a connection, unless that was done already. Whether it was not.
    pub(super) fn leave(&self, number: u64) -> bool {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let used = current.as_ref().is_some_and(|member| member.number == number);
        if used {
            *current = None;
            self.left.send_replace(number);
        }
        used
    }

    /// Waits until this connection is no longer used.
    pub(super) async fn left(&self, number: u64) {
        // The sender lives as long as this.
        let _ = self.left.subscribe().wait_for(|left| *left >= number).await;
    }
}
