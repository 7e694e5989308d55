//! History that nobody needs any more is let go of, by one node for all.
//!
//! etcd keeps every revision until it is told not to, and takes no more writes once its disk space is
//! used up. So a node tells it, every few minutes. Each remembers how far the store was when it last
//! looked, and lets go of what was before that: whoever is less than that long behind notices nothing.
//!
//! ```text
//!   node a   look ────── let go ───── let go ──
//!   key           ────── 1 ────────── 2 ───────    written by whoever does it
//!   node b      look ────── 1: not me ── 2: not me
//! ```
//!
//! Whoever does it writes a key beside the records, if nobody has since it looked. Then the others
//! leave it alone; should that node be gone, the next to look finds the key as it was, and takes over.

use std::sync::{Arc, Weak};
use std::time::Duration;

use etcd_client::{Compare, CompareOp, Txn, TxnOp};
use lockstep_types::Revision;
use tokio::sync::watch;
use tokio::time::sleep;

use super::fault::Fault;
use super::members::Member;
use super::{Etcd, Inner, number, revision, unsigned};
use crate::{Error, Store};

/// What one node remembers from its last look.
#[derive(Debug)]
pub struct Trim {
    store: Etcd,
    last: Option<Look>,
}

#[derive(Clone, Copy, Debug)]
struct Look {
    /// The revision of the cluster.
    at: Revision,
    /// The one that wrote the key; zero: it is not there.
    key: Revision,
}

impl Trim {
    /// Begins without having looked.
    #[must_use]
    pub fn new(store: &Etcd) -> Self {
        Self { store: store.clone(), last: None }
    }

    /// Lets go of what was before the last call, unless another node has done so since, or nothing was
    /// written. The revision from which on everything is still there, if so.
    ///
    /// # Errors
    /// Whatever the store has to say.
    pub async fn step(&mut self) -> Result<Option<Revision>, Error> {
        let now = look(&self.store.inner).await.map_err(Fault::read)?;
        let Some(last) = self.last.replace(now) else { return Ok(None) };
        // Not even a write of our own last time, and nothing after it.
        let idle = now.at == now.key || now.at == last.at;
        if now.key != last.key || idle {
            return Ok(None);
        }
        let Some(key) = claim(&self.store.inner, last).await.map_err(Fault::write)? else {
            return Ok(None);
        };
        self.last = Some(Look { key, ..now });
        self.store.compact(last.at).await?;
        Ok(Some(last.at))
    }
}

async fn look(inner: &Inner) -> Result<Look, Fault> {
    let key = inner.keys.trim();
    let get = |member: Arc<Member>| {
        let key = key.clone();
        async move { member.kv().get(key, None).await }
    };
    let found = inner.members.ask(get).await?;
    let key = found.kvs().first().map_or(Revision::ZERO, |pair| unsigned(pair.mod_revision()));
    Ok(Look { at: revision(found.header())?, key })
}

/// Writes the key, if it is as it was: the revision that did. One of which nobody knows whether it
/// happened is somebody else's the next time.
async fn claim(inner: &Inner, last: Look) -> Result<Option<Revision>, Fault> {
    let key = inner.keys.trim();
    let compare = Compare::mod_revision(key.clone(), CompareOp::Equal, number(last.key));
    let put = TxnOp::put(key, last.at.to_string(), None);
    let txn = Txn::new().when([compare]).and_then([put]);
    let send = |member: Arc<Member>| {
        let txn = txn.clone();
        async move { member.kv().txn(txn).await }
    };
    let answer = inner.members.write(send).await?;
    let at = revision(answer.header())?;
    Ok(answer.succeeded().then_some(at))
}

/// Does so from time to time, until the store is closed or nobody has it any more.
pub(super) async fn run(inner: Weak<Inner>, every: Duration, mut closing: watch::Receiver<bool>) {
    let mut last = None;
    loop {
        let Some(inner) = inner.upgrade() else { return };
        let mut trim = Trim { store: Etcd { inner }, last };
        match trim.step().await {
            Ok(None) => {}
            Ok(Some(before)) => tracing::debug!(%before, "history was let go of"),
            Err(Error::Closed) => return,
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(error, "history could not be let go of; it is tried again");
            }
        }
        last = trim.last;
        drop(trim);
        tokio::select! {
            () = sleep(every) => {}
            // Closed, or gone.
            _ = closing.wait_for(|closing| *closing) => return,
        }
    }
}
