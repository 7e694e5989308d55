//! A store in an etcd cluster, 3.4 or later: for more nodes than one.
//!
//! ```text
//!              Etcd
//!  batch    │      │       │         transactions that wait go out together
//!   txn   page   lease   feed        in etcd's words and back (keys, gather)
//!      ╲    │      │    ╱  │
//!         members        tide        one member at a time │ how far watches have to get
//!            │
//!       etcd-client                  fault says what a failure means
//! ```
//!
//! The store's revision is etcd's own, so it also counts what others write beside our keys; a watch
//! passes over those, or gives one without events to those who wait to have caught up.
//!
//! What a failure leaves open is never guessed. A read is asked again, of another member. A write is
//! asked again only where it certainly did not happen; otherwise it ends as [`Error::Unknown`], and it
//! may even happen later, when a member that was stalled goes on. [`Records::write`] says why that is
//! no harm.
//!
//! History is let go of by [`Trim`], if the options say so: it concerns the whole cluster, and whoever
//! runs that may have set it up already.
//!
//! [`Records::write`]: crate::Records::write

mod batch;
mod clock;
mod connect;
mod fault;
mod feed;
mod gather;
mod keys;
mod lease;
mod members;
mod options;
mod page;
mod tide;
mod trim;
mod txn;
mod version;

use std::sync::Arc;
use std::time::Duration;

use etcd_client::ResponseHeader;
use lockstep_protocol::Written;
use lockstep_types::Revision;
use tokio::sync::{OwnedRwLockReadGuard, RwLock, watch};

pub use options::{Options, Tls, UrlError, User};
pub use trim::Trim;

use crate::kv::{Lease, Limits, Page, Range, Txn};
use crate::{Error, Feed, Pending, Store};
use batch::Line;
use fault::{Fault, Unexpected};
use keys::Keys;
use members::{Member, Members};
use tide::Tide;

/// A store in an etcd cluster. Clones share the connection.
#[derive(Clone, Debug)]
pub struct Etcd {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    members: Members,
    keys: Keys,
    tide: Tide,
    line: Line,
    limits: Limits,
    size: page::Size,
    /// Held for reading by whatever is under way; whether the store is open.
    gate: Arc<RwLock<bool>>,
    closing: watch::Sender<bool>,
}

impl Etcd {
    /// Connects to a cluster.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if no member can be reached that has a leader; [`Error::Failed`] if one
    /// refuses us, or is too old.
    pub async fn open(options: &Options) -> Result<Self, Error> {
        let keys = Keys::new(&options.root());
        let inner = Inner {
            members: Members::new(options)?,
            tide: Tide::new(keys.mark()),
            line: Line::default(),
            limits: txn::limits(&keys),
            keys,
            size: page::Size::default(),
            gate: Arc::new(RwLock::new(true)),
            closing: watch::Sender::new(false),
        };
        inner.tide.read(&inner.members).await.map_err(Fault::read)?;
        let inner = Arc::new(inner);
        if let Some(every) = options.compaction {
            tokio::spawn(trim::run(Arc::downgrade(&inner), every, inner.closing.subscribe()));
        }
        Ok(Self { inner })
    }

    /// How many requests were sent for transactions; those that go together share one.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.inner.line.sent()
    }

    /// Lets something begin, unless the store is closed.
    async fn enter(&self) -> Result<OwnedRwLockReadGuard<bool>, Error> {
        let entered = Arc::clone(&self.inner.gate).read_owned().await;
        if *entered { Ok(entered) } else { Err(Error::Closed) }
    }
}

impl Store for Etcd {
    fn limits(&self) -> Limits {
        self.inner.limits
    }

    fn txn(&self, txn: Txn) -> Pending<'_, Written> {
        Box::pin(async move {
            let entered = self.enter().await?;
            batch::write(&self.inner, txn, entered).await
        })
    }

    fn range(&self, range: Range) -> Pending<'_, Page> {
        Box::pin(async move {
            let _entered = self.enter().await?;
            page::read(&self.inner, range).await
        })
    }

    fn revision(&self) -> Pending<'_, Revision> {
        Box::pin(async {
            let _entered = self.enter().await?;
            self.inner.tide.read(&self.inner.members).await.map_err(Fault::read)
        })
    }

    fn watch(&self, after: Revision) -> Pending<'_, Box<dyn Feed>> {
        Box::pin(async move {
            let _entered = self.enter().await?;
            match self.inner.tide.probe(&self.inner.members, after).await {
                Ok(()) | Err(Fault::Future) => {}
                Err(Fault::Compacted) => return Err(page::compacted(&self.inner, after).await),
                Err(fault) => return Err(fault.read()),
            }
            Ok(Box::new(feed::follow(&self.inner, after)) as Box<dyn Feed>)
        })
    }

    fn grant(&self, ttl: Duration) -> Pending<'_, Lease> {
        Box::pin(async move {
            let _entered = self.enter().await?;
            lease::grant(&self.inner, ttl).await
        })
    }

    fn keep(&self, lease: Lease) -> Pending<'_, ()> {
        Box::pin(async move {
            let _entered = self.enter().await?;
            lease::keep(&self.inner, lease).await
        })
    }

    fn revoke(&self, lease: Lease) -> Pending<'_, ()> {
        Box::pin(async move {
            let _entered = self.enter().await?;
            lease::revoke(&self.inner, lease).await
        })
    }

    fn compact(&self, before: Revision) -> Pending<'_, ()> {
        Box::pin(async move {
            let _entered = self.enter().await?;
            let compact = |member: Arc<Member>| async move {
                member.kv().compact(number(before), None).await
            };
            match self.inner.members.ask(compact).await {
                // Somebody has been there before, or we have.
                Ok(_) | Err(Fault::Compacted) => Ok(()),
                Err(Fault::Future) => {
                    let current = self.inner.tide.read(&self.inner.members).await;
                    let current = current.map_err(Fault::read)?;
                    Err(Error::Future { asked: before, current })
                }
                Err(fault) => Err(fault.read()),
            }
        })
    }

    fn close(&self) -> Pending<'_, ()> {
        Box::pin(async {
            *self.inner.gate.write().await = false;
            self.inner.closing.send_replace(true);
            Ok(())
        })
    }
}

/// A revision as etcd writes it.
fn number(revision: Revision) -> i64 {
    i64::try_from(revision.get()).unwrap_or(i64::MAX)
}

/// A revision that etcd wrote.
fn unsigned(revision: i64) -> Revision {
    Revision::new(u64::try_from(revision).unwrap_or_default())
}

/// The revision of the cluster at which something was answered.
fn revision(header: Option<&ResponseHeader>) -> Result<Revision, Fault> {
    let missing = || Fault::Unknown(Arc::new(Unexpected("no header".to_owned())));
    header.map(|header| unsigned(header.revision())).ok_or_else(missing)
}
