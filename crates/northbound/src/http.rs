//! HTTP: the API that the page and curl use, whether the node lives, and whether it can be given work.
//!
//! ```text
//!   request ──► guard ──► route: parameters, body ──► the same service that gRPC asks ──► JSON, or events
//!                           └──► OpenAPI: the routes describe themselves
//! ```
//!
//! The page itself is files (`page`). There is no logic of its own here: a request becomes a message of `lockstep.v1` or of gNMI, and the answer to that
//! becomes JSON.

mod answer;
mod asked;
mod configurations;
mod openapi;
mod others;
mod page;
mod route;
mod routes;
mod schema;
mod targets;
mod transactions;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{any, get};

pub(crate) use answer::refused;
pub(crate) use page::is_at as is_page;

use crate::admin;

/// `/healthz`: the process answers. `/readyz`: the node holds its session, so it can decide and write. What is to come
/// says so.
pub(crate) fn router(admin: admin::Service) -> Router {
    let node = admin.gnmi.node.clone();
    let ready = move || {
        let alive = node.view().is_alive(node.session());
        async move { if alive { (StatusCode::OK, "ready\n") } else { NOT_READY } }
    };
    routes::routes(admin)
        .merge(page::routes())
        .merge(planned())
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .fallback(|| async {
            let words = "there is nothing here; /api/v1/openapi.json says what there is";
            refused(&tonic::Status::not_found(words), None)
        })
}

const NOT_READY: (StatusCode, &str) =
    (StatusCode::SERVICE_UNAVAILABLE, "this node does not hold its session\n");

/// Metrics.
fn planned() -> Router {
    let metrics = "Metrics are not implemented yet.\n";
    Router::new().route("/metrics", any(async move || (StatusCode::NOT_IMPLEMENTED, metrics)))
}
