//! A session: the key that says that this start of a node is alive.

use std::sync::Arc;
use std::time::Duration;

use lockstep_protocol::Written;
use lockstep_protocol::record::Key;
use lockstep_types::{Epoch, NodeName, SessionId};

use super::format;
use super::key::Name;
use super::value::{self, Announced};
use crate::kv::{Compare, Lease, Op, Txn};
use crate::{Error, Pending, Store, metrics};

/// How long a session lasts without being kept: short enough that another node soon takes over, long
/// enough for a store that changes its leader.
pub const SESSION_TTL: Duration = Duration::from_secs(6);

/// How much of the node's name is in the name of its session, in bytes; the rest is for the numbers.
const NAME: usize = 160;

/// One start of one node. Ends when it is not kept for its time, or when it is given up.
#[derive(Debug)]
pub struct Session {
    store: Arc<dyn Store>,
    id: SessionId,
    lease: Lease,
    ttl: Duration,
}

impl Session {
    pub(super) async fn begin(
        store: &Arc<dyn Store>,
        (epoch, knows): (Epoch, u32),
        node: &NodeName,
        ttl: Duration,
    ) -> Result<Self, Error> {
        loop {
            let (set, level) = format::level(&**store, knows).await?.ok_or(Error::Foreign)?;
            let lease = store.grant(ttl).await?;
            let id = name(node, epoch, lease)?;
            let key = Name::Record(Key::Session(id.clone()));
            let value = value::write(&key, &Announced { node: node.clone(), level: knows })?;
            let key = key.bytes();
            let compares =
                vec![Compare::Absent(key.clone()), Compare::Unchanged(Name::Format.bytes(), set)];
            let begun = Op::put(Name::Begun.bytes(), value::write(&Name::Begun, &level)?);
            let ops = vec![Op::Put { key, value, lease: Some(lease) }, begun];
            match store.txn(Txn { compares, ops }).await? {
                Written::Done(_) => {
                    return Ok(Self { store: Arc::clone(store), id, lease, ttl });
                }
                // The level was raised just now; or the name is taken, by what only looks like a
                // session of this node.
                Written::Stale(_) => store.revoke(lease).await?,
            }
        }
    }

    /// Its name, which no other start of any node has.
    #[must_use]
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// How long it lasts without being kept.
    #[must_use]
    pub fn ttl(&self) -> Duration {
        self.ttl
    }

    /// Keeps it for its whole time again. Count from before the call.
    #[must_use]
    pub fn keep(&self) -> Pending<'_, ()> {
        Box::pin(async {
            let kept = self.store.keep(self.lease).await;
            metrics::renewed(kept.is_ok());
            kept
        })
    }

    /// Gives it up.
    ///
    /// # Errors
    /// [`Error::LeaseGone`] if it had ended already, and whatever the store has to say.
    pub async fn end(self) -> Result<(), Error> {
        self.store.revoke(self.lease).await
    }
}

fn name(node: &NodeName, epoch: Epoch, lease: Lease) -> Result<SessionId, Error> {
    let node = node.as_str();
    let cut = (0..=NAME.min(node.len())).rev().find(|at| node.is_char_boundary(*at)).unwrap_or(0);
    let text = format!("{}-{epoch}-{lease}", &node[..cut]);
    SessionId::new(&text).map_err(|e| Error::Unwritable { key: text, reason: e.to_string() })
}
