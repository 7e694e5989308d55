//! `/metrics`: what Prometheus reads.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use lockstep_node::Handle;
use lockstep_store::Records;
use tokio::task::spawn_blocking;

use crate::guard::Guard;
use crate::metrics;

/// For so long the same text is good for everybody: it is open to all, and a pass over the targets is not for free.
const FRESH: Duration = Duration::from_millis(500);

/// What it takes to look.
#[derive(Debug)]
struct Scrape {
    node: Handle,
    records: Records,
    guard: Guard,
    last: Mutex<Option<(Instant, Arc<str>)>>,
}

impl Scrape {
    fn text(&self) -> Arc<str> {
        // Held while it is looked: whoever else asks meanwhile is given the same.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, text)) = &*last
            && at.elapsed() < FRESH
        {
            return Arc::clone(text);
        }
        self.node.measure(&self.records);
        lockstep_metrics::process::look();
        let failing = self.guard.audit().is_some_and(|audit| !audit.works());
        metrics::AUDIT_FAILING.count(u64::from(failing));
        let text: Arc<str> = lockstep_metrics::text(metrics::everything()).into();
        *last = Some((Instant::now(), Arc::clone(&text)));
        text
    }
}

/// Serves it.
pub(super) fn router(node: Handle, records: Records, guard: Guard) -> Router {
    let scrape = Arc::new(Scrape { node, records, guard, last: Mutex::default() });
    Router::new().route("/metrics", get(move || told(Arc::clone(&scrape))))
}

async fn told(scrape: Arc<Scrape>) -> Response {
    match spawn_blocking(move || scrape.text()).await {
        Ok(text) => said(text.to_string()),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// The text, with what says how to read it.
pub(crate) fn said(text: String) -> Response {
    ([(header::CONTENT_TYPE, lockstep_metrics::CONTENT_TYPE)], text).into_response()
}
