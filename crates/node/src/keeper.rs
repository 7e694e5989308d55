//! Keeping the session: its lease is renewed long before it ends.

use std::time::Duration;

use lockstep_southbound::Lease;
use lockstep_store::Session;
use lockstep_types::Timestamp;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep};

use crate::clock::{Clock, nanoseconds};

/// Renews the lease until told to stop, and tells the core, and whatever is on its way to a device, how long it lasts: counted from the sending
/// of the renewal, since the store counts from some later moment. Gives the session back.
pub(crate) async fn keep(
    session: Session,
    clock: Clock,
    (renewed, lease): (watch::Sender<Timestamp>, Lease),
    mut stop: oneshot::Receiver<()>,
) -> Session {
    loop {
        let (sent, at) = (clock.now(), Instant::now());
        // A store that does not answer keeps no node from stopping.
        let kept = tokio::select! {
            biased;
            _ = &mut stop => return session,
            kept = session.keep() => kept,
        };
        match kept {
            Ok(()) => {
                lease.renew(at + session.ttl());
                renewed.send_replace(sent.after(nanoseconds(session.ttl())));
            }
            Err(error @ lockstep_store::Error::LeaseGone(_)) => {
                // The node hears of it by its watch, and ends; there is nothing left to renew.
                tracing::error!(%error, "the session ran out");
                let _ = stop.await;
                return session;
            }
            Err(error) => tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the session could not be renewed"
            ),
        }
        tokio::select! {
            biased;
            _ = &mut stop => return session,
            () = sleep(pause(session.ttl())) => {}
        }
    }
}

/// Three tries fit into a lease.
fn pause(ttl: Duration) -> Duration {
    ttl / 3
}

#[cfg(test)]
mod tests;
