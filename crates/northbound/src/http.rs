//! HTTP: whether the node lives, and whether it can be given work.

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{any, get};
use lockstep_node::Handle;

/// `/healthz`: the process answers. `/readyz`: the node holds its session, so it can decide and write.
/// What is to come says so.
pub(crate) fn router(node: Handle) -> Router {
    let ready = move || {
        let alive = node.view().is_alive(node.session());
        async move { if alive { (StatusCode::OK, "ready\n") } else { NOT_READY } }
    };
    planned().route("/healthz", get(|| async { "ok\n" })).route("/readyz", get(ready))
}

const NOT_READY: (StatusCode, &str) =
    (StatusCode::SERVICE_UNAVAILABLE, "this node does not hold its session\n");

/// The page, its API and metrics.
fn planned() -> Router {
    let page = "The page is not implemented yet; `lockstep --help` lists the commands.\n";
    let api =
        "The HTTP API is not implemented yet; gNMI and lockstep.v1.Admin are served over gRPC.\n";
    let metrics = "Metrics are not implemented yet.\n";
    let say = |words: &'static str| any(async move || (StatusCode::NOT_IMPLEMENTED, words));
    Router::new()
        .route("/", say(page))
        .route("/metrics", say(metrics))
        .route("/api", say(api))
        .route("/api/", say(api))
        .route("/api/{*rest}", say(api))
        .fallback(|| async { (StatusCode::NOT_FOUND, "There is nothing here.\n") })
}
