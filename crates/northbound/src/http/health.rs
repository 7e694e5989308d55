//! Whether a node lives, and whether it can be given work.
//!
//! `/healthz` says that the process answers. A node that loses its store does not end for it, and starting the process
//! anew would not bring the store back; so that is no matter of life. `/readyz` says whether a request would be taken
//! and carried out, and if not, why not.

use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use lockstep_node::Handle;
use lockstep_protocol::View;
use lockstep_store::Records;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// So long a node may be behind its own last write: one that is busy is never quite there.
const BEHIND: Duration = Duration::from_secs(1);

/// Who knows whether a node is ready.
#[derive(Clone, Debug)]
pub(crate) struct Health {
    pub(crate) node: Handle,
    pub(crate) records: Records,
    pub(crate) stopping: CancellationToken,
}

/// Why a node cannot be given work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unready {
    #[error("the node is stopping")]
    Stopping,
    #[error("the node has ended, and starts anew")]
    Ended,
    #[error(
        "the session could not be renewed in time: the store cannot be reached, or this node is too slow; nothing is sent to devices"
    )]
    Lease,
    #[error("the session has ended: others may have taken its targets")]
    Session,
    #[error(
        "what was written to the store is not seen: at revision {seen}, and {written} was written"
    )]
    Behind { seen: u64, written: u64 },
}

impl Health {
    /// Whether requests are taken and carried out.
    pub(crate) async fn ready(&self) -> Result<(), Unready> {
        if self.stopping.is_cancelled() {
            return Err(Unready::Stopping);
        }
        let mut views = self.node.views();
        if views.has_changed().is_err() {
            return Err(Unready::Ended);
        }
        if self.node.lease_left().is_zero() {
            return Err(Unready::Lease);
        }
        if !self.node.view().is_alive(self.node.session()) {
            return Err(Unready::Session);
        }
        let written = self.records.reached();
        let seen = views.wait_for(|view: &std::sync::Arc<View>| view.revision() >= written);
        match timeout(BEHIND, seen).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(_)) => Err(Unready::Ended),
            Err(_) => {
                let seen = self.node.view().revision().get();
                Err(Unready::Behind { seen, written: written.get() })
            }
        }
    }
}

/// Serves both.
pub(super) fn router(health: Health) -> Router {
    let ready = move || {
        let health = health.clone();
        async move {
            match health.ready().await {
                Ok(()) => "ready\n".into_response(),
                Err(why) => not_ready(&why.to_string()),
            }
        }
    };
    alive().route("/readyz", get(ready))
}

/// Says that the process answers.
pub(crate) fn alive() -> Router {
    Router::new().route("/healthz", get(|| async { "ok\n" }))
}

/// Says why not.
pub(crate) fn not_ready(why: &str) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {why}\n")).into_response()
}
