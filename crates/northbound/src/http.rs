//! HTTP: whether the node lives, and whether it can be given work.

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use lockstep_node::Handle;

/// `/healthz`: the process answers. `/readyz`: the node holds its session, so it can decide and write.
pub(crate) fn router(node: Handle) -> Router {
    let ready = move || {
        let alive = node.view().is_alive(node.session());
        async move { if alive { (StatusCode::OK, "ready\n") } else { NOT_READY } }
    };
    Router::new().route("/healthz", get(|| async { "ok\n" })).route("/readyz", get(ready))
}

const NOT_READY: (StatusCode, &str) =
    (StatusCode::SERVICE_UNAVAILABLE, "this node does not hold its session\n");
